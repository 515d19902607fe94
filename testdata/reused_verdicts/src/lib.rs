//! All that a verdict can rest on: bodies, constants, macros, types, traits, features, files, variables of the environment.

mod shapes;

pub use shapes::{Shape, Square, Strip, areas};

macro_rules! least {
    ($one:expr, $other:expr) => {
        if $one < $other { $one } else { $other }
    };
}

const BONUS: u32 = 3;

/// ```
/// assert_eq!(reused_verdicts::points(1), 5);
/// ```
pub fn points(games: u32) -> u32 {
    inner::doubled(games) + bonus(games)
}

fn bonus(games: u32) -> u32 {
    if cfg!(feature = "generous") && games > 0 {
        BONUS
    } else {
        0
    }
}

pub fn smaller(one: i32, other: i32) -> i32 {
    least!(one, other)
}

pub fn evens(up_to: u32) -> impl Iterator<Item = u32> {
    (0..up_to).filter(|number| number % 2 == 0)
}

/// The names in the file of names, in order.
pub fn names() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/names.txt");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut names: Vec<String> = text.lines().map(str::to_owned).collect();
    names.sort();
    names
}

/// How often something is tried: as the environment says, or twice.
pub fn tries() -> u32 {
    let given = std::env::var("EDITED_VARIABLE");
    given.ok().and_then(|text| text.parse().ok()).unwrap_or(2)
}

/// The first line that is longer than so many letters; where none is, the place of the last.
pub fn long_line(text: &str, letters: usize) -> Result<usize, usize> {
    let mut last = 0;
    for (place, line) in text.lines().enumerate() {
        if line.len() > letters {
            return Ok(place);
        }
        last = place;
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_give_points() {
        assert!(points(4) >= 8);
        assert!(points(100) <= 60);
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(points(0), 0);
    }

    #[test]
    fn the_smaller_one_wins() {
        assert!(smaller(1, 2) <= smaller(2, 1) + 1);
    }

    #[test]
    fn there_are_names() {
        let names = names();
        assert!(!names.is_empty());
        assert!(names.is_sorted());
    }

    #[test]
    fn something_is_tried() {
        assert!(tries() < 100);
    }

    #[test]
    fn a_third_try_is_seldom() {
        if tries() == 1 {
            assert_eq!(points(1), 5);
        }
    }
}
