//! Definitions of libc's names that win over libc's own in every program that links the runtime.
//!
//! Each notes an effect, if it is one, and passes the call on unchanged. Programs that go to the
//! kernel without libc are not noticed here; `sandbox` stands behind these. `atropos_intercept::CALLS` lists all names
//! that the runtime defines, and a test compares.

mod files;
mod network;
mod process;
mod state;

pub use atropos_intercept::Next;

/// Defines a function of libc that is passed on after `note`ing what it does, unless it is `refused`, perhaps `with` another
/// argument.
macro_rules! intercept {
    ($(
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty
            , $missing:expr
            , $note:expr
            $(, unless $refused:expr)?
            $(, with $changed:ident = $value:expr)?;
    )*) => {
        $(
            /// # Safety
            /// As libc's.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
                static NEXT: $crate::intercept::Next = $crate::intercept::Next::new(
                    // SAFETY: the name has no zero byte but its last.
                    unsafe {
                        std::ffi::CStr::from_bytes_with_nul_unchecked(
                            concat!(stringify!($name), "\0").as_bytes(),
                        )
                    },
                );
                const NAME: &std::ffi::CStr =
                    // SAFETY: as above.
                    unsafe {
                        std::ffi::CStr::from_bytes_with_nul_unchecked(
                            concat!(stringify!($name), "\0").as_bytes(),
                        )
                    };
                $(
                    if $refused {
                        return $missing;
                    }
                )?
                #[allow(clippy::redundant_closure_call)]
                ($note)(NAME);
                $(let $changed = $value;)?
                let Some(next) = NEXT.get() else {
                    return $missing;
                };
                // SAFETY: libc's function has this type; the arguments are the caller's.
                unsafe {
                    let next: unsafe extern "C" fn($($type),*) -> $result =
                        std::mem::transmute(next);
                    next($($argument),*)
                }
            }
        )*
    };
}
pub(crate) use intercept;

#[cfg(test)]
mod tests {
    #[test]
    fn the_functions_defined_here_are_those_that_are_listed() {
        assert_eq!(
            atropos_intercept::compare_with_symbols(|call| call.forked),
            Ok(())
        );
    }
}
