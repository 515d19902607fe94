//! What a run depends on besides the source tree: this program, the toolchain, how cargo was called, what build scripts and
//! dependencies outside the tree gave, and the environment of the tests.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use atropos_protocol::path_set::Paths;

use super::build_uses::{BuildUses, entries};
use super::content_hash::ContentHash;
use super::outside_code::{self, LearnedByCode};
use super::tree::Tree;
use crate::build::Build;
use crate::build::test_binary::Invocation;
use crate::environment;
use crate::prepare::Prepared;

/// Variables that cargo, rustc and C compilers go by, by their beginnings.
const OF_BUILDS: &[&str] = &[
    "RUSTFLAGS",
    "RUSTDOCFLAGS",
    "RUSTC",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_",
    "CARGO_PROFILE_",
    "CARGO_TARGET_",
    "CC",
    "CXX",
    "CFLAGS",
    "LDFLAGS",
    "PKG_CONFIG",
];
/// Variables that the C library and the loader ask for without a call that we see, by their beginnings.
const OF_LIBC: &[&str] = &["TZ", "LANG", "LC_", "LD_", "MALLOC_", "GLIBC_", "RUST_"];

/// What must be the same for kept verdicts to hold, besides the tree.
#[derive(Default)]
pub struct Surroundings {
    /// Names all that is the same for all tests.
    pub world: ContentHash,
    /// What the code of dependencies may learn.
    pub learned_by_dependencies: LearnedByCode,
    /// The environment of the tests of each target.
    environments: BTreeMap<String, BTreeMap<String, String>>,
}

impl Surroundings {
    /// Gives as well what the build may have read of the tree.
    pub fn of(prepared: &Prepared, build: &Build) -> io::Result<(Surroundings, BuildUses)> {
        let made = made(&build.cargo.target_directory, prepared)?;
        let (mut learned, mut uses) = (made.learned, made.uses);
        let texts = prepared.texts.values();
        let by_own = texts.map(|text| LearnedByCode::of(text.as_bytes()));
        let by_own = by_own.fold(LearnedByCode::default(), LearnedByCode::or);
        uses.add_code(by_own);
        learned.kernel |= by_own.kernel;
        let asks_for_processor = learned.processor || by_own.processor;
        let processor = asks_for_processor.then(outside_code::processor);
        let world = ContentHash::default()
            .add(this_program()?)
            .add(prepared.options.verdict_key())
            .add(&build.toolchain.description)
            .add(prepared.options.build.cargo_arguments().join("\n"))
            .add(&build.cargo.planned)
            .add(build.cargo.packages.join("\n"))
            .add(variables_of_builds())
            .add(configuration(&prepared.workspace_root).to_string())
            .add(prepared.workspace_root.as_os_str().as_encoded_bytes())
            .add(processor.unwrap_or_default())
            .add(made.hash.to_string());
        let mut environments = BTreeMap::new();
        for binary in &build.binaries {
            let target = format!("{} {}", binary.package, binary.target);
            environments.insert(target, binary.invocation.environment.clone());
        }
        let surroundings = Surroundings {
            world,
            learned_by_dependencies: learned,
            environments,
        };
        Ok((surroundings, uses))
    }

    /// Learns the environment of a target's tests that is known only later.
    pub fn add(&mut self, target: &str, invocation: &Invocation) {
        let environment = || invocation.environment.clone();
        self.environments
            .entry(target.to_owned())
            .or_insert_with(environment);
    }

    /// The values of variables in the environment of a target's tests; none if there is no such target in this run.
    pub fn values(&self, target: &str, variables: &Variables) -> Option<ContentHash> {
        let environment = self.environments.get(target)?;
        let asked = environment.iter().filter(|(name, _)| variables.has(name));
        let values = asked.fold(ContentHash::default(), |hash, (name, value)| {
            hash.add(name).add(value)
        });
        Some(values)
    }

    pub fn targets(&self) -> impl Iterator<Item = &String> {
        self.environments.keys()
    }
}

/// Which variables of their environment tests may have asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variables {
    /// By name. Now and then one is in it that nobody asked for.
    pub asked: Paths,
    pub all: bool,
}

impl Variables {
    pub fn has(&self, name: &str) -> bool {
        let is_of_libc = OF_LIBC.iter().any(|start| name.starts_with(start));
        self.all || is_of_libc || self.asked.contains(Path::new(name))
    }
}

/// Names this program: what other versions of it said is not believed.
pub fn this_program() -> io::Result<String> {
    let metadata = fs::metadata(std::env::current_exe()?)?;
    // A program that is still worked on has the same version for a while.
    let built = cfg!(debug_assertions).then(|| metadata.modified().ok());
    let version = env!("CARGO_PKG_VERSION");
    Ok(format!("{version} {} {built:?}", metadata.len()))
}

pub fn variables_of_builds() -> String {
    let is_of_builds = |name: &str| {
        let is_known = OF_BUILDS.iter().any(|start| name.starts_with(start));
        is_known && name != "CARGO_TARGET_DIR"
    };
    let variables: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .filter(|(name, _)| is_of_builds(name))
        .map(|(name, value)| (name, value.to_string_lossy().into_owned()))
        .collect();
    format!("{variables:?}")
}

/// Cargo's configuration files, of all directories that it looks in.
pub fn configuration(root: &Path) -> ContentHash {
    let folders = root.ancestors().map(|directory| directory.join(".cargo"));
    let home = cargo_home();
    folders
        .chain(home)
        .fold(ContentHash::default(), |hash, folder| {
            let files = ["config", "config.toml"].map(|name| fs::read(folder.join(name)));
            files.into_iter().fold(hash, |hash, file| match file {
                Ok(text) => hash.add("there").add(text),
                Err(_) => hash.add("not there"),
            })
        })
}

