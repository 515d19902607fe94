//! Which packages a run is about: asks cargo for the workspace and selects as cargo itself does.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result, anyhow, bail};
use cargo_metadata::camino::Utf8PathBuf;
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, TargetKind};
use globset::Glob;

use crate::arguments::TreeOptions;
use crate::build::{UserBuild, toolchain};
use crate::did_you_mean::nearest;

/// What cargo says of the workspace around a directory.
#[derive(Debug)]
pub struct Workspace {
    metadata: Metadata,
    /// The manifest that the directory belongs to.
    manifest: PathBuf,
}

impl Workspace {
    /// The workspace that `dir` (or the current directory) lies in.
    pub fn around(dir: Option<&Path>) -> Result<Workspace> {
        let dir = match dir {
            Some(dir) => dir.to_owned(),
            None => env::current_dir().context("the current directory can't be read")?,
        };
        let dir = fs::canonicalize(&dir)
            .with_context(|| format!("can't use the directory `{}`", dir.display()))?;
        let manifest = dir
            .ancestors()
            .map(|ancestor| ancestor.join("Cargo.toml"))
            .find(|manifest| manifest.is_file())
            .ok_or_else(|| {
                anyhow!(
                    "no Cargo.toml in `{}` or any directory above it",
                    dir.display()
                )
            })?;
        let mut command = MetadataCommand::new();
        command.manifest_path(&manifest).current_dir(&dir).no_deps();
        let metadata =
            toolchain::metadata(&command, &dir).map_err(|error| explain(error, &manifest))?;
        Ok(Workspace { metadata, manifest })
    }

    pub fn root(&self) -> Utf8PathBuf {
        self.metadata.workspace_root.clone()
    }

    /// Cargo's target directory.
    pub fn target_directory(&self) -> Utf8PathBuf {
        self.metadata.target_directory.clone()
    }

    /// Where the user's own cargo builds.
    pub fn user_build(&self) -> UserBuild {
        UserBuild::of(&self.metadata)
    }

    /// The packages to mutate, in the order of the workspace.
    pub fn select(&self, options: &TreeOptions) -> Result<Vec<&Package>> {
        let members = self.metadata.workspace_packages();
        let mut selected: Vec<&Package> = if options.workspace {
            members.clone()
        } else if options.package.is_empty() {
            self.default_packages(&members)
        } else {
            matching(&members, &options.package, "--package")?
        };
        let excluded = matching(&members, &options.exclude, "--exclude")?;
        selected.retain(|package| !excluded.iter().any(|other| other.id == package.id));
        if selected.is_empty() {
            bail!("no package is left to mutate after --exclude");
        }
        Ok(selected)
    }

    /// The packages whose tests are run: those that are mutated, unless others are named.
    pub fn tested(&self, options: &TreeOptions) -> Result<Vec<&Package>> {
        match options.test_package.is_empty() {
            true => self.select(options),
            false => {
                let members = self.metadata.workspace_packages();
                matching(&members, &options.test_package, "--test-package")
            }
        }
    }

    /// Whether a proc macro or a build script of the workspace depends on any of these packages.
    pub fn are_used_at_build_time(&self, packages: &[&Package]) -> bool {
        let members = self.metadata.workspace_packages();
        let of_kinds = |package: &Package, kinds: &[DependencyKind]| -> Vec<&Package> {
            let dependencies = package.dependencies.iter();
            let paths = dependencies
                .filter(|dependency| kinds.contains(&dependency.kind))
                .filter_map(|dependency| dependency.path.as_deref());
            let member = |path| {
                let mut members = members.iter();
                members.find(|member| member.manifest_path.parent() == Some(path))
            };
            paths.filter_map(member).copied().collect()
        };
        const BOTH: [DependencyKind; 2] = [DependencyKind::Normal, DependencyKind::Build];
        let mut waiting: Vec<&Package> = members
            .iter()
            .flat_map(|member| match has_proc_macro(member) {
                true => of_kinds(member, &BOTH),
                false => of_kinds(member, &[DependencyKind::Build]),
            })
            .collect();
        let mut used: Vec<&Package> = Vec::new();
        while let Some(package) = waiting.pop() {
            if !used.iter().any(|other| other.id == package.id) {
                used.push(package);
                waiting.extend(of_kinds(package, &BOTH));
            }
        }
        let is_used = |package: &&Package| used.iter().any(|other| other.id == package.id);
        packages.iter().any(is_used)
    }

    /// Cargo's choice without any option: in the workspace's root its default members, elsewhere
    /// the package around the directory.
    fn default_packages<'m>(&self, members: &[&'m Package]) -> Vec<&'m Package> {
        let of_manifest =
            |package: &&&Package| package.manifest_path.as_std_path() == self.manifest;
        let in_root = self.manifest.parent() == Some(self.metadata.workspace_root.as_std_path());
        match members.iter().find(of_manifest) {
            Some(package) if !in_root => vec![package],
            _ => members
                .iter()
                .filter(|package| {
                    self.metadata
                        .workspace_default_members
                        .contains(&package.id)
                })
                .copied()
                .collect(),
        }
    }
}

fn has_proc_macro(package: &Package) -> bool {
    let mut targets = package.targets.iter();
    targets.any(|target| target.kind.contains(&TargetKind::ProcMacro))
}

/// The members that at least one of the specifications means; each must mean one at least.
fn matching<'m>(
    members: &[&'m Package],
    specifications: &[String],
    option: &str,
) -> Result<Vec<&'m Package>> {
    let mut found: Vec<&Package> = Vec::new();
    for specification in specifications {
        let glob = Glob::new(specification)
            .with_context(|| format!("`{option} {specification}` is not a package name"))?
            .compile_matcher();
        let before = found.len();
        for package in members {
            let with_version = format!("{}@{}", package.name, package.version);
            if glob.is_match(package.name.as_str()) || *specification == with_version {
                found.push(package);
            }
        }
        if found.len() == before {
            let names: Vec<&str> = members
                .iter()
                .map(|package| package.name.as_str())
                .collect();
            bail!("{}", unknown_package(specification, option, &names));
        }
    }
    // In the order of the workspace, each once.
    Ok(members
        .iter()
        .filter(|member| found.iter().any(|package| package.id == member.id))
        .copied()
        .collect())
}

fn unknown_package(specification: &str, option: &str, names: &[&str]) -> String {
    let hint = match nearest(specification, names.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None if names.len() <= 12 => format!("it has {}", names.join(", ")),
        None => format!("it has {} packages", names.len()),
    };
    format!("no package of the workspace matches `{option} {specification}`; {hint}")
}

/// Cargo's own words, without its decoration.
fn explain(error: cargo_metadata::Error, manifest: &Path) -> anyhow::Error {
    match error {
        cargo_metadata::Error::CargoMetadata { stderr } => {
            let words = stderr.trim();
            anyhow!(
                "cargo can't read the workspace of `{}`: {}",
                manifest.display(),
                words.strip_prefix("error: ").unwrap_or(words)
            )
        }
        cargo_metadata::Error::Io(error) => anyhow!("cargo can't be started: {error}"),
        error => anyhow!("cargo's answer about the workspace can't be understood: {error}"),
    }
}
