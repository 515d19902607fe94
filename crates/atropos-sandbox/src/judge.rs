//! What a reported call needs: which files from before the run it changes, and so on.

use std::ffi::{CString, OsStr};
use std::fs;
use std::net::IpAddr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use atropos_protocol::signals::is_below;
use atropos_protocol::sys;

use crate::calls::{
    Argument, Flags, OWNERS, PathArgument, PossibleChange, SET_OWNER_BY_STRUCTURE, SystemCall,
    WRITING,
};
use crate::neighbours::{Neighbour, Neighbours};
use crate::notification::{Notification, memory, path, word};
use crate::permissions::Needs;
use crate::resolve::{LastComponent, process_described_at, resolve};

/// Devices that anybody may write to.
pub const DEVICES: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];

/// What is known of the processes that are judged.
#[derive(Clone, Debug)]
pub struct ProcessFacts {
    /// Directories in which everything is allowed.
    pub own: Vec<PathBuf>,
    /// When the run began, in nanoseconds since 1970: what was there before is old.
    pub began: u64,
    /// The process that was started behind the filter. Those below it are the test's own.
    pub root: i32,
    /// Where new files may be made, because they are removed again.
    pub places: Vec<PathBuf>,
    pub neighbours: Neighbours,
}

impl ProcessFacts {
    /// Whether all that a call needs is to make, change or remove new files in places where that is undone.
    pub fn is_new_in_places(&self, needs: &Needs) -> bool {
        let is_in_places = |path: &PathBuf| self.places.iter().any(|place| path.starts_with(place));
        needs.only_new() && needs.new.iter().all(is_in_places)
    }
}

/// Why a call can't be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

/// One call of one process.
pub struct Judge<'a> {
    surroundings: &'a ProcessFacts,
    process: i32,
    arguments: [u64; 6],
}

