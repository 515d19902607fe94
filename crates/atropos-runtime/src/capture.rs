//! What woven test code calls where a value is computed that an assertion could be about.
//!
//! `(&Capture(place, &value)).capture()` finds, by the order in which method lookup adds and removes references, what can
//! be done with a value, in generic code too: [`Shown`] writes down what has `Debug`, [`Hidden`] does nothing with what
//! has not. Without a file of the driver's all of it does nothing.
//!
//! `Debug` is the program's own code, and it runs: these are builds of their own, from which no verdict comes.

use std::any::type_name;
use std::fmt::{self, Debug, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::OnceLock;

use atropos_protocol::{CapturedValues, ENV_CAPTURES};

static PATH: OnceLock<PathBuf> = OnceLock::new();
static VALUES: OnceLock<CapturedValues> = OnceLock::new();

/// Remembers where values go and hides it from the program. Call it while the process has one thread.
pub fn take_path() {
    if let Some(path) = std::env::var_os(ENV_CAPTURES) {
        // SAFETY: the process has one thread.
        unsafe { std::env::remove_var(ENV_CAPTURES) };
        let _ = PATH.set(path.into());
    }
}

/// From here on this process captures, if the driver wants it.
pub fn begin() {
    if let Some(values) = PATH.get().and_then(|path| CapturedValues::open(path).ok()) {
        let _ = VALUES.set(values);
    }
}

/// A value and the place at which it was computed.
pub struct Capture<'v, T: ?Sized>(pub u32, pub &'v T);

impl<T: ?Sized> Clone for Capture<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Capture<'_, T> {}

/// Of values that have `Debug`.
pub trait Shown {
    fn capture(self);
}

impl<T: Debug + ?Sized> Shown for &Capture<'_, T> {
    fn capture(self) {
        add(self.0, type_name::<T>(), &self.1);
    }
}

/// Of all others.
pub trait Hidden: Sized {
    fn capture(self) {}
}

impl<T: ?Sized> Hidden for Capture<'_, T> {}

/// Writes a value down.
#[inline(never)]
pub fn add(place: u32, type_name: &'static str, value: &dyn Debug) {
    let Some(values) = VALUES.get() else { return };
    let mut start = Start::default();
    // Where the program's own `Debug` panics, there is no value.
    if catch_unwind(AssertUnwindSafe(|| write!(start, "{value:?}"))).is_ok() {
        values.add(place, type_name, &start.text, start.is_cut);
    }
}

/// More of a value is not written down.
const ROOM: usize = 4000;

/// The start of a text.
#[derive(Default)]
struct Start {
    text: String,
    is_cut: bool,
}

impl Write for Start {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.text.len() + text.len() > ROOM {
            self.is_cut = true;
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Opaque;

    // Woven code borrows in any case: what can be shown is only known where it stands.
    #[allow(clippy::needless_borrow)]
    fn is_captured<T>(value: &T) -> bool {
        // In generic code nothing is known of `T`.
        (&Capture(0, value)).capture();
        false
    }

    #[test]
    #[allow(clippy::needless_borrow)]
    fn whatever_has_debug_is_shown_and_all_else_is_let_be() {
        (&Capture(0, &Opaque)).capture();
        (&Capture(0, &Some(5))).capture();
        (&Capture(0, "text")).capture();
        assert!(!is_captured(&Opaque));
    }

    #[test]
    fn long_texts_end_early() {
        let mut start = Start::default();
        let written = write!(start, "{:?}", vec![1; ROOM]);
        assert!(written.is_err() && start.is_cut && start.text.len() <= ROOM);
    }
}
