//! A small bank. Its tests are good but not perfect: `cargo atropos` shows what they miss.

mod account;
mod ledger;

pub use account::{Account, Refusal};
pub use ledger::{Entry, Ledger};

use std::collections::BTreeMap;
use std::sync::Mutex;

/// Accounts by the owner's name. Every operation is atomic.
#[derive(Default)]
pub struct Bank {
    accounts: Mutex<BTreeMap<String, Account>>,
}

impl Bank {
    pub fn new() -> Bank {
        Bank::default()
    }

    /// Opens an account, unless the owner has one.
    pub fn open(&self, owner: &str, limit: u64) -> bool {
        let mut accounts = self.accounts.lock().unwrap();
        if accounts.contains_key(owner) {
            return false;
        }
        accounts.insert(owner.to_owned(), Account::new(limit));
        true
    }

    pub fn balance(&self, owner: &str) -> Option<i64> {
        let accounts = self.accounts.lock().unwrap();
        accounts.get(owner).map(Account::balance)
    }

    pub fn deposit(&self, owner: &str, amount: u64) -> Result<i64, Refusal> {
        let mut accounts = self.accounts.lock().unwrap();
        let account = accounts.get_mut(owner).ok_or(Refusal::NoSuchAccount)?;
        account.deposit(amount)?;
        Ok(account.balance())
    }

    /// Moves money; either both accounts change or none does.
    pub fn transfer(&self, from: &str, to: &str, amount: u64) -> Result<(), Refusal> {
        let mut accounts = self.accounts.lock().unwrap();
        if !accounts.contains_key(from) || !accounts.contains_key(to) {
            return Err(Refusal::NoSuchAccount);
        }
        accounts.get_mut(from).unwrap().withdraw(amount)?;
        accounts.get_mut(to).unwrap().deposit(amount)?;
        Ok(())
    }

    /// What all accounts hold together.
    pub fn total(&self) -> i64 {
        let accounts = self.accounts.lock().unwrap();
        accounts.values().map(Account::balance).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bank() -> Bank {
        let bank = Bank::new();
        assert!(bank.open("ada", 100));
        assert!(bank.open("bob", 0));
        bank
    }

    #[test]
    fn an_owner_has_one_account() {
        let bank = bank();
        assert!(!bank.open("ada", 0));
        assert_eq!(bank.balance("ada"), Some(0));
        assert_eq!(bank.balance("eve"), None);
    }

    #[test]
    fn money_is_moved_not_made() {
        let bank = bank();
        bank.deposit("ada", 50).unwrap();
        bank.transfer("ada", "bob", 120).unwrap();
        assert_eq!(bank.balance("ada"), Some(-70));
        assert_eq!(bank.balance("bob"), Some(120));
        assert_eq!(bank.total(), 50);
    }

    #[test]
    fn a_transfer_beyond_the_limit_is_refused() {
        let bank = bank();
        assert_eq!(
            bank.transfer("ada", "bob", 101),
            Err(Refusal::BeyondLimit { missing: 1 })
        );
        assert_eq!(bank.balance("bob"), Some(0));
        assert!(bank.transfer("ada", "eve", 1).is_err());
    }
}
