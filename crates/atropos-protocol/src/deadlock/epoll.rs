//! What `epoll` waits for, as event loops do it: whether only the process itself can make any of it ready.

use std::fs;
use std::path::Path;

use super::sockets::{self, Sockets};

/// Whether each descriptor in the set of this `epoll` descriptor is one that nobody but the process (its directory in
/// `/proc`), which has no children, can make ready: an event counter, a timer that is not set, or a socket or pipe whose other end
/// it has, too.
pub fn waits_for_its_own(process: &Path, descriptor: u64) -> bool {
    let Ok(info) = fs::read_to_string(process.join(format!("fdinfo/{descriptor}"))) else {
        return false;
    };
    let sockets = Sockets::of(process);
    let is_own = |target: &str| is_its_own(process, &sockets, target) == Some(true);
    targets(&info).all(is_own) && !is_served_by_the_kernel(process)
}

/// Whether the kernel works for the process (`io_uring`), and may then count up any event counter.
fn is_served_by_the_kernel(process: &Path) -> bool {
    let files = fs::read_dir(process.join("fd"))
        .into_iter()
        .flatten()
        .flatten();
    let mut links = files.filter_map(|file| fs::read_link(file.path()).ok());
    links.any(|link| link.as_os_str() == "anon_inode:[io_uring]")
}

/// Whether nobody but the calling thread can make any of these descriptors of its process ready; an `epoll` descriptor stands for
/// its whole set. The caller knows that no other process was told of the ports on which it listens.
pub fn are_its_own(descriptors: &[i32]) -> bool {
    let process = Path::new("/proc/self");
    if super::is_alone(process) != Some(true) {
        return false;
    }
    let sockets = Sockets::of(process);
    let is_own = |descriptor: &i32| {
        let target = descriptor.to_string();
        match fs::read_link(process.join("fd").join(&target)) {
            Ok(link) if link.as_os_str() == "anon_inode:[eventpoll]" => {
                waits_for_its_own(process, *descriptor as u64)
            }
            _ => is_its_own(process, &sockets, &target) == Some(true),
        }
    };
    descriptors.iter().all(is_own) && !is_served_by_the_kernel(process)
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
        pipe if pipe.starts_with("pipe:") => has_both_ends(process, pipe, target),
        socket => Some(sockets.is_closed_circle(sockets::inode(socket)?)),
    }
}

/// Whether the process has another end of this pipe than the descriptor is.
fn has_both_ends(process: &Path, pipe: &str, target: &str) -> Option<bool> {
    let is_for_writing = |descriptor: &str| {
        let info = fs::read_to_string(process.join("fdinfo").join(descriptor)).ok()?;
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"))?;
        Some(u32::from_str_radix(flags.trim(), 8).ok()? & 1 == 1)
    };
    let this = is_for_writing(target)?;
    let files = fs::read_dir(process.join("fd")).ok()?.flatten();
    let mut same =
        files.filter(|file| fs::read_link(file.path()).is_ok_and(|link| link.as_os_str() == pipe));
    Some(same.any(|file| {
        let other = file.file_name().to_str().and_then(is_for_writing);
        other == Some(!this)
    }))
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
