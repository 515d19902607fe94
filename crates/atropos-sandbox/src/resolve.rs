//! Where a path leads that another process names: its links are followed as they are for that process.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use atropos_protocol::sys;

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
    let is_the_end = || last == LastComponent::Kept || fs::read_link(path).is_err();
    if is_straight(path) && own_of(process, path).is_none() && is_the_end() {
        return path.components().collect();
    }
    resolve_step_by_step(process, path, last)
}

/// Whether a path goes to an existing directory without any link, and from there on by one name: the kernel tells that in one
/// call, and most paths are such.
fn is_straight(path: &Path) -> bool {
    /// The kernel's: no links, and none of those that stand for open files.
    const NO_SYMLINKS: u64 = 0x04;
    const NO_MAGIC_LINKS: u64 = 0x02;
    const OPENAT2: usize = 437;
    const O_PATH: i32 = 0o10_000_000;
    if names(path).any(|name| name == "..") || !path.is_absolute() {
        return false;
    }
    let Some(directory) = path.parent().and_then(sys::c_path) else {
        return false;
    };
    let flags = (O_PATH | sys::O_DIRECTORY | sys::O_CLOEXEC) as u64;
    // The flags, the mode, and how paths are resolved.
    let how = [flags, 0, NO_SYMLINKS | NO_MAGIC_LINKS];
    let (name, how_at) = (directory.as_ptr() as usize, how.as_ptr() as usize);
    let arguments = [
        sys::AT_FDCWD as usize,
        name,
        how_at,
        size_of_val(&how),
        0,
        0,
    ];
    // SAFETY: a C string, and a structure of that size.
    match unsafe { sys::call(OPENAT2, arguments) } {
        Ok(descriptor) => {
            sys::close(descriptor as i32);
            true
        }
        Err(_) => false,
    }
}

/// As [`resolve`], one name after another: slow, and right for every path.
fn resolve_step_by_step(process: i32, path: &Path, last: LastComponent) -> PathBuf {
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
    fn one_call_tells_what_each_step_tells() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("one/two")).unwrap();
        fs::write(root.join("one/file"), "").unwrap();
        symlink("one", root.join("link")).unwrap();
        symlink("file", root.join("one/inner")).unwrap();
        symlink("nothing", root.join("one/dangling")).unwrap();
        let parts = [
            "one", "two", "link", "file", "inner", "dangling", "..", "new",
        ];
        let mut paths = [
            "/",
            "/proc/self/fd/0",
            "/proc/self",
            "/proc/thread-self",
            "/x/y",
            "/dev/fd/0",
        ]
        .map(PathBuf::from)
        .to_vec();
        for first in parts {
            for second in parts {
                for third in parts {
                    paths.push(root.join(first).join(second).join(third));
                }
                paths.push(root.join(first).join(second));
            }
            paths.push(root.join(first));
        }
        for path in paths {
            for last in [LastComponent::Followed, LastComponent::Kept] {
                let expected = resolve_step_by_step(sys::pid(), &path, last);
                assert_eq!(
                    resolve(sys::pid(), &path, last),
                    expected,
                    "{path:?} {last:?}"
                );
            }
        }
        assert!(is_straight(&root.join("one/two/new")) && !is_straight(&root.join("link/two")));
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
