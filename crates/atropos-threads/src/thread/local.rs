//! `thread_local!` and `LocalKey`: own values and destructors for each controlled thread; the real
//! thread-local variable for all others.

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;
use std::thread;

use crate::control::objects::Slot;
use crate::control::{Control, control};

/// See std.
#[macro_export]
macro_rules! thread_local {
    () => {};
    ($(#[$attr:meta])* $vis:vis static $name:ident: $t:ty = const $init:block; $($rest:tt)*) => {
        $crate::thread_local!($(#[$attr])* $vis static $name: $t = const $init);
        $crate::thread_local!($($rest)*);
    };
    ($(#[$attr:meta])* $vis:vis static $name:ident: $t:ty = const $init:block) => {
        $(#[$attr])*
        $vis const $name: $crate::thread::LocalKey<$t> = {
            const __INIT: fn() -> $t = || const { $init };
            $crate::__local_key!($t, const { $init }, __INIT)
        };
    };
    ($(#[$attr:meta])* $vis:vis static $name:ident: $t:ty = $init:expr; $($rest:tt)*) => {
        $crate::thread_local!($(#[$attr])* $vis static $name: $t = $init);
        $crate::thread_local!($($rest)*);
    };
    ($(#[$attr:meta])* $vis:vis static $name:ident: $t:ty = $init:expr) => {
        $(#[$attr])*
        $vis const $name: $crate::thread::LocalKey<$t> = {
            fn __init() -> $t {
                $init
            }
            $crate::__local_key!($t, __init(), __init)
        };
    };
}

/// The value of a `LocalKey` constant.
#[doc(hidden)]
#[macro_export]
macro_rules! __local_key {
    ($t:ty, $real:expr, $init:expr) => {{
        fn __real() -> &'static $crate::__real_std::thread::LocalKey<$t> {
            $crate::__real_std::thread_local! {
                static __REAL: $t = $real;
            }
            &__REAL
        }
        fn __slot() -> &'static $crate::thread::local::KeySlot {
            static __SLOT: $crate::thread::local::KeySlot = $crate::thread::local::KeySlot::new();
            &__SLOT
        }
        $crate::thread::LocalKey::__new(__real, __slot, $init)
    }};
}

/// Leads to a key's number in the running execution.
#[doc(hidden)]
#[derive(Debug)]
pub struct KeySlot(Slot);

impl KeySlot {
    #[doc(hidden)]
    pub const fn new() -> KeySlot {
        KeySlot(Slot::new())
    }
}

/// See std.
pub struct LocalKey<T: 'static> {
    real: fn() -> &'static thread::LocalKey<T>,
    slot: fn() -> &'static KeySlot,
    init: fn() -> T,
}

/// See std.
#[non_exhaustive]
#[derive(Clone, Copy, Eq, PartialEq)]
pub struct AccessError;

impl fmt::Debug for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessError").finish()
    }
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt("already destroyed", f)
    }
}

impl Error for AccessError {}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}

#[cold]
#[track_caller]
fn destroyed(error: AccessError) -> ! {
    panic!("cannot access a Thread Local Storage value during or after destruction: {error:?}")
}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn __new(
        real: fn() -> &'static thread::LocalKey<T>,
        slot: fn() -> &'static KeySlot,
        init: fn() -> T,
    ) -> LocalKey<T> {
        LocalKey { real, slot, init }
    }

    /// See std.
    #[track_caller]
    pub fn with<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        match self.try_with(f) {
            Ok(result) => result,
            Err(error) => destroyed(error),
        }
    }

    /// See std.
    #[inline]
    pub fn try_with<F, R>(&'static self, f: F) -> Result<R, AccessError>
    where
        F: FnOnce(&T) -> R,
    {
        match control() {
            None => (self.real)().try_with(f).map_err(|_| AccessError),
            // SAFETY: the value lives until the controlled thread ends and is reached by that thread alone.
            Some(control) => Ok(f(unsafe { &*self.value(control, self.init)?.0 })),
        }
    }

    /// The running controlled thread's value, made by `init` if it has none; says whether it was made now.
    fn value(
        &self,
        control: Control,
        init: impl FnOnce() -> T,
    ) -> Result<(*mut T, bool), AccessError> {
        let key = key_number(&control, (self.slot)());
        match control.me().locals.get(key) {
            State::Alive(value) => return Ok((value.cast(), false)),
            State::Destroyed => return Err(AccessError),
            State::Unused => {}
        }
        drop(control);
        let value: *mut T = Box::into_raw(Box::new(init()));
        let control = self::control().expect("the thread is still controlled");
        let destructor: Option<unsafe fn(*mut u8)> = if std::mem::needs_drop::<T>() {
            Some(drop_value::<T>)
        } else {
            None
        };
        control.me().locals.set(key, value.cast(), destructor);
        Ok((value, true))
    }

    fn initialize_with<R>(&'static self, init: T, f: impl FnOnce(Option<T>, &T) -> R) -> R {
        let mut init = Some(init);
        let control = control().expect("the caller is controlled");
        match self.value(control, || init.take().expect("a value is made once")) {
            // SAFETY: as in `try_with`.
            Ok((value, _)) => f(init, unsafe { &*value }),
            Err(error) => destroyed(error),
        }
    }
}

impl<T: 'static> LocalKey<Cell<T>> {
    /// See std.
    #[track_caller]
    pub fn set(&'static self, value: T) {
        match crate::control::is_controlled() {
            false => (self.real)().set(value),
            true => self.initialize_with(Cell::new(value), |value, cell| {
                if let Some(value) = value {
                    cell.set(value.into_inner());
                }
            }),
        }
    }

    /// See std.
    #[track_caller]
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// See std.
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    /// See std.
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// See std.
    #[track_caller]
    pub fn with_borrow<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        self.with(|cell| f(&cell.borrow()))
    }

    /// See std.
    #[track_caller]
    pub fn with_borrow_mut<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&mut T) -> R,
    {
        self.with(|cell| f(&mut cell.borrow_mut()))
    }

    /// See std.
    #[track_caller]
    pub fn set(&'static self, value: T) {
        match crate::control::is_controlled() {
            false => (self.real)().set(value),
            true => self.initialize_with(RefCell::new(value), |value, cell| {
                if let Some(value) = value {
                    *cell.borrow_mut() = value.into_inner();
                }
            }),
        }
    }

    /// See std.
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(RefCell::take)
    }

    /// See std.
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