impl<'a> Judge<'a> {
    pub fn new(surroundings: &'a ProcessFacts, notification: &Notification) -> Judge<'a> {
        Judge {
            surroundings,
            process: notification.pid as i32,
            arguments: notification.arguments,
        }
    }

    /// What the call needs.
    pub fn needs(&self, call: &SystemCall) -> Result<Needs, Unreadable> {
        let mut needs = Needs::default();
        match call.change {
            PossibleChange::Open(at, flags) => self.open(at, flags, &mut needs)?,
            PossibleChange::Content(at) => self.content(at, &mut needs)?,
            PossibleChange::Opened(descriptor) => {
                if let Some(path) = self.opened(self.number(descriptor)) {
                    self.change(&path, &mut needs);
                }
            }
            PossibleChange::Make(at) => {
                let path = self.named(at)?;
                path.iter().for_each(|path| self.make(path, &mut needs));
            }
            PossibleChange::Remove(at) => {
                let path = self.named(at)?;
                path.iter().for_each(|path| self.remove(path, &mut needs));
            }
            PossibleChange::Move(from, to) => {
                if let (Some(from), Some(to)) = (self.named(from)?, self.named(to)?) {
                    self.rename(from, to, &mut needs);
                }
            }
            // Who has a second path to a file can change it there.
            PossibleChange::Link(from, to) => {
                if let Some(to) = self.named(to)? {
                    self.change(&self.path(from)?, &mut needs);
                    self.make(&to, &mut needs);
                }
            }
            PossibleChange::Signal(process) => self.signal(self.number(process), &mut needs),
            PossibleChange::SignalByDescriptor(descriptor) => {
                if let Some(process) = self.process_behind(self.number(descriptor)) {
                    self.signal(process, &mut needs);
                }
            }
            PossibleChange::JoinGroup(group) => {
                needs.signals = !is_own_group(self.number(group), self.surroundings.root);
            }
            PossibleChange::Address(address, length) => {
                let bytes = self.memory(address, self.arguments[length].min(128))?;
                self.address(&bytes, &mut needs)?;
            }
            PossibleChange::Message(message) => {
                self.message(self.arguments[message], &mut needs)?
            }
            PossibleChange::Messages(first, count) => {
                const SIZE: u64 = 64;
                for index in 0..self.arguments[count].min(1024) {
                    self.message(self.arguments[first] + SIZE * index, &mut needs)?;
                }
            }
            PossibleChange::Bind(address, length) => {
                let bytes = self.memory(address, self.arguments[length].min(128))?;
                self.bind(&bytes, &mut needs)?;
            }
            PossibleChange::Owner(command, whom) => self.owner(command, whom, &mut needs)?,
            PossibleChange::Request(descriptor, request) => {
                self.request(self.number(descriptor), request, &mut needs)?;
            }
            PossibleChange::Priority(what, whom, process) => {
                needs.signals = !self.is_own_priority(what, self.number(whom), process);
            }
            PossibleChange::Family(family) => {
                needs
                    .special
                    .push(format!("family {}", self.arguments[family] as u32));
            }
            PossibleChange::Clock(modes) => {
                let modes = word(self.process, self.arguments[modes]).ok_or(Unreadable)?;
                needs
                    .special
                    .extend((modes as u32 != 0).then(|| call.name.to_owned()));
            }
            PossibleChange::MemoryFile => needs.writes_nameless = true,
            PossibleChange::Machine => needs.special.push(call.name.to_owned()),
            PossibleChange::Unwatched => needs.unwatched = true,
        }
        Ok(needs)
    }

    /// Something is asked of what is open.
    fn request(
        &self,
        descriptor: i32,
        request: Argument,
        needs: &mut Needs,
    ) -> Result<(), Unreadable> {
        const TYPING: [u32; 2] = [0x5412, 0x541c];
        let number = self.arguments[request] as u32;
        if TYPING.contains(&number) {
            needs.special.push("typing into a terminal".to_owned());
        } else if OWNERS.contains(&number) {
            let whom = word(self.process, self.arguments[request + 1]).ok_or(Unreadable)?;
            self.owned_by(whom as i32, needs);
        } else if let Some(path) = self.opened(descriptor) {
            self.change(&path, needs);
        }
        Ok(())
    }

    fn owner(
        &self,
        command: Argument,
        whom: Argument,
        needs: &mut Needs,
    ) -> Result<(), Unreadable> {
        const GROUP: u32 = 2;
        let target = match self.arguments[command] as u32 {
            SET_OWNER_BY_STRUCTURE => {
                let owner = word(self.process, self.arguments[whom]).ok_or(Unreadable)?;
                let (kind, number) = (owner as u32, (owner >> 32) as i32);
                if kind == GROUP { -number } else { number }
            }
            _ => self.number(whom),
        };
        self.owned_by(target, needs);
        Ok(())
    }

    /// The kernel sends signals to this process, or group if it is negative; 0 means to nobody.
    fn owned_by(&self, target: i32, needs: &mut Needs) {
        if target != 0 {
            self.signal(target, needs);
        }
    }

    /// Whether only the test's own processes are scheduled in another way.
    fn is_own_priority(&self, what: Argument, whom: i32, process: u32) -> bool {
        let what = self.arguments[what] as u32;
        match what == process {
            true => whom == 0 || self.is_own_process(whom),
            false => what == process + 1 && self.is_own_process(-whom),
        }
    }

    /// A socket gets an address.
    fn bind(&self, bytes: &[u8], needs: &mut Needs) -> Result<(), Unreadable> {
        if let Some(path) = bound_path(bytes) {
            let path = self.absolute(None, &path)?;
            self.make(&path, needs);
        }
        Ok(())
    }

    /// Something is sent to an address.
    fn address(&self, bytes: &[u8], needs: &mut Needs) -> Result<(), Unreadable> {
        needs.network |= is_remote(bytes);
        if let Some(neighbour) = neighbour(bytes) {
            let facts = self.surroundings;
            if (facts.neighbours).is_foreign(&neighbour, self.process, facts.root) {
                needs.special.push(neighbour.describe());
            }
        }
        // Behind a socket with a path is a program, which may do anything.
        if let Some(path) = bound_path(bytes) {
            let path = self.absolute(None, &path)?;
            let path = resolve(self.process, &path, LastComponent::Followed);
            if !self.is_free(&path) && self.is_old(&path) == Some(true) {
                let what = format!("the program behind {}", path.display());
                needs.special.push(what);
            }
        }
        Ok(())
    }

    fn message(&self, message: u64, needs: &mut Needs) -> Result<(), Unreadable> {
        let name = word(self.process, message).ok_or(Unreadable)?;
        let length = word(self.process, message + 8).ok_or(Unreadable)? as u32;
        if name != 0 {
            let bytes = memory(self.process, name, length.min(128) as usize);
            self.address(&bytes.ok_or(Unreadable)?, needs)?;
        }
        Ok(())
    }

    fn number(&self, index: usize) -> i32 {
        self.arguments[index] as i32
    }

    fn memory(&self, index: usize, length: u64) -> Result<Vec<u8>, Unreadable> {
        memory(self.process, self.arguments[index], length as usize).ok_or(Unreadable)
    }

    fn open(&self, at: PathArgument, flags: Flags, needs: &mut Needs) -> Result<(), Unreadable> {
        let flags = match flags {
            Flags::Argument(index) => self.arguments[index],
            Flags::Behind(index) => word(self.process, self.arguments[index]).ok_or(Unreadable)?,
            Flags::Create => (sys::O_CREAT | sys::O_WRONLY | sys::O_TRUNC) as u64,
        } as u32;
        if flags & WRITING == 0 {
            return Ok(());
        }
        let Some(path) = self.named(at)? else {
            return Ok(());
        };
        if flags & sys::O_TMPFILE as u32 != 0 {
            // A file without a path, in this directory.
            needs.writes_nameless = true;
            self.entry(&path.join("nameless"), needs);
            return Ok(());
        }
        // A link is followed, also one to where nothing is yet.
        let target = resolve(self.process, &path, LastComponent::Followed);
        match fs::symlink_metadata(&target) {
            Ok(_) => self.change(&target, needs),
            Err(_) if flags & sys::O_CREAT as u32 != 0 => self.make(&target, needs),
            // There is nothing to open.
            Err(_) => return Ok(()),
        }
        needs.written = Some(target);
        Ok(())
    }

    /// What is at a path changes; without a path, what is open.
    fn content(&self, at: PathArgument, needs: &mut Needs) -> Result<(), Unreadable> {
        if self.arguments[at.path] == 0 {
            let descriptor = at.directory.map(|index| self.number(index));
            if let Some(path) = descriptor.and_then(|descriptor| self.opened(descriptor)) {
                self.change(&path, needs);
            }
            return Ok(());
        }
        // Whether a link is followed is a matter of flags; both are looked at.
        let path = self.path(at)?;
        self.change(&path, needs);
        let target = resolve(self.process, &path, LastComponent::Followed);
        if target != path {
            self.change(&target, needs);
        }
        Ok(())
    }

    /// What is at a path is changed.
    fn change(&self, path: &Path, needs: &mut Needs) {
        if self.is_free(path) {
            return;
        }
        match self.is_old(path) {
            Some(true) => needs.files.push(path.to_owned()),
            Some(false) => self.new_entry(path, needs),
            None => {}
        }
    }

    /// Something is made at a path; where something is already, the call fails.
    fn make(&self, path: &Path, needs: &mut Needs) {
        if self.is_old(path).is_none() {
            needs.made += 1;
            self.entry(path, needs);
        }
    }

    /// What is at a path is removed; where nothing is, the call fails.
    fn remove(&self, path: &Path, needs: &mut Needs) {
        if let Some(is_old) = self.is_old(path) {
            needs.made -= i64::from(!is_old);
            self.entry(path, needs);
        }
    }

    /// Something is moved onto another path; if it is not there, the call fails.
    fn rename(&self, from: PathBuf, to: PathBuf, needs: &mut Needs) {
        if self.is_old(&from).is_none() {
            return;
        }
        needs.made -= i64::from(self.is_old(&to) == Some(false));
        self.entry(&from, needs);
        self.entry(&to, needs);
        needs.written = Some(to.clone());
        if !self.is_free(&from) || !self.is_free(&to) {
            needs.moves.push((from, to));
        }
    }

    /// Something is made or removed at a path.
    fn entry(&self, path: &Path, needs: &mut Needs) {
        if self.is_free(path) {
            return;
        }
        match self.is_old(path) {
            Some(true) => {
                needs.directories.extend(self.old_directory_above(path));
                needs.files.push(path.to_owned());
            }
            _ => self.new_entry(path, needs),
        }
    }

    /// Something that was not there before the run.
    fn new_entry(&self, path: &Path, needs: &mut Needs) {
        needs.directories.extend(self.old_directory_above(path));
        needs.new.push(path.to_owned());
    }

    /// Whether everything is allowed there.
    fn is_free(&self, path: &Path) -> bool {
        let own = self.surroundings.own.iter();
        let mut own = own.filter(|own| path.starts_with(own) && path != own.as_path());
        own.next().is_some() || self.is_device(path)
    }

    /// Whether what is at a path was there before the run; none if there is nothing. Who does not know says yes.
    fn is_old(&self, path: &Path) -> Option<bool> {
        let text = CString::new(path.as_os_str().as_bytes()).ok()?;
        // SAFETY: a C string.
        let found = unsafe { sys::find(sys::AT_FDCWD as i32, text.as_ptr(), false) };
        found.map(|found| found.is_older_than(self.surroundings.began))
    }

    /// The lowest directory above a path that was there before the run.
    fn old_directory_above(&self, path: &Path) -> Option<PathBuf> {
        let mut above = path.ancestors().skip(1);
        above
            .find(|directory| self.is_old(directory) == Some(true))
            .map(Path::to_owned)
    }

    /// As `path`, but none for the empty path: most calls fail there, without a look at the directory.
    fn named(&self, at: PathArgument) -> Result<Option<PathBuf>, Unreadable> {
        let given = path(self.process, self.arguments[at.path]).ok_or(Unreadable)?;
        match given.as_os_str().is_empty() {
            true => Ok(None),
            false => self.path(at).map(Some),
        }
    }

    /// The path that a call names, absolute, with all links but the last followed.
    fn path(&self, at: PathArgument) -> Result<PathBuf, Unreadable> {
        let given = path(self.process, self.arguments[at.path]).ok_or(Unreadable)?;
        let directory = at.directory.map(|index| self.number(index));
        self.absolute(directory, &given)
    }

    fn absolute(&self, directory: Option<i32>, path: &Path) -> Result<PathBuf, Unreadable> {
        let whole = match path.is_absolute() {
            true => path.to_owned(),
            false => {
                let process = self.process;
                let base = match directory {
                    None | Some(-100) => format!("/proc/{process}/cwd"),
                    Some(descriptor) => format!("/proc/{process}/fd/{descriptor}"),
                };
                fs::read_link(base).map_err(|_| Unreadable)?.join(path)
            }
        };
        // A process that has another root means something else by it.
        let root = fs::read_link(format!("/proc/{}/root", self.process));
        if root.is_ok_and(|root| root != Path::new("/")) {
            return Err(Unreadable);
        }
        Ok(resolve(self.process, &whole, LastComponent::Kept))
    }

    /// Devices that anybody may write to, and what the test's own processes say of themselves.
    fn is_device(&self, path: &Path) -> bool {
        DEVICES.iter().any(|device| path.starts_with(device))
            || process_described_at(path)
                .is_some_and(|process| is_below(process, self.surroundings.root) == Some(true))
    }

    /// The path of what is open; none if it has none.
    fn opened(&self, descriptor: i32) -> Option<PathBuf> {
        let link = format!("/proc/{}/fd/{descriptor}", self.process);
        let path = fs::read_link(link).ok()?;
        let is_there = path.is_absolute() && fs::symlink_metadata(&path).is_ok();
        is_there.then_some(path)
    }

    fn process_behind(&self, descriptor: i32) -> Option<i32> {
        let path = format!("/proc/{}/fdinfo/{descriptor}", self.process);
        let text = fs::read_to_string(path).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("Pid:"));
        line?.trim().parse().ok()
    }

