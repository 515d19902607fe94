//! Functions whose examples are their only tests.

/// Only an example tests it.
///
/// ```
/// assert_eq!(documented::area(2, 5), 10);
/// ```
pub fn area(width: u32, height: u32) -> u32 {
    width * height
}

/// Only an example that should panic tests it.
///
/// ```should_panic
/// documented::refuse(0);
/// ```
pub fn refuse(number: u32) -> u32 {
    10 / number
}

/// Its examples are compiled, rejected or ignored, but never run.
///
/// ```no_run
/// documented::shown(1, 2);
/// ```
///
/// ```compile_fail
/// documented::shown("one");
/// ```
///
/// ```ignore
/// documented::shown(1, 2);
/// ```
pub fn shown(a: u32, b: u32) -> u32 {
    a + b
}

/// A unit test kills its mutants before any example is compiled.
///
/// ```
/// assert_eq!(documented::both(1), 2);
/// ```
pub fn both(n: u32) -> u32 {
    n + 1
}

#[cfg(test)]
mod tests {
    #[test]
    fn one_more() {
        assert_eq!(super::both(4), 5);
    }
}
