//! Where a path leads that another process names: its links are followed as they are for that process.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

/// No more links are followed; the kernel follows as many.
const MOST_LINKS: usize = 40;

/// What is done with a link at the very end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastComponent {
    Followed,
    Kept,
}

/// An absolute path with its links followed, as far as it exists; `process` is the one that names it.
pub fn resolve(process: i32, path: &Path, last: LastComponent) -> PathBuf {
    let mut open: VecDeque<OsString> = names(path).collect();
    let mut at = PathBuf::from("/");
    let mut links = 0;
    while let Some(name) = open.pop_front() {
        if name == ".." {
            at.pop();
            continue;
        }
        let here = at.join(&name);
        // What the process calls its own is not ours.
        if let Some(own) = own_of(process, &here) {
            at = own;
            continue;
        }
        if links == MOST_LINKS || (open.is_empty() && last == LastComponent::Kept) {
            at = here;
            continue;
        }
        match fs::read_link(&here) {
            Err(_) => at = here,
            // What is open has a name there that need not be a path: then nobody comes to anything else by it.
            Ok(target) if is_of_a_process(&here) => {
                let leads_on = target.is_absolute() && fs::symlink_metadata(&target).is_ok();
                at = if leads_on { target } else { here };
            }
            Ok(target) => {
                links += 1;
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                for name in names(&target).collect::<Vec<_>>().into_iter().rev() {
                    open.push_front(name);
                }
            }
        }
    }
    at
}

fn names(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    })
}

/// The directory that `/proc/self` and `/proc/thread-self` are for a process or thread.
fn own_of(process: i32, path: &Path) -> Option<PathBuf> {
    let names = ["/proc/self", "/proc/thread-self"];
    let is_own = names.into_iter().any(|name| path == Path::new(name));
    is_own.then(|| PathBuf::from(format!("/proc/{process}")))
}

/// Whether a path is below the directory in which the kernel describes a process.
fn is_of_a_process(path: &Path) -> bool {
    process_described_at(path).is_some()
}

/// The process that a path below `/proc` is about.
pub fn process_described_at(path: &Path) -> Option<i32> {
    let mut parts = path.components().skip(1);
    if parts.next() != Some(Component::Normal(OsStr::new("proc"))) {
        return None;
    }
    let number = parts.next()?.as_os_str().as_bytes();
    std::str::from_utf8(number).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsRawFd as _;
    use std::os::unix::fs::symlink;

    use atropos_protocol::sys;

    use super::*;

    #[test]
    fn links_are_followed_also_to_where_nothing_is() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        symlink("elsewhere", root.join("link")).unwrap();
        fs::create_dir(root.join("inner")).unwrap();
        symlink("../link", root.join("inner/second")).unwrap();
        symlink("round", root.join("round")).unwrap();
        let followed = |name: &str| resolve(sys::pid(), &root.join(name), LastComponent::Followed);
        assert_eq!(followed("link"), root.join("elsewhere"));
        assert_eq!(followed("new/file"), root.join("new/file"));
        assert_eq!(followed("inner/second"), root.join("elsewhere"));
        assert_eq!(followed("inner/../link"), root.join("elsewhere"));
        assert_eq!(followed("round"), root.join("round"));
        let kept = resolve(sys::pid(), &root.join("inner/second"), LastComponent::Kept);
        assert_eq!(kept, root.join("inner/second"));
    }

    #[test]
    fn existing_paths_are_resolved_as_the_system_does() {
        for path in ["/bin/sh", "/usr/bin/../lib", "/etc/mtab", "/dev/core", "/"] {
            let path = Path::new(path);
            if let Ok(expected) = path.canonicalize()
                && !expected.starts_with("/proc")
            {
                assert_eq!(resolve(sys::pid(), path, LastComponent::Followed), expected);
            }
        }
    }

    #[test]
    fn a_processs_own_descriptors_are_its_own() {
        let mut child = std::process::Command::new("sleep")
            .arg("100")
            .stdin(File::open("/dev/zero").unwrap())
            .spawn()
            .unwrap();
        let id = child.id() as i32;
        for path in ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"] {
            let found = resolve(id, Path::new(path), LastComponent::Followed);
            assert_eq!(found, Path::new("/dev/zero"), "{path}");
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let (reader, _writer) = std::io::pipe().unwrap();
        let pipe = format!("/proc/self/fd/{}", reader.as_raw_fd());
        let found = resolve(sys::pid(), Path::new(&pipe), LastComponent::Followed);
        assert_eq!(process_described_at(&found), Some(sys::pid()));
    }
}
