//! Fences and the hint of a spinning thread.

use std::sync::atomic::{self, Ordering};

use crate::control::{control, here};

/// See `std::sync::atomic::fence`.
#[inline]
#[track_caller]
pub fn fence(order: Ordering) {
    if order == Ordering::Relaxed {
        return atomic::fence(order);
    }
    match control() {
        None => atomic::fence(order),
        Some(control) => control.atomic_fence(order, here()),
    }
}

/// See `std::sync::atomic::compiler_fence`. Code for x86 fences memory by a read-modify-write and this, because there
/// every such instruction is a fence.
#[inline]
#[track_caller]
pub fn compiler_fence(order: Ordering) {
    atomic::compiler_fence(order);
    if cfg!(target_arch = "x86_64")
        && order == Ordering::SeqCst
        && let Some(control) = control()
        && control.has_just_modified()
    {
        control.atomic_fence(order, here());
    }
}

/// What machine code may do to memory, as far as its operands tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AsmReach {
    /// It says that it leaves memory alone.
    Registers,
    /// It is given nothing, so no address either: it may be a fence (`mfence`, `lock or` of its own stack).
    Fence,
    /// It is given something, which may be the address of an atomic.
    Memory,
}

impl AsmReach {
    /// That of the code in a call of `asm!`.
    pub const fn of(call: &str) -> AsmReach {
        let text = call.as_bytes();
        let (mut at, mut reach) = (0, AsmReach::Fence);
        while at < text.len() {
            let start = at;
            if text[at] == b'"' {
                at += 1;
                while at < text.len() && text[at] != b'"' {
                    at += if text[at] == b'\\' { 2 } else { 1 };
                }
            }
            while at < text.len() && (text[at].is_ascii_alphanumeric() || text[at] == b'_') {
                at += 1;
            }
            if at == start || text[start] == b'"' {
                at += 1;
                continue;
            }
            match text.split_at(at).0.split_at(start).1 {
                b"nomem" => return AsmReach::Registers,
                b"in" | b"inout" | b"inlateout" => reach = AsmReach::Memory,
                _ => {}
            }
        }
        reach
    }
}

/// Machine code of the program's own is about to run. If it may change what other threads see, nothing is known of how:
/// so what it does is in one order with all that others do, and they see all that was done before.
#[inline]
#[track_caller]
pub fn machine_code(reach: AsmReach) {
    match (reach, control()) {
        (AsmReach::Registers, _) | (_, None) => {}
        (AsmReach::Fence, Some(control)) => control.atomic_fence(Ordering::SeqCst, here()),
        (AsmReach::Memory, Some(control)) => control.fence_of_all(here()),
    }
}

/// See `std::arch::asm`.
#[macro_export]
macro_rules! asm {
    ($($code:tt)*) => {{
        $crate::atomic::machine_code(
            const { $crate::atomic::AsmReach::of($crate::__real_std::stringify!($($code)*)) },
        );
        $crate::__real_std::arch::asm!($($code)*)
    }};
}

/// See `std::sync::atomic::spin_loop_hint`.
#[inline]
#[track_caller]
#[deprecated(since = "1.51.0", note = "use hint::spin_loop instead")]
pub fn spin_loop_hint() {
    spin_loop();
}

/// See `std::hint::spin_loop`.
#[inline]
#[track_caller]
pub fn spin_loop() {
    match control() {
        None => std::hint::spin_loop(),
        Some(control) => control.yield_now(here()),
    }
}

#[cfg(test)]
mod tests {
    use super::AsmReach;

    #[test]
    fn operands_tell_what_machine_code_may_do() {
        for (call, reach) in [
            (r#""mfence""#, AsmReach::Fence),
            (
                r#""lock or dword ptr [rsp], 0", options(nostack)"#,
                AsmReach::Fence,
            ),
            (r#""in al, {in} \" in", out(reg) old"#, AsmReach::Fence),
            (
                r#""lock bts [{0}], 0", in(reg) &self.state, out(reg_byte) old"#,
                AsmReach::Memory,
            ),
            (
                r#""xchg {0}, [{1}]", inout(reg) new, in (reg) place"#,
                AsmReach::Memory,
            ),
            (
                r#""div {0}", in(reg) by, options(pure, nomem)"#,
                AsmReach::Registers,
            ),
        ] {
            assert_eq!(AsmReach::of(call), reach, "{call}");
        }
    }
}
