//! What the programs of the tests share: ways to show what they do.

use std::cell::RefCell;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Notes that a value was computed, and hands it on.
pub fn seen<T: Debug>(what: &str, value: T) -> T {
    note(&format!("{what}={value:?}"));
    value
}

pub fn note(text: &str) {
    LOG.with(|log| log.borrow_mut().push(text.to_owned()));
}

/// Says when it is made and when it is dropped.
#[derive(Debug)]
pub struct Noisy(pub u32);

impl Noisy {
    pub fn new(n: u32) -> Noisy {
        note(&format!("make {n}"));
        Noisy(n)
    }

    pub fn get(&self) -> u32 {
        self.0
    }

    pub fn me(&self) -> &Noisy {
        self
    }

    pub fn into_number(self) -> u32 {
        self.0
    }
}

impl Drop for Noisy {
    fn drop(&mut self) {
        note(&format!("drop {}", self.0));
    }
}

impl PartialEq for Noisy {
    fn eq(&self, other: &Noisy) -> bool {
        note("compare");
        self.0 == other.0
    }
}

impl PartialOrd for Noisy {
    fn partial_cmp(&self, other: &Noisy) -> Option<std::cmp::Ordering> {
        note("order");
        self.0.partial_cmp(&other.0)
    }
}

macro_rules! operators {
    ($($name:ident $method:ident $assign:ident $assign_method:ident;)*) => {
        $(
            impl std::ops::$name for Noisy {
                type Output = Noisy;
                fn $method(self, other: Noisy) -> Noisy {
                    note(stringify!($method));
                    Noisy(std::ops::$name::$method(self.0, other.0))
                }
            }
            impl std::ops::$assign<u32> for Noisy {
                fn $assign_method(&mut self, other: u32) {
                    note(stringify!($assign_method));
                    std::ops::$assign::$assign_method(&mut self.0, other);
                }
            }
        )*
    };
}

operators! {
    Add add AddAssign add_assign;
    Sub sub SubAssign sub_assign;
    Mul mul MulAssign mul_assign;
}

/// Runs a piece of a program and prints its result, or its panic, with all that was noted.
pub fn attempt<T: Debug>(name: &str, what: impl FnOnce() -> T) {
    let mut what = Some(what);
    let mut shown = || Some(Box::new(what.take()?()) as Box<dyn Debug>);
    // Programs have many pieces: what can be shared is compiled once.
    show(name, &mut shown);
}

fn show<'a>(name: &str, what: &mut dyn FnMut() -> Option<Box<dyn Debug + 'a>>) {
    let result = catch_unwind(AssertUnwindSafe(|| what().map(|value| format!("{value:?}"))));
    let log = LOG.with(|log| log.take());
    match result {
        Ok(value) => println!("{name}: {} {log:?}", value.unwrap_or_default()),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            println!("{name}: panic {text:?} {log:?}");
        }
    }
}

/// Panics are shown by `attempt`, not by the hook.
pub fn be_quiet() {
    std::panic::set_hook(Box::new(|_| {}));
}

/// Panics show where they happened: file and line, without the column.
pub fn show_places() {
    std::panic::set_hook(Box::new(|info| {
        if let Some(place) = info.location() {
            println!("panic at {}:{}", place.file(), place.line());
        }
    }));
}
