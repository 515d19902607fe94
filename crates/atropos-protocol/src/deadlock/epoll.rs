//! What `epoll` waits for, as event loops do it: whether only the process itself can make any of it ready.

use std::fs;
use std::path::Path;

use super::sockets::{self, Sockets};

/// Whether each descriptor in the set of this `epoll` descriptor is one that nobody but the process (its directory in
/// `/proc`), which has no children, can make ready: an event counter, a timer that is not set, or a socket whose other end it
/// has, too.
pub fn waits_for_its_own(process: &Path, descriptor: u64) -> bool {
    let Ok(info) = fs::read_to_string(process.join(format!("fdinfo/{descriptor}"))) else {
        return false;
    };
    let sockets = Sockets::of(process);
    let is_own = |target: &str| is_its_own(process, &sockets, target) == Some(true);
    targets(&info).all(is_own)
}

/// The descriptors in a set, from what the system tells of it.
fn targets(info: &str) -> impl Iterator<Item = &str> {
    let lines = info.lines().filter_map(|line| line.strip_prefix("tfd:"));
    lines.filter_map(|line| line.split_ascii_whitespace().next())
}

fn is_its_own(process: &Path, sockets: &Sockets, target: &str) -> Option<bool> {
    let file = fs::read_link(process.join("fd").join(target)).ok()?;
    match file.to_str()? {
        "anon_inode:[eventfd]" => Some(true),
        "anon_inode:[timerfd]" => {
            let info = fs::read_to_string(process.join("fdinfo").join(target)).ok()?;
            Some(is_not_set(&info))
        }
        socket => Some(sockets.is_closed_circle(sockets::inode(socket)?)),
    }
}

fn is_not_set(timer: &str) -> bool {
    let mut lines = timer.lines();
    lines.any(|line| line.trim_end() == "it_value: (0, 0)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_tells_is_understood() {
        let info = "pos:\t0\nflags:\t02000002\nmnt_id:\t17\nino:\t1039\n\
            tfd:        6 events:       19 data:                6  pos:0 ino:40f sdev:10\n\
            tfd:       13 events: 8000001d data:                3  pos:0 ino:28 sdev:9\n";
        assert_eq!(targets(info).collect::<Vec<_>>(), ["6", "13"]);
        let timer = |value| format!("clockid: 1\nticks: 0\nit_value: {value}\nit_interval: (0, 0)");
        assert!(is_not_set(&timer("(0, 0)")));
        assert!(!is_not_set(&timer("(0, 49406829)")));
        assert!(!is_not_set("pos:\t0\n"));
    }
}
