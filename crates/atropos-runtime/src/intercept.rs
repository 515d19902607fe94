//! Definitions of libc's names that win over libc's own in every program that links the runtime.
//!
//! Each notes an effect, if it is one, and passes the call on unchanged. Programs that go to the
//! kernel without libc are not noticed here; `sandbox` stands behind these.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use atropos_protocol::sys;

mod files;
mod network;
mod process;
mod state;

/// The definition of a name that comes after ours: libc's.
pub struct Next {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Next {
    pub const fn new(name: &'static CStr) -> Next {
        Next {
            name,
            address: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    #[inline]
    pub fn get(&self) -> Option<*mut c_void> {
        let mut address = self.address.load(Ordering::Relaxed);
        if address.is_null() {
            address = sys::next_symbol(self.name);
            self.address.store(address, Ordering::Relaxed);
        }
        (!address.is_null()).then_some(address)
    }
}

/// Defines a function of libc that is passed on after `note`ing what it does, unless it is `refused`.
macro_rules! intercept {
    ($(
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty
            , $missing:expr
            , $note:expr
            $(, unless $refused:expr)?;
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
