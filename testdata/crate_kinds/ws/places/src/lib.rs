//! Code that knows where it is.

use std::panic::Location;

pub fn here(add: u32) -> (&'static str, u32, &'static str) {
    let sum = add
        + 1;
    (file!(), line!() + sum - sum, module_path!())
}

pub fn careful(
    number: u32,
) -> u32 {
    let limit = if number > 100 { 3 } else { 4 };
    if number == limit {

        panic!("it is {number}");
    }
    number
        - limit
}

#[track_caller]
pub fn caller() -> &'static Location<'static> {
    Location::caller()
}

pub fn called(n: i32) -> u32 {
    let line = if n < 0 { 0 } else { caller().line() };
    line
}

#[cfg(test)]
mod tests {
    use std::panic;
    use std::sync::Mutex;

    use super::*;

    /// The file, line and message of the panic in `body`.
    fn panic_of(body: impl Fn() + panic::UnwindSafe) -> (String, u32, String) {
        static SEEN: Mutex<Option<(String, u32, String)>> = Mutex::new(None);
        let before = panic::take_hook();
        panic::set_hook(Box::new(|info| {
            let place = info.location().unwrap();
            let message = info.payload_as_str().unwrap_or_default().to_owned();
            *SEEN.lock().unwrap() = Some((place.file().to_owned(), place.line(), message));
        }));
        let result = panic::catch_unwind(body);
        panic::set_hook(before);
        assert!(result.is_err());
        SEEN.lock().unwrap().take().unwrap()
    }

    #[test]
    fn files_and_lines_are_those_of_the_source() {
        assert_eq!(here(2), ("places/src/lib.rs", 8, "places"));
        assert_eq!(called(1), 29);
        assert_eq!(called(-1), 0);
    }

    #[test]
    fn panics_are_where_they_were() {
        let file = "places/src/lib.rs".to_owned();
        let own = panic_of(|| {
            careful(4);
        });
        assert_eq!(own, (file.clone(), 17, "it is 4".to_owned()));
        let overflow = panic_of(|| {
            careful(1);
        });
        let words = "attempt to subtract with overflow".to_owned();
        assert_eq!(overflow, (file, 19, words));
        assert_eq!(careful(8), 4);
        assert_eq!(careful(103), 100);
    }
}

#[cfg(windows)]
pub mod shared;