/// # Safety
/// `value` must come from `Box::into_raw` of a `Box<T>`.
unsafe fn drop_value<T>(value: *mut u8) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(value.cast::<T>()) });
}

fn key_number(control: &Control, slot: &KeySlot) -> usize {
    let state = control.state();
    let next = &mut state.local_keys;
    slot.0.number(state.execution, || {
        *next += 1;
        *next - 1
    }) as usize
}

/// A thread's variable.
#[derive(Clone, Copy, Debug)]
enum State {
    Unused,
    Alive(*mut u8),
    Destroyed,
}

/// Drops a value of a type that only the function knows.
type Destructor = unsafe fn(*mut u8);

/// The variables of one controlled thread.
#[derive(Debug, Default)]
pub struct Locals {
    states: Vec<State>,
    /// Destructors to be called, the last first.
    destructors: Vec<(usize, *mut u8, Destructor)>,
}

impl Locals {
    fn get(&self, key: usize) -> State {
        self.states.get(key).copied().unwrap_or(State::Unused)
    }

    fn set(&mut self, key: usize, value: *mut u8, destructor: Option<Destructor>) {
        if self.states.len() <= key {
            self.states.resize(key + 1, State::Unused);
        }
        self.states[key] = State::Alive(value);
        self.destructors
            .extend(destructor.map(|destructor| (key, value, destructor)));
    }

    /// Forgets all values without dropping them: their memory is gone with the execution's heap.
    pub fn forget(&mut self) {
        self.states.clear();
        self.destructors.clear();
    }
}

/// Runs the destructors of the running controlled thread.
pub fn run_destructors() {
    loop {
        let Some(control) = control() else { return };
        let locals = &mut control.me().locals;
        let Some((key, value, destructor)) = locals.destructors.pop() else {
            return;
        };
        locals.states[key] = State::Destroyed;
        drop(control);
        // SAFETY: registered together with the value it fits, and taken off the list.
        unsafe { destructor(value) };
    }
}
