//! Time that all tests share: what one does not need is left to those after it.

use std::time::Duration;

/// What is left, and for how many.
#[derive(Clone, Copy, Debug)]
pub struct TimeBudget {
    left: Duration,
    tests: u32,
}

impl TimeBudget {
    pub fn new(whole: Duration, tests: usize) -> Self {
        Self {
            left: whole,
            tests: u32::try_from(tests).unwrap_or(u32::MAX),
        }
    }

    /// What the next test may spend.
    pub fn share(&self, least: Duration, most: Duration) -> Duration {
        (self.left / self.tests.max(1)).clamp(least, most)
    }

    /// The next test has spent this, more or less than its share.
    pub fn spend(&mut self, spent: Duration) {
        self.left = self.left.saturating_sub(spent);
        self.tests = self.tests.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_tests_leave_their_time_to_long_ones_and_many_tests_get_little() {
        let seconds = Duration::from_secs;
        let share = |budget: &TimeBudget| budget.share(seconds(1), seconds(15));
        let mut budget = TimeBudget::new(seconds(120), 20);
        assert_eq!(share(&budget), seconds(6));
        for _ in 0..10 {
            budget.spend(Duration::ZERO);
        }
        assert_eq!(share(&budget), seconds(12));
        for _ in 0..5 {
            budget.spend(seconds(2));
        }
        assert_eq!(share(&budget), seconds(15));
        budget.spend(seconds(200));
        assert_eq!(share(&budget), seconds(1));
        budget.spend(seconds(1));
        assert_eq!(share(&TimeBudget::new(seconds(120), 1000)), seconds(1));
    }
}
