//! Functions that are const. Only those that no constant calls have mutants.

/// Nobody needs it at compile time.
pub const fn doubled(n: u32) -> u32 {
    n * 2
}

#[derive(Debug, PartialEq)]
pub struct Level(u8);

impl Level {
    pub const fn raised(&self, by: u8) -> Level {
        if by > 9 {
            return Level(9);
        }
        Level(self.0 + by)
    }

    /// A constant calls it.
    pub const fn new(level: u8) -> Level {
        Level(capped(level + 0))
    }
}

/// `Level::new` calls it.
const fn capped(level: u8) -> u8 {
    if level > 9 { 9 } else { level }
}

pub const LOWEST: Level = Level::new(1);

macro_rules! constant {
    ($name:ident, $value:expr) => {
        pub const $name: u32 = $value;
    };
}

/// Only what a macro makes of its tokens shows that a constant needs it.
pub const fn hidden(n: u32) -> u32 {
    n + 5
}

constant!(SEVEN, hidden(2));

/// An example calls it in a constant.
///
/// ```
/// const EIGHT: u32 = constants::shown(4);
/// assert_eq!(EIGHT, 8);
/// ```
pub const fn shown(n: u32) -> u32 {
    n + 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_count() {
        assert_eq!(doubled(4), 8);
        assert_eq!(LOWEST.raised(2), Level(3));
        assert_eq!(LOWEST.raised(20), Level(9));
        assert_eq!(Level::new(12), Level(9));
        assert_eq!(hidden(1) + SEVEN, 13);
        assert_eq!(shown(1), 5);
    }
}
