//! What `epoll` waits for, as event loops do it: whether only the process itself can make any of it ready.

use std::fs;
use std::path::Path;

use crate::sys;

/// Whether each descriptor in the set of this `epoll` descriptor is one that nobody but the process (its directory in
/// `/proc`) can make ready: an event counter, a timer that is not set, or one end of a pair of sockets whose other end it has,
/// too. A child could have been given any of them, so there must be none.
pub fn waits_for_its_own(process: &Path, descriptor: u64) -> bool {
    let is_own = |target: &str| is_its_own(process, target) == Some(true);
    match fs::read_to_string(process.join(format!("fdinfo/{descriptor}"))) {
        Ok(info) => has_no_children(process) == Some(true) && targets(&info).all(is_own),
        Err(_) => false,
    }
}

/// The descriptors in a set, from what the system tells of it.
fn targets(info: &str) -> impl Iterator<Item = &str> {
    let lines = info.lines().filter_map(|line| line.strip_prefix("tfd:"));
    lines.filter_map(|line| line.split_ascii_whitespace().next())
}

fn has_no_children(process: &Path) -> Option<bool> {
    for thread in fs::read_dir(process.join("task")).ok()? {
        let children = fs::read_to_string(thread.ok()?.path().join("children")).ok()?;
        if !children.trim().is_empty() {
            return Some(false);
        }
    }
    Some(true)
}

fn is_its_own(process: &Path, target: &str) -> Option<bool> {
    let file = fs::read_link(process.join("fd").join(target)).ok()?;
    match file.to_str()? {
        "anon_inode:[eventfd]" => Some(true),
        "anon_inode:[timerfd]" => {
            let info = fs::read_to_string(process.join("fdinfo").join(target)).ok()?;
            Some(is_not_set(&info))
        }
        socket => {
            let other_end = sys::other_end_of_unix_socket(inode(socket)?)?;
            let mut files = fs::read_dir(process.join("fd")).ok()?;
            Some(files.any(|file| {
                let link = file.and_then(|file| fs::read_link(file.path()));
                link.is_ok_and(|link| link.to_str().and_then(inode) == Some(other_end))
            }))
        }
    }
}

fn is_not_set(timer: &str) -> bool {
    let mut lines = timer.lines();
    lines.any(|line| line.trim_end() == "it_value: (0, 0)")
}

/// Of `socket:[17]`, 17.
fn inode(link: &str) -> Option<u32> {
    link.strip_prefix("socket:[")?
        .strip_suffix(']')?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::os::unix::net::{UnixListener, UnixStream};

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
        assert_eq!(inode("socket:[17]"), Some(17));
        assert_eq!(inode("pipe:[17]"), None);
    }

    #[test]
    fn a_socket_is_its_own_only_if_it_has_the_other_end() {
        let process = Path::new("/proc/self");
        let is_its_own = |file: &dyn AsRawFd| {
            super::is_its_own(process, &file.as_raw_fd().to_string()) == Some(true)
        };
        let (one, other) = UnixStream::pair().unwrap();
        assert!(is_its_own(&one) && is_its_own(&other));
        drop(other);
        assert!(!is_its_own(&one));
        let directory = std::env::temp_dir().join(format!("atropos-{}", std::process::id()));
        let listener = UnixListener::bind(&directory).unwrap();
        let client = UnixStream::connect(&directory).unwrap();
        assert!(!is_its_own(&listener));
        // Nobody has accepted it: the other end is no file of ours.
        assert!(!is_its_own(&client));
        fs::remove_file(directory).unwrap();
        assert!(!is_its_own(&std::io::stdin()));
    }
}
