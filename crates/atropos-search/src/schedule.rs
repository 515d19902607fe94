//! A schedule: the choices of one execution, as one line of text.
//!
//! `s1:0*3,1,=2,0` reads: version 1; thread 0 three times, thread 1, alternative 2 of the choice
//! that thread 1 then met, thread 0. The empty schedule is `s1:`.

use std::fmt;
use std::str::FromStr;

use crate::choice::{Choice, Thread};

/// The choices of one execution, in order.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Schedule {
    pub choices: Vec<Choice>,
}

impl Schedule {
    /// How often the running thread changes.
    pub fn switches(&self) -> usize {
        let mut threads = self.choices.iter().filter_map(|choice| choice.as_thread());
        let Some(mut last) = threads.next() else {
            return 0;
        };
        threads
            .filter(|&thread| std::mem::replace(&mut last, thread) != thread)
            .count()
    }
}

const VERSION: &str = "s1:";

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(VERSION)?;
        let mut rest = self.choices.as_slice();
        while let [first, ..] = rest {
            if rest.len() < self.choices.len() {
                f.write_str(",")?;
            }
            let run = rest.iter().take_while(|choice| *choice == first).count();
            write!(f, "{first:?}")?;
            if run > 1 {
                write!(f, "*{run}")?;
            }
            rest = &rest[run..];
        }
        Ok(())
    }
}

/// Why a text is not a schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScheduleError {
    /// It does not start with a version that this program knows.
    Version,
    /// This piece is neither a thread nor an alternative.
    Piece(String),
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScheduleError::Version => write!(f, "a schedule starts with `{VERSION}`"),
            ScheduleError::Piece(piece) => write!(
                f,
                "`{piece}` is no choice: expected `3`, `=3`, `3*7` or `=3*7`"
            ),
        }
    }
}

impl std::error::Error for ScheduleError {}

/// Longest schedule that a text may describe: a run length is easily mistyped.
const LONGEST: usize = 1 << 28;

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Schedule, ScheduleError> {
        let body = text
            .trim()
            .strip_prefix(VERSION)
            .ok_or(ScheduleError::Version)?;
        let mut choices = Vec::new();
        for piece in body.split(',').filter(|_| !body.is_empty()) {
            let (choice, run) =
                parse_piece(piece).ok_or_else(|| ScheduleError::Piece(piece.to_string()))?;
            if choices.len() + run > LONGEST {
                return Err(ScheduleError::Piece(piece.to_string()));
            }
            choices.extend(std::iter::repeat_n(choice, run));
        }
        Ok(Schedule { choices })
    }
}

fn parse_piece(piece: &str) -> Option<(Choice, usize)> {
    let (what, run) = match piece.split_once('*') {
        Some((what, run)) => (what, run.parse().ok().filter(|&run: &usize| run > 0)?),
        None => (piece, 1),
    };
    let number = |digits: &str| digits.parse::<u32>().ok().filter(|&n| n < 1 << 31);
    let choice = match what.strip_prefix('=') {
        Some(value) => Choice::data(number(value)?),
        None => Choice::thread(Thread(number(what)?)),
    };
    Some((choice, run))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) {
        assert_eq!(text.parse::<Schedule>().unwrap().to_string(), text);
    }

    #[test]
    fn a_schedule_survives_text_and_back() {
        check("s1:");
        check("s1:0");
        check("s1:0*3,1,=2,0");
        check("s1:=0*2,17,=1");
    }

    #[test]
    fn nonsense_is_refused_with_the_piece_named() {
        assert_eq!("0,1".parse::<Schedule>(), Err(ScheduleError::Version));
        for bad in [
            "s1:x",
            "s1:1,",
            "s1:1*0",
            "s1:-1",
            "s1:1*99999999999",
            "s1:4294967295",
        ] {
            assert!(
                matches!(bad.parse::<Schedule>(), Err(ScheduleError::Piece(_))),
                "{bad}"
            );
        }
    }

    #[test]
    fn switches_count_changes_of_thread_and_not_data() {
        assert_eq!("s1:0*3,1,=2,1,0".parse::<Schedule>().unwrap().switches(), 2);
        assert_eq!("s1:".parse::<Schedule>().unwrap().switches(), 0);
    }
}
