//! What a run has learned about its own chances.

/// How often the n-th attempt at something succeeds. Before there is experience, every second first one is expected to,
/// and of further ones half as many as of those before.
#[derive(Clone, Debug)]
pub(super) struct SuccessRates {
    /// How many attempts of this number succeeded, and how many there were.
    known: Vec<(f64, f64)>,
}

/// Attempts of a higher number are taken for the last of these.
const ATTEMPTS: usize = 32;

impl SuccessRates {
    pub fn new() -> SuccessRates {
        SuccessRates {
            known: vec![(0.0, 0.0); ATTEMPTS],
        }
    }

    /// Told that another attempt with so many before it was made.
    pub fn attempted(&mut self, before: u32) {
        self.at(before).1 += 1.0;
    }

    /// Told that an attempt with so many before it succeeded.
    pub fn succeeded(&mut self, before: u32) {
        self.at(before).0 += 1.0;
    }

    fn at(&mut self, before: u32) -> &mut (f64, f64) {
        &mut self.known[(before as usize).min(ATTEMPTS - 1)]
    }

    /// The chances of attempts, by how many were before.
    pub fn chances(&self) -> Vec<f64> {
        let mut prior = 0.5;
        let after = |(succeeded, attempts): &(f64, f64)| {
            let expected = (succeeded + prior) / (attempts + 1.0);
            prior = expected / 2.0;
            expected
        };
        self.known.iter().map(after).collect()
    }
}

/// The chance of an attempt with so many before it.
pub(super) fn of(chances: &[f64], before: u32) -> f64 {
    chances[(before as usize).min(ATTEMPTS - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hope_is_halved_until_experience_tells_otherwise() {
        let mut experience = SuccessRates::new();
        assert_eq!(experience.chances()[..3], [0.5, 0.25, 0.125]);
        for _ in 0..9 {
            experience.attempted(1);
            experience.succeeded(1);
        }
        let learned = experience.chances();
        assert_eq!(learned[0], 0.5);
        assert_eq!(learned[1], 0.925);
        assert_eq!(learned[2], 0.4625);
        assert_eq!(of(&learned, 1000), learned[ATTEMPTS - 1]);
    }
}
