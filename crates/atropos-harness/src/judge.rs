//! Runs one test's body and says whether it passed.
//!
//! A hook notes message and place of every panic, because the place is not in what unwinds, and
//! because a process may die of the panic before anybody can catch it.

use std::panic;
use std::sync::Mutex;

use atropos_libtest::{TestDescAndFn, run_and_judge, text_of};
use atropos_runtime::zygote::BodyFailure;

/// The last panic's message and place.
static LAST: Mutex<Option<BodyFailure>> = Mutex::new(None);

/// Installs the hook. It prints what is usual, but looks for no backtrace: that would read and map
/// files in the test's name.
pub fn watch_panics() {
    panic::set_hook(Box::new(|info| {
        let message = text_of(info.payload());
        let location = info.location().map(ToString::to_string).unwrap_or_default();
        atropos_runtime::note_panic(&message, &location);
        if !atropos_runtime::zygote::is_silent() {
            let thread = std::thread::current();
            let name = thread.name().unwrap_or("<unnamed>");
            eprintln!("\nthread '{name}' panicked at {location}:\n{message}");
        }
        if let Ok(mut last) = LAST.try_lock() {
            *last = Some(BodyFailure { message, location });
        }
    }));
}

/// Runs a test on this thread.
pub fn run(test: &TestDescAndFn) -> Result<(), BodyFailure> {
    run_and_judge(test).map_err(|message| {
        let last = LAST.try_lock().ok().and_then(|mut last| last.take());
        let location = match last {
            Some(last) if last.message == message => last.location,
            _ => String::new(),
        };
        BodyFailure { message, location }
    })
}