    /// A signal to this process, or group if it is negative.
    fn signal(&self, target: i32, needs: &mut Needs) {
        match self.is_own(target) {
            Some(is_own) => needs.signals = !is_own,
            None => needs.signals_nobody = true,
        }
    }

    fn is_own_process(&self, target: i32) -> bool {
        self.is_own(target).unwrap_or(true)
    }

    /// Whether this process, or group if it is negative, is the test's own; none if there is no such process.
    fn is_own(&self, target: i32) -> Option<bool> {
        let root = self.surroundings.root;
        match target {
            0 => Some(is_own_group(sys::process_group(self.process), root)),
            -1 | i32::MIN => Some(false),
            // A group may outlive its first process.
            group if group < 0 => Some(is_below(-group, root).unwrap_or(false)),
            target => is_below(target, root),
        }
    }
}

/// Whether a process's group is its own, which is made for every test: a process can go to another one.
fn is_own_group(group: i32, root: i32) -> bool {
    match is_below(group, root) {
        Some(is_below) => is_below,
        // Its first process is gone.
        None => group > 0 && group != sys::process_group(0),
    }
}

const UNIX: u16 = 1;

fn family(address: &[u8]) -> Option<u16> {
    let family = address.get(..2)?;
    Some(u16::from_ne_bytes([family[0], family[1]]))
}

