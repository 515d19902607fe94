//! Accounts that several threads use. Every operation is one step for all the others.

use std::sync::Mutex;

pub struct Account {
    /// Says which account this is, and in which order two of them are locked.
    name: u32,
    balance: Mutex<i64>,
}

impl Account {
    pub fn new(name: u32, balance: i64) -> Account {
        Account {
            name,
            balance: Mutex::new(balance),
        }
    }

    pub fn name(&self) -> u32 {
        self.name
    }

    pub fn balance(&self) -> i64 {
        *self.balance.lock().unwrap()
    }

    pub fn deposit(&self, amount: i64) {
        let mut balance = self.balance.lock().unwrap();
        *balance += amount;
    }

    /// Takes the amount out, unless there is less.
    pub fn withdraw(&self, amount: i64) {
        let mut balance = self.balance.lock().unwrap();
        if *balance >= amount {
            *balance -= amount;
        }
    }

    /// Moves the amount to another account. Both are locked in the order of their names, so that no
    /// circle of transfers waits for itself.
    pub fn transfer(&self, other: &Account, amount: i64) {
        if self.name < other.name {
            let mut mine = self.balance.lock().unwrap();
            let mut theirs = other.balance.lock().unwrap();
            *mine -= amount;
            *theirs += amount;
        } else {
            let mut theirs = other.balance.lock().unwrap();
            let mut mine = self.balance.lock().unwrap();
            *mine -= amount;
            *theirs += amount;
        }
    }
}
