//! Dependencies that the user's own cargo has compiled already: laid into our target directory as cargo would have left
//! them there, so that cargo finds them fresh.
//!
//! Cargo decides what is fresh. Whatever is missing, half there or not what our build needs is compiled again, nothing
//! more. So there is nothing here that could make a build wrong, and whatever goes wrong is only logged.
//!
//! No file of the user's may change through what is done here. Libraries are linked, because rustc never writes into an
//! old library: it renames a new one over it. All else is copied: cargo writes into its own files, build scripts into
//! theirs, and some linkers into what they linked before.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, Permissions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use cargo_metadata::Metadata;
use serde::{Deserialize, Serialize};

use super::cargo_config;
use crate::arguments::BuildOptions;
use crate::interrupt::Interrupt;
use crate::log;

const FINGERPRINTS: &str = ".fingerprint";
/// The file whose lock cargo holds while it builds into a directory.
const LOCK: &str = ".cargo-lock";
/// The start of the names of what is half made.
const MAKING: &str = ".making-";
/// How often we look whether the user's cargo is done, and how long we wait in between.
const LOOKS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(50);

/// Where the user's own cargo builds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UserBuild {
    /// Where it keeps what lies between sources and programs.
    directory: PathBuf,
    workspace_root: PathBuf,
    /// The packages of the workspace, which we compile ourselves.
    members: BTreeSet<String>,
}

/// How dependencies are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Dependencies {
    /// By the profile that the user named for this run, as everything.
    AsAsked,
    /// As the user's cargo compiles them by default, so that what it has compiled can be used.
    AsUsers,
    /// As it is cheapest, because the user has compiled none.
    Lean,
}

/// The directory that cargo has for the profile that tests are built with.
fn profile_directory(options: &BuildOptions) -> &str {
    match options.profile.as_deref() {
        None | Some("dev" | "test") => "debug",
        Some("release" | "bench") => "release",
        Some(other) => other,
    }
}

impl UserBuild {
    pub fn of(metadata: &Metadata) -> UserBuild {
        let directory = metadata.build_directory.as_ref();
        let members = metadata.workspace_packages().into_iter();
        UserBuild {
            directory: directory.unwrap_or(&metadata.target_directory).into(),
            workspace_root: metadata.workspace_root.clone().into(),
            members: members.map(|package| package.name.to_string()).collect(),
        }
    }

    /// How dependencies are to be compiled into `target`. Once decided it stays so while the dependencies are the same:
    /// what is there need not be compiled again.
    pub fn decide(&self, options: &BuildOptions, host: &str, target: &Path) -> Dependencies {
        if options.profile.is_some() {
            return Dependencies::AsAsked;
        }
        let memo = target.join("dependencies");
        let lock = fs::read(self.workspace_root.join("Cargo.lock")).unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        lock.hash(&mut hasher);
        let lock = hasher.finish();
        let line = |name: &str| format!("{name} {lock:016x}");
        let (as_users, lean) = (line("as users"), line("lean"));
        let known = fs::read_to_string(&memo).unwrap_or_default();
        let decided = match known {
            known if known == as_users => return Dependencies::AsUsers,
            known if known == lean => return Dependencies::Lean,
            _ => self.has_libraries(options, host),
        };
        let (decided, line) = match decided {
            true => (Dependencies::AsUsers, as_users),
            false => (Dependencies::Lean, lean),
        };
        // If it can't be kept, it is decided anew next time.
        let _ = fs::create_dir_all(target).and_then(|()| fs::write(memo, line));
        decided
    }

    /// Whether the user's cargo has compiled any library that is not of the workspace.
    fn has_libraries(&self, options: &BuildOptions, host: &str) -> bool {
        let mut places = self.places(options, host).into_iter();
        places.any(|place| {
            let directory = self.directory.join(place);
            let libraries = Libraries::in_directory(&directory.join("deps"));
            let is_library = |name: &String| {
                Unit::parse(name).is_some_and(|unit| {
                    !self.members.contains(unit.package) && libraries.are_there(unit.hash)
                })
            };
            units_in(&directory).iter().any(is_library)
        })
    }

    /// Where cargo builds below its directory, without a named target and with this machine's.
    fn places(&self, options: &BuildOptions, host: &str) -> [PathBuf; 2] {
        ["", host].map(|place| Path::new(place).join(profile_directory(options)))
    }

    /// Lays what the user's cargo has compiled into `target`, unless it is there already.
    pub fn bring(&self, options: &BuildOptions, host: &str, target: &Path, interrupt: &Interrupt) {
        let locked = locked_versions(&self.workspace_root);
        for place in self.places(options, host) {
            let transfer = Transfer {
                from: self.directory.join(&place),
                to: target.join(&place),
                members: &self.members,
                locked: &locked,
            };
            match transfer.run(interrupt) {
                Ok(0) => {}
                Ok(count) => log::line(&format!(
                    "dependencies: {count} units of {} are used as they are",
                    transfer.from.display()
                )),
                Err(error) => log::line(&format!(
                    "dependencies: {} can't be used: {error}",
                    transfer.from.display()
                )),
            }
        }
    }
}