/// The address and port of the internet that an address is.
fn internet(address: &[u8]) -> Option<(IpAddr, u16)> {
    const INET: u16 = 2;
    const INET6: u16 = 10;
    let ip = match family(address)? {
        INET => IpAddr::from(<[u8; 4]>::try_from(address.get(4..8)?).ok()?),
        INET6 => IpAddr::from(<[u8; 16]>::try_from(address.get(8..24)?).ok()?).to_canonical(),
        _ => return None,
    };
    let port = address.get(2..4)?;
    Some((ip, u16::from_be_bytes([port[0], port[1]])))
}

fn is_on_this_machine(ip: &IpAddr) -> bool {
    ip.is_loopback() || ip.is_unspecified()
}

/// Whether an address is that of another machine.
fn is_remote(address: &[u8]) -> bool {
    internet(address).is_some_and(|(ip, _)| !is_on_this_machine(&ip))
}

/// The place on this machine that an address is, if it is no path.
fn neighbour(address: &[u8]) -> Option<Neighbour> {
    if let Some((ip, port)) = internet(address) {
        return is_on_this_machine(&ip).then_some(Neighbour::Port(port));
    }
    match (family(address)?, address.get(2..)?) {
        (UNIX, [0, name @ ..]) if !name.is_empty() => Some(Neighbour::Name(name.to_owned())),
        _ => None,
    }
}

