//! Which processes are the test's own: those below the zygote, or below this program where there is none.

use std::sync::atomic::Ordering;

use atropos_protocol::signals::is_below;
use atropos_protocol::sys;

use crate::role;

/// Whether a signal to this process, or group if it is negative, reaches nobody but the test's own processes.
pub fn are_alone_at(target: i32) -> bool {
    let first = match target {
        // Tests have a group of their own.
        0 => return true,
        -1 => return false,
        target => target.wrapping_abs(),
    };
    let zygote = role::board().map_or(0, |board| {
        board.header().zygote.load(Ordering::Relaxed) as i32
    });
    let root = if zygote == 0 { sys::pid() } else { zygote };
    match first == root {
        true => zygote == 0,
        false => is_below(first, root).unwrap_or(target > 0),
    }
}

#[cfg(test)]
mod tests {
    use std::process::id;

    use super::*;

    #[test]
    fn a_signal_to_everybody_reaches_others() {
        let this = id() as i32;
        for (target, alone) in [
            (0, true),
            (this, true),
            (-1, false),
            (1, false),
            (sys::parent_pid(), false),
            // Nobody is there, but groups may outlive their first process.
            (i32::MAX, true),
            (-i32::MAX, false),
            (i32::MIN, false),
        ] {
            assert_eq!(are_alone_at(target), alone, "{target}");
        }
    }
}
