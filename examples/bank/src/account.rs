//! One account: a balance that may go below zero down to a limit.

/// Why an operation was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    NoSuchAccount,
    NothingToMove,
    BeyondLimit { missing: u64 },
}

/// A balance, and how far below zero it may go.
#[derive(Debug)]
pub struct Account {
    balance: i64,
    limit: u64,
}

impl Account {
    pub fn new(limit: u64) -> Account {
        Account { balance: 0, limit }
    }

    pub fn balance(&self) -> i64 {
        self.balance
    }

    pub fn deposit(&mut self, amount: u64) -> Result<(), Refusal> {
        if amount == 0 {
            return Err(Refusal::NothingToMove);
        }
        self.balance += amount as i64;
        Ok(())
    }

    pub fn withdraw(&mut self, amount: u64) -> Result<(), Refusal> {
        if amount == 0 {
            return Err(Refusal::NothingToMove);
        }
        let available = self.balance + self.limit as i64;
        if (amount as i64) > available {
            let missing = amount - available as u64;
            return Err(Refusal::BeyondLimit { missing });
        }
        self.balance -= amount as i64;
        Ok(())
    }

    /// Interest for a year in whole units, rounded towards zero; none on debts.
    pub fn interest(&self, percent: i64) -> i64 {
        if self.balance <= 0 {
            return 0;
        }
        self.balance * percent / 100
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deposits_add_up() {
        let mut account = Account::new(0);
        account.deposit(30).unwrap();
        account.deposit(12).unwrap();
        assert_eq!(account.balance(), 42);
    }

    #[test]
    fn nothing_is_no_amount() {
        let mut account = Account::new(10);
        assert_eq!(account.deposit(0), Err(Refusal::NothingToMove));
        assert_eq!(account.withdraw(0), Err(Refusal::NothingToMove));
    }

    #[test]
    fn interest_is_paid_on_savings() {
        let mut account = Account::new(0);
        account.deposit(250).unwrap();
        assert_eq!(account.interest(2), 5);
    }
}