/// The path at which a socket is bound; none for other addresses.
fn bound_path(address: &[u8]) -> Option<PathBuf> {
    let path = address.get(2..)?;
    if family(address)? != UNIX || path.first().is_none_or(|&b| b == 0) {
        return None;
    }
    let end = path
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(path.len());
    Some(PathBuf::from(OsStr::from_bytes(&path[..end])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_machines_are_told_from_this_one() {
        let v4 = |ip: [u8; 4]| {
            let mut bytes = vec![2, 0, 0, 53];
            bytes.extend(ip);
            bytes
        };
        assert!(!is_remote(&v4([127, 0, 0, 1])));
        assert!(!is_remote(&v4([0, 0, 0, 0])));
        assert!(is_remote(&v4([192, 0, 2, 1])));
        assert!(is_remote(&v4([255, 255, 255, 255])));
        let v6 = |ip: std::net::Ipv6Addr| {
            let mut bytes = vec![10, 0, 0, 53, 0, 0, 0, 0];
            bytes.extend(ip.octets());
            bytes
        };
        assert!(!is_remote(&v6("::1".parse().unwrap())));
        assert!(!is_remote(&v6("::ffff:127.0.0.1".parse().unwrap())));
        assert!(is_remote(&v6("2001:db8::1".parse().unwrap())));
        assert!(!is_remote(&[1, 0, b'/', b'x']));
        assert_eq!(bound_path(&[1, 0, b'/', b'x', 0, 7]), Some("/x".into()));
        assert_eq!(bound_path(&[1, 0, 0, b'x']), None);
        assert_eq!(neighbour(&v4([127, 0, 0, 1])), Some(Neighbour::Port(53)));
        assert_eq!(neighbour(&v4([192, 0, 2, 1])), None);
        assert_eq!(
            neighbour(&[1, 0, 0, b'x', 0]),
            Some(Neighbour::Name(b"x\0".to_vec()))
        );
        assert_eq!(neighbour(&[1, 0, b'/', b'x']), None);
    }

    fn surroundings(began: u64) -> ProcessFacts {
        ProcessFacts {
            own: vec!["/nowhere".into()],
            began,
            root: sys::pid(),
            places: Vec::new(),
            neighbours: Neighbours::default(),
        }
    }

    #[test]
    fn old_files_are_needed_one_by_one_and_new_ones_by_their_directory() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let file = root.join("file");
        fs::write(&file, "").unwrap();
        let judged = |began: u64, path: &Path| {
            let surroundings = surroundings(began);
            let judge = Judge::new(&surroundings, &Notification::default());
            let mut needs = Needs::default();
            judge.entry(path, &mut needs);
            needs
        };
        let old = judged(u64::MAX, &file);
        assert_eq!(
            (old.files, old.directories),
            (vec![file], vec![root.clone()])
        );
        let new = judged(u64::MAX, &root.join("new/file"));
        assert_eq!((new.files.len(), new.directories), (0, vec![root.clone()]));
        // Where all of the directory is new, the one above it counts.
        let above = judged(0, &root.join("x")).directories;
        assert_ne!(above, vec![root]);
    }

    #[test]
    fn only_ones_own_processes_may_be_written_to_below_proc() {
        let surroundings = surroundings(0);
        let judge = Judge::new(&surroundings, &Notification::default());
        let own = format!("/proc/{}/comm", sys::pid());
        assert!(judge.is_free(Path::new(&own)));
        for path in ["/proc/1/comm", "/proc/sysrq-trigger", "/dev/sda"] {
            assert!(!judge.is_free(Path::new(path)), "{path}");
        }
    }
}
