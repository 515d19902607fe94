//! Which processes are the test's own: those below the zygote, or below this program where there is none.

use std::fs;
use std::sync::atomic::Ordering;

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
    is_below(first, root, zygote == 0).unwrap_or(target > 0)
}

/// Whether a process was started by another, or by one of those that it started; none if there is no such process.
fn is_below(process: i32, root: i32, or_is_root: bool) -> Option<bool> {
    if process == root {
        return Some(or_is_root);
    }
    let mut parent = parent_of(process)?;
    while parent > 1 {
        if parent == root {
            return Some(true);
        }
        // It has ended in between, and its children are somebody else's.
        parent = parent_of(parent).unwrap_or(0);
    }
    Some(false)
}

/// The process that started another, or has adopted it.
pub fn parent_of(process: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The program's name, in brackets, may have anything in it.
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, id};

    use super::*;

    #[test]
    fn children_are_ones_own_and_parents_are_not() {
        let (this, parent) = (id() as i32, sys::parent_pid());
        let mut child = Command::new("sleep").arg("100").spawn().unwrap();
        let below = child.id() as i32;
        assert_eq!(parent_of(below), Some(this));
        for (process, root, expected) in [
            (below, this, Some(true)),
            (below, parent, Some(true)),
            (this, parent, Some(true)),
            (parent, this, Some(false)),
            (1, this, Some(false)),
            (i32::MAX, this, None),
        ] {
            assert_eq!(is_below(process, root, false), expected, "{process}");
        }
        assert_eq!(is_below(this, this, true), Some(true));
        child.kill().unwrap();
        child.wait().unwrap();
    }

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