/// Whether the user asks for link-time optimisation, which has to be turned off then: the runtime that programs are linked
/// with can't take part in it. (For cargo, a library whose profile turns it off is another one than where nobody names it.)
pub fn names_lto(workspace_root: &Path, options: &BuildOptions) -> bool {
    let is_ours = |profile: &str| match &options.profile {
        // It may inherit from any other.
        Some(_) => true,
        None => ["dev", "test"].contains(&profile),
    };
    let is_named = |text: String| {
        let Ok(file) = text.parse::<toml::Table>() else {
            return false;
        };
        let profiles = file.get("profile").and_then(toml::Value::as_table);
        let mut profiles = profiles.into_iter().flatten();
        profiles.any(|(name, profile)| is_ours(name) && profile.get("lto").is_some())
    };
    let manifest = fs::read_to_string(workspace_root.join("Cargo.toml"));
    let mut arguments = options.cargo_arg.iter();
    manifest.is_ok_and(is_named)
        || arguments.any(|argument| argument.contains("lto"))
        || cargo_config::texts(workspace_root).any(is_named)
        || std::env::vars_os().any(|(name, _)| {
            let name = name.to_string_lossy();
            name.starts_with("CARGO_PROFILE_") && name.ends_with("_LTO")
        })
}

/// The versions of each package in `Cargo.lock`.
fn locked_versions(workspace_root: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(workspace_root.join("Cargo.lock")).unwrap_or_default();
    let lock: toml::Table = text.parse().unwrap_or_default();
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages.into_iter().flatten() {
        let field = |name: &str| package.get(name)?.as_str().map(str::to_owned);
        if let (Some(name), Some(version)) = (field("name"), field("version")) {
            versions.entry(name).or_default().insert(version);
        }
    }
    versions
}

/// The names of the units that cargo knows of in a directory.
fn units_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory.join(FINGERPRINTS));
    let names = entries.into_iter().flatten().flatten();
    names
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}

/// A unit of cargo's by its name: `serde-c56e807801b168f1`.
struct Unit<'a> {
    name: &'a str,
    package: &'a str,
    hash: &'a str,
}

impl<'a> Unit<'a> {
    fn parse(name: &'a str) -> Option<Unit<'a>> {
        let (package, hash) = name.rsplit_once('-')?;
        let is_hash = hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then_some(Unit {
            name,
            package,
            hash,
        })
    }
}

/// The libraries of a directory, by the hash in their names.
struct Libraries {
    files: BTreeMap<String, Vec<PathBuf>>,
}

impl Libraries {
    fn in_directory(directory: &Path) -> Libraries {
        let mut files: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_library = ["rlib", "rmeta", "so"].map(OsStr::new);
            let hash = path
                .extension()
                .filter(|end| is_library.contains(end))
                .and_then(|_| path.file_stem()?.to_str()?.rsplit_once('-'))
                .map(|(_, hash)| hash.to_owned());
            if let Some(hash) = hash {
                files.entry(hash).or_default().push(path);
            }
        }
        Libraries { files }
    }

    fn of(&self, hash: &str) -> &[PathBuf] {
        self.files.get(hash).map_or(&[], Vec::as_slice)
    }

    /// Whether more is there than what `cargo check` leaves.
    fn are_there(&self, hash: &str) -> bool {
        let mut files = self.of(hash).iter();
        files.any(|path| path.extension().is_none_or(|end| end != "rmeta"))
    }
}

/// What one directory has, on its way to another.
struct Transfer<'a> {
    from: PathBuf,
    to: PathBuf,
    members: &'a BTreeSet<String>,
    locked: &'a BTreeMap<String, BTreeSet<String>>,
}

