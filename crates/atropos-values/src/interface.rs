//! The interface between woven code and the runtimes, written once.
//!
//! [`woven_interface!`](crate::woven_interface) is the table of all that woven code names: the functions that ask which
//! mutant acts, those that inject faults, the types around them, and what observed builds call besides. Of it are made:
//!
//! - a constant per entry with its path (`ON` is `::atropos_runtime::on`), from which the weave and the operators write calls;
//! - [`assert_interface!`](crate::assert_interface), by which both runtimes and the stand-in of the weave's tests prove at
//!   compile time that they have every function, with the type that it has here.
//!
//! So an entry that is added here is a compile error wherever it is missing, and one that is removed, wherever it is used.

/// Calls the macro `$with` with the arguments `$arguments` and all entries: constant, path below the runtime's root, type.
/// In the types `u8` stands for whatever a generic function is called with.
#[macro_export]
macro_rules! woven_interface {
    ($with:path, $($arguments:tt)*) => {
        $with! {
            [$($arguments)*]
            calls {
                /// Counts a step: at the beginning of closures and loops.
                STEP = step: fn(usize);
                /// The function with this number begins: counts a step, and notes that it was entered.
                ENTER = enter: fn(u32);
                /// Whether nothing is to be done at the point with this first mutant.
                COLD = cold: fn(u32) -> bool;
                /// Which mutant of the point acts: 0 for none, else its number in the point.
                AT = at: fn(u32) -> u32;
                /// Whether the one mutant of a point acts.
                ON = on: fn(u32) -> bool;
                /// The value of a condition, as the acting mutant changes it.
                COND = cond: fn(u32, &'static [u8], bool) -> bool;
                /// Whether the right side of `&&` or `||` is evaluated.
                LOGIC = logic: fn(u32, u8, &'static [u8], bool) -> bool;
                /// As [`AT`], for a comparison of these operands.
                RELATE = relate:
                    fn(u32, u8, &'static [u8], Option<$crate::Prim>, Option<$crate::Prim>) -> u32;
                /// As [`AT`], for an arithmetic operation on these operands.
                ARITH = arith:
                    fn(u32, u8, &'static [u8], Option<$crate::Prim>, Option<$crate::Prim>) -> u32;
                /// As [`AT`], for a number behind an operator whose other operand is this.
                CONSTANT = constant:
                    fn(u32, u8, bool, &'static [u8], &'static [i128], Option<$crate::Prim>) -> u32;
                /// A lock that shall exclude nobody.
                FAULT_BARE = injected_faults::bare: fn(&u8) -> &u8;
                /// A lock whose guard shall not unlock when a panic drops it.
                FAULT_KEPT_ON_PANIC = injected_faults::kept_on_panic: fn(&u8) -> &u8;
                /// As [`FAULT_BARE`], for a lock that is not of std, with the place of its data.
                FAULT_BARE_FOREIGN = injected_faults::bare_foreign: fn(&u8, *mut u8) -> &u8;
                /// As [`FAULT_KEPT_ON_PANIC`], for a lock that is not of std.
                FAULT_KEPT_ON_PANIC_FOREIGN = injected_faults::kept_on_panic_foreign:
                    fn(&u8, *mut u8) -> &u8;
                /// Lets other threads into an initialiser that runs once.
                FAULT_RACE = injected_faults::race: fn();
                /// A lock of tokio that shall exclude nobody; the closure finds its data.
                FAULT_BARE_ASYNC = injected_faults::bare_async: fn(fn() -> *mut u8) -> _;
            }
            items {
                /// An iterator that may be empty instead.
                MAYBE_EMPTY = MaybeEmpty;
                /// Looks at a value by reference.
                PEEK = probe::Peek;
                /// Looks at values of any type.
                PEEK_ANY = probe::PeekAny;
                /// Looks at numbers, truth values and characters.
                PEEK_PRIM = probe::PeekPrim;
            }
            observer {
                /// A function begins.
                OBSERVE_ENTER = observe::enter: fn(u32) -> _;
                /// A block begins.
                OBSERVE_BLOCK = observe::block: fn(u32);
                /// Gives an expression its type.
                OBSERVE_IDENTITY = observe::identity: fn(u8) -> u8;
                /// A value of a test was computed at this place.
                CAPTURE_ADD = capture::add: fn(u32, &'static str, &dyn std::fmt::Debug);
            }
        }
    };
}

/// Proves that the crate `$root` (say `crate`) has everything that woven code names; with `observer` behind it, also what
/// that of observed builds does.
#[macro_export]
macro_rules! assert_interface {
    ($root:tt) => {
        $crate::woven_interface!($crate::assert_calls_and_items, $root);
    };
    ($root:tt, observer) => {
        $crate::assert_interface!($root);
        $crate::woven_interface!($crate::assert_observer, $root);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! assert_calls_and_items {
    (
        [$root:tt]
        calls { $($(#[$doc:meta])* $call:ident = $($path:ident)::+ : $type:ty;)* }
        items { $($(#[$item_doc:meta])* $item:ident = $($item_path:ident)::+;)* }
        observer { $($observer:tt)* }
    ) => {
        const _: () = {
            #[allow(dead_code)]
            fn has_all_calls() {
                $(let _: $type = $root::$($path)::+;)*
            }
            $(#[allow(unused_imports)] use $root::$($item_path)::+ as _;)*
        };
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! assert_observer {
    (
        [$root:tt]
        calls { $($calls:tt)* }
        items { $($items:tt)* }
        observer { $($(#[$doc:meta])* $call:ident = $($path:ident)::+ : $type:ty;)* }
    ) => {
        const _: () = {
            #[allow(dead_code)]
            fn has_all_calls_of_the_observer() {
                $(let _: $type = $root::$($path)::+;)*
            }
        };
    };
}

/// The name by which woven code knows its runtime.
pub const RUNTIME: &str = "atropos_runtime";

/// How the paths of all functions begin that inject faults.
pub const FAULTS: &str = "::atropos_runtime::injected_faults::";

macro_rules! paths {
    (
        []
        calls { $($(#[$doc:meta])* $call:ident = $($path:ident)::+ : $type:ty;)* }
        items { $($(#[$item_doc:meta])* $item:ident = $($item_path:ident)::+;)* }
        observer { $($(#[$observer_doc:meta])* $observer:ident = $($observer_path:ident)::+ : $observer_type:ty;)* }
    ) => {
        $($(#[$doc])* pub const $call: &str = concat!("::atropos_runtime" $(, "::", stringify!($path))+);)*
        $($(#[$item_doc])* pub const $item: &str = concat!("::atropos_runtime" $(, "::", stringify!($item_path))+);)*
        $($(#[$observer_doc])* pub const $observer: &str = concat!("::atropos_runtime" $(, "::", stringify!($observer_path))+);)*
    };
}

woven_interface!(paths,);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_with_the_name_of_the_runtime() {
        assert_eq!(ON, format!("::{RUNTIME}::on"));
        assert_eq!(FAULT_RACE, format!("{FAULTS}race"));
        assert!(FAULTS.starts_with(&format!("::{RUNTIME}::")));
    }
}
