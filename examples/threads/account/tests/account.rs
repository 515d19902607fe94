//! Money that several threads move at once is neither lost nor made.

use std::thread;

use account::Account;

#[test]
fn a_withdrawal_and_two_deposits() {
    let account = Account::new(1, 50);
    thread::scope(|scope| {
        scope.spawn(|| account.withdraw(80));
        scope.spawn(|| account.deposit(90));
        scope.spawn(|| account.deposit(20));
    });
    assert!([80, 160].contains(&account.balance()));
}

#[test]
fn deposits_each_followed_by_a_withdrawal() {
    let account = Account::new(1, 0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                account.deposit(60);
                account.withdraw(10);
            });
        }
    });
    assert_eq!(account.balance(), 100);
}

#[test]
fn an_account_has_what_it_was_opened_with() {
    let account = Account::new(7, 10);
    thread::scope(|scope| {
        scope.spawn(|| assert_eq!((account.name(), account.balance()), (7, 10)));
    });
}

/// Each thread deposits 300, withdraws 100 and passes 100 on to the next account.
fn ring(size: usize) {
    let accounts: Vec<Account> = (0..size).map(|n| Account::new(n as u32, 100)).collect();
    thread::scope(|scope| {
        for n in 0..size {
            let (own, next) = (&accounts[n], &accounts[(n + 1) % size]);
            scope.spawn(move || {
                own.deposit(300);
                own.withdraw(100);
                own.transfer(next, 100);
            });
        }
    });
    for account in &accounts {
        assert_eq!(account.balance(), 300);
    }
}

#[test]
fn a_ring_of_two() {
    ring(2);
}

#[test]
fn a_ring_of_three() {
    ring(3);
}

#[test]
fn a_ring_of_five() {
    ring(5);
}

fn deposits(threads: i64) {
    let account = Account::new(1, 100);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| account.deposit(100));
        }
    });
    assert_eq!(account.balance(), 100 * (threads + 1));
}

#[test]
fn two_deposits() {
    deposits(2);
}

#[test]
fn three_deposits() {
    deposits(3);
}

#[test]
fn five_deposits() {
    deposits(5);
}

fn withdrawals(threads: i64) {
    let account = Account::new(1, 100 * (threads + 1));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| account.withdraw(100));
        }
    });
    assert_eq!(account.balance(), 100);
}

#[test]
fn two_withdrawals() {
    withdrawals(2);
}

#[test]
fn three_withdrawals() {
    withdrawals(3);
}

#[test]
fn as_much_comes_as_goes() {
    let account = Account::new(1, 100);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                account.deposit(100);
                account.withdraw(100);
            });
        }
    });
    assert_eq!(account.balance(), 100);
}

#[test]
fn two_sources_and_one_target() {
    let sources = [Account::new(1, 110), Account::new(3, 110)];
    let target = Account::new(2, 0);
    thread::scope(|scope| {
        for source in &sources {
            scope.spawn(|| source.transfer(&target, 100));
        }
    });
    assert!(sources.iter().all(|source| source.balance() == 10));
    assert_eq!(target.balance(), 200);
}