impl Transfer<'_> {
    /// Gives the number of units that were brought.
    fn run(&self, interrupt: &Interrupt) -> io::Result<usize> {
        let names = units_in(&self.from);
        let wanted: Vec<Unit<'_>> = names
            .iter()
            .filter_map(|name| Unit::parse(name))
            .filter(|unit| !self.members.contains(unit.package) && self.is_newer(unit))
            .filter(|unit| self.is_locked(unit))
            .collect();
        if wanted.is_empty() {
            return Ok(0);
        }
        // Without the lock the user's cargo may be writing what we read.
        let Some(_lock) = lock_shared(&self.from.join(LOCK), interrupt)? else {
            return Ok(0);
        };
        for place in ["deps", "build", FINGERPRINTS] {
            fs::create_dir_all(self.to.join(place))?;
        }
        let libraries = Libraries::in_directory(&self.from.join("deps"));
        let mut brought = 0;
        for unit in wanted {
            brought += usize::from(self.bring(&unit, &libraries)?);
        }
        Ok(brought)
    }

    /// The fingerprint, by which cargo takes the rest for there, comes last.
    fn bring(&self, unit: &Unit<'_>, libraries: &Libraries) -> io::Result<bool> {
        let script = self.from.join("build").join(unit.name);
        let has_script = script.is_dir();
        // What is only checked is of no use to us.
        if !has_script && !libraries.are_there(unit.hash) {
            return Ok(false);
        }
        let deps = self.to.join("deps");
        for library in libraries.of(unit.hash) {
            let name = library.file_name().expect("it was listed");
            match library.extension() == Some(OsStr::new("so")) {
                true => copy_file(library, &deps.join(name))?,
                false => link_file(library, &deps.join(name))?,
            }
        }
        if has_script {
            replace_directory(&script, &self.to.join("build").join(unit.name))?;
        }
        let [from, to] = [&self.from, &self.to].map(|root| root.join(FINGERPRINTS).join(unit.name));
        replace_directory(&from, &to)?;
        Ok(true)
    }

    /// Whether the user's cargo made the unit after ours did, or ours never did.
    fn is_newer(&self, unit: &Unit<'_>) -> bool {
        let newest = |root: &Path| {
            let entries = fs::read_dir(root.join(FINGERPRINTS).join(unit.name)).ok()?;
            let times = entries
                .flatten()
                .filter_map(|entry| entry.metadata().ok()?.modified().ok());
            times.max()
        };
        newest(&self.from) > newest(&self.to)
    }

    /// Whether the workspace still uses this version of the package, as far as cargo wrote it down.
    fn is_locked(&self, unit: &Unit<'_>) -> bool {
        let Some(versions) = self.locked.get(unit.package) else {
            return self.locked.is_empty();
        };
        let entries = fs::read_dir(self.from.join(FINGERPRINTS).join(unit.name));
        let files = entries.into_iter().flatten().flatten();
        let mut jsons = files
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "json"));
        jsons.all(|path| version_in(&path).is_none_or(|version| versions.contains(&version)))
    }
}

/// The version of a package from a registry that a fingerprint is of.
fn version_in(fingerprint: &Path) -> Option<String> {
    let bytes = fs::read(fingerprint).ok()?;
    let fingerprint: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
    let local = fingerprint.get("local")?.as_array()?.first()?;
    let text = local.get("Precalculated")?.as_str()?;
    let is_version = text.starts_with(|c: char| c.is_ascii_digit())
        && text.split('.').count() >= 3
        && !text.contains(' ');
    is_version.then(|| text.to_owned())
}

/// Keeps the user's cargo from building into a directory until dropped; none if it goes on building for long.
fn lock_shared(path: &Path, interrupt: &Interrupt) -> io::Result<Option<File>> {
    let file = File::open(path)?;
    for _ in 0..LOOKS {
        match file.try_lock_shared() {
            Ok(()) => return Ok(Some(file)),
            Err(fs::TryLockError::Error(error)) => return Err(error),
            Err(fs::TryLockError::WouldBlock) if interrupt.is_requested() => return Ok(None),
            Err(fs::TryLockError::WouldBlock) => thread::sleep(PAUSE),
        }
    }
    log::line("dependencies: the user's cargo is building, so they are compiled here");
    Ok(None)
}

/// Where something is made before it gets its name.
fn in_the_making(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{MAKING}{name}"))
}

fn link_file(from: &Path, to: &Path) -> io::Result<()> {
    let making = in_the_making(to);
    let _ = fs::remove_file(&making);
    match fs::hard_link(from, &making) {
        Ok(()) => {
            // Renaming one name of a file to another of the same file does nothing.
            let _ = fs::remove_file(to);
            fs::rename(making, to)
        }
        // Another file system, or another user's file.
        Err(_) => copy_file(from, to),
    }
}

/// A copy of its own, with the same times and permissions.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let making = in_the_making(to);
    let _ = fs::remove_file(&making);
    fs::copy(from, &making)?;
    let metadata = fs::metadata(from)?;
    // Ours are ours to write, also where the user's tree is read-only.
    let mode = metadata.permissions().mode() | 0o200;
    fs::set_permissions(&making, Permissions::from_mode(mode))?;
    set_time(&making, metadata.modified()?)?;
    fs::rename(making, to)
}

fn set_time(path: &Path, time: SystemTime) -> io::Result<()> {
    let file = match path.is_dir() {
        true => File::open(path)?,
        false => File::options().write(true).open(path)?,
    };
    file.set_times(FileTimes::new().set_modified(time))
}

/// A copy of a directory, in the place of whatever is there.
fn replace_directory(from: &Path, to: &Path) -> io::Result<()> {
    let making = in_the_making(to);
    if making.exists() {
        fs::remove_dir_all(&making)?;
    }
    copy_directory(from, &making)?;
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    fs::rename(making, to)
}

fn copy_directory(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_directory(&from, &to)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&from)?, &to)?;
        } else {
            copy_file(&from, &to)?;
        }
    }
    set_time(to, fs::metadata(from)?.modified()?)
}
