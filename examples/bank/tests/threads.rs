//! Tests with threads: whatever the schedule, no money is lost and no number is given twice.

use bank::{Bank, Ledger};
use std::thread;

#[test]
fn parallel_transfers_keep_the_total() {
    let bank = Bank::new();
    bank.open("ada", 0);
    bank.open("bob", 0);
    bank.deposit("ada", 100).unwrap();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..5 {
                    bank.transfer("ada", "bob", 10).unwrap();
                }
            });
        }
    });
    assert_eq!(bank.total(), 100);
    assert_eq!(bank.balance("ada"), Some(0));
}

#[test]
fn every_entry_gets_its_own_number() {
    let ledger = Ledger::new();
    thread::scope(|scope| {
        for name in ["a", "b", "c"] {
            let ledger = &ledger;
            scope.spawn(move || ledger.write(name));
        }
    });
    let entries = ledger.since(1);
    assert_eq!(entries.len(), 3);
    assert!(
        entries
            .windows(2)
            .all(|pair| pair[0].number < pair[1].number)
    );
}

#[test]
fn a_new_ledger_is_empty() {
    assert!(Ledger::new().is_empty());
}