fn cargo_home() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))
}

/// What was made of things outside the tree.
struct Made {
    /// Of what build scripts said and wrote, of the sources of dependencies that lie elsewhere, and of the variables that rustc
    /// read.
    hash: ContentHash,
    learned: LearnedByCode,
    uses: BuildUses,
}

fn made(target_directory: &Path, prepared: &Prepared) -> io::Result<Made> {
    let mut tree = Tree::default();
    let mut uses = BuildUses::default();
    let mut variables = BTreeSet::new();
    let mut known = HashMap::new();
    let mut learned = LearnedByCode::default();
    let profiles = profiles(target_directory);
    uses.add_build_scripts(prepared, &profiles);
    for profile in &profiles {
        for entry in entries(&profile.join("build")) {
            let output = entry.join("output");
            if output.is_file() {
                tree.add(output);
                tree.walk(&entry.join("out"));
            }
        }
        for path in entries(&profile.join("deps")) {
            if path.extension() == Some(OsStr::new("d")) {
                let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
                let of_crate = read_dep_info(&text, prepared, &mut tree, &mut variables);
                let by_crate = learned_by(&of_crate.fixed, &mut known);
                uses.add_code(by_crate);
                learned = learned.or(by_crate);
                of_crate.own.iter().for_each(|path| uses.add_file(path));
                let shadows = of_crate.shadows.iter();
                shadows.for_each(|path| uses.add_shadow(path));
            }
        }
    }
    let by_others = learned_by(tree.files.keys(), &mut known);
    uses.add_code(by_others);
    learned = learned.or(by_others);
    let files = tree.files.iter();
    let hash = files.fold(ContentHash::default(), |hash, (path, content)| {
        hash.add(path.as_os_str().as_encoded_bytes())
            .add(content.to_string())
    });
    Ok(Made {
        hash: variables.iter().fold(hash, |hash, line| hash.add(line)),
        learned,
        uses,
    })
}

/// What files of code may learn, all together. Each is read once.
fn learned_by<'p>(
    paths: impl IntoIterator<Item = &'p PathBuf>,
    known: &mut HashMap<PathBuf, LearnedByCode>,
) -> LearnedByCode {
    paths
        .into_iter()
        .fold(LearnedByCode::default(), |learned, path| {
            let by_file = known.entry(path.clone()).or_insert_with(|| {
                let mut by_file = LearnedByCode::of(&fs::read(path).unwrap_or_default());
                // It declares all calls of the C library, and makes none.
                by_file.asks_unseen &= !is_of_libc(path);
                by_file
            });
            learned.or(*by_file)
        })
}

fn is_of_libc(path: &Path) -> bool {
    let is_libc = |part: &OsStr| {
        let version = part.as_encoded_bytes().strip_prefix(b"libc-");
        version.is_some_and(|version| version.first().is_some_and(u8::is_ascii_digit))
    };
    is_fixed(path) && path.iter().any(is_libc)
}

/// The directories of profiles, of the host and of named targets.
pub fn profiles(target_directory: &Path) -> Vec<PathBuf> {
    let first = entries(target_directory);
    let second: Vec<PathBuf> = first
        .iter()
        .flat_map(|directory| entries(directory))
        .collect();
    let all = first.into_iter().chain(second);
    let mut profiles: Vec<PathBuf> = all.filter(|path| path.join("deps").is_dir()).collect();
    profiles.sort();
    profiles
}

/// Whether a file belongs to a package of a registry or a commit, whose name says what it holds.
pub fn is_fixed(path: &Path) -> bool {
    let home = cargo_home().unwrap_or_default();
    path.starts_with(home.join("registry")) || path.starts_with(home.join("git"))
}

/// The files that a crate was made of.
#[derive(Default)]
pub struct CrateFiles {
    /// Of registries.
    fixed: Vec<PathBuf>,
    /// Of the source tree.
    own: Vec<PathBuf>,
    /// Ours, which stand for files of the source tree.
    shadows: Vec<PathBuf>,
}

/// Adds the files that a crate was made of and that are none of [`CrateFiles`], and the variables that it read.
pub fn read_dep_info(
    text: &str,
    prepared: &Prepared,
    tree: &mut Tree,
    variables: &mut BTreeSet<String>,
) -> CrateFiles {
    let root = &prepared.workspace_root;
    let output = &prepared.output_directory;
    let mut files = CrateFiles::default();
    for line in text.lines() {
        if let Some(variable) = line.strip_prefix("# env-dep:") {
            let name = variable.split('=').next().unwrap_or_default();
            if !environment::is_ours(name) {
                variables.insert(variable.to_owned());
            }
        } else if let Some(name) = line.strip_suffix(':') {
            let path = root.join(name.replace("\\ ", " "));
            if path.starts_with(output) {
                files.shadows.push(path);
            } else if is_walked(root, &path) {
                files.own.push(path);
            } else if is_fixed(&path) {
                files.fixed.push(path);
            } else {
                tree.add(path);
            }
        }
    }
    files
}

/// Whether a walk through the source tree comes to a file: those that are hidden or made are not compared as parts of it.
pub fn is_walked(root: &Path, path: &Path) -> bool {
    path.strip_prefix(root).is_ok_and(|rest| {
        let mut parts = rest.iter().map(OsStr::as_encoded_bytes);
        parts.all(|part| !part.starts_with(b".") && part != b"target")
    })
}
