//! The attributes where users put them: what is marked works as if it were not.

#[atropos::skip]
fn plain() -> u8 {
    1
}

#[atropos::skip(reason = "shown to nobody")]
fn with_reason() -> u8 {
    2
}

struct Screen;

#[atropos::skip(reason = r"raw")]
impl Screen {
    #[atropos::skip]
    fn width(&self) -> u8 {
        3
    }
}

#[atropos::skip]
mod inner {
    pub fn four() -> u8 {
        4
    }
}

#[atropos::skip]
trait Five {
    fn five(&self) -> u8 {
        5
    }
}

impl Five for Screen {}

macro_rules! marked {
    ($reason:literal) => {
        #[atropos::skip(reason = $reason)]
        fn by_macro() -> u8 {
            6
        }
    };
}

marked!("from a macro");

#[test]
fn marked_code_is_compiled_as_it_stands() {
    let all = [
        plain(),
        with_reason(),
        Screen.width(),
        inner::four(),
        Screen.five(),
        by_macro(),
    ];
    assert_eq!(all, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn statements_for_explorations_do_nothing_in_ordinary_builds() {
    atropos::bounds!(preemptions = 2, schedules = 5000, seconds = 30);
    atropos::bounds!();
    atropos::must_reach!("what nobody reaches");
    let asked = std::cell::Cell::new(false);
    atropos::invariant!("nobody asks", || {
        asked.set(true);
        false
    });
    let value = if asked.get() {
        1
    } else {
        atropos::reached!("the other arm");
        2
    };
    assert_eq!(value, 2);
}
