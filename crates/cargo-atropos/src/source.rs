//! From a workspace to the mutants of its packages: every source file that belongs to a module
//! tree is read once and searched for mutants. Nothing is selected or numbered here.

use std::collections::HashMap;
use std::fs;

use anyhow::Result;
use atropos_mutants::{
    ChildModule, ConstCalls, Edition, FileMutants, FindOptions, OperatorSelection,
};
use atropos_report::stable_hash::StableHash;
use atropos_weave::find_points;
use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};
use cargo_metadata::{Package, Target, TargetKind};

use crate::arguments::TreeOptions;
use crate::module_files::{ModuleFile, simplified};
use crate::packages::Workspace;
use crate::plan::{PlannedFile, PlannedPackage, PlannedTarget, TargetRole};

/// The texts of source files, by their paths from the workspace's root.
pub type SourceTexts = HashMap<String, String>;

/// All files of the selected packages with all their mutants, not numbered yet.
#[derive(Debug)]
pub struct Discovery {
    pub workspace_root: Utf8PathBuf,
    pub target_directory: Utf8PathBuf,
    pub packages: Vec<PlannedPackage>,
    /// Proc macros or build scripts of the workspace depend on one of them.
    pub are_used_at_build_time: bool,
    pub texts: SourceTexts,
    /// Files that were passed over, each with the reason as a sentence.
    pub warnings: Vec<String>,
    /// Targets that are never mutated, in words: "the build script of `bank`".
    pub left_alone: Vec<String>,
}

/// Reads the selected packages and finds the mutants that the selected operators make.
pub fn discover(
    workspace: &Workspace,
    options: &TreeOptions,
    operators: &OperatorSelection,
) -> Result<Discovery> {
    let mutated = workspace.select(options)?;
    let tested = workspace.tested(options)?;
    let is_among = |packages: &[&Package], package: &Package| {
        packages.iter().any(|other| other.id == package.id)
    };
    let only_tested = tested.iter().filter(|package| !is_among(&mutated, package));
    let packages: Vec<&Package> = mutated.iter().chain(only_tested).copied().collect();
    let mut discovery = Discovery {
        workspace_root: workspace.root(),
        target_directory: workspace.target_directory(),
        packages: Vec::new(),
        are_used_at_build_time: workspace.are_used_at_build_time(&packages),
        texts: SourceTexts::new(),
        warnings: Vec::new(),
        left_alone: Vec::new(),
    };
    for package in packages {
        let mut planned = discovery.read_package(package, operators);
        planned.is_tested = is_among(&tested, package);
        if !is_among(&mutated, package) {
            planned.forget_mutants();
        }
        discovery.packages.push(planned);
    }
    discovery.keep_needed_const();
    Ok(discovery)
}

impl Discovery {
    /// Leaves those `const fn`s alone whose names are called in constants, also in examples of the documentation.
    fn keep_needed_const(&mut self) {
        let files = || self.packages.iter().flat_map(|package| &package.files);
        if files().all(|file| file.mutants.const_functions.is_empty()) {
            return;
        }
        let mut calls = ConstCalls::default();
        for file in files() {
            calls.add(&file.mutants.const_calls);
        }
        for package in &self.packages {
            for text in texts_beside(&package.manifest_dir) {
                calls.add_text(&text);
            }
        }
        let needed = calls.names();
        for file in self
            .packages
            .iter_mut()
            .flat_map(|package| &mut package.files)
        {
            file.mutants
                .keep_const(|function| needed.contains(&function.name));
        }
    }

    fn read_package(&mut self, package: &Package, operators: &OperatorSelection) -> PlannedPackage {
        let manifest_dir = package
            .manifest_path
            .parent()
            .expect("a manifest is a file in a directory")
            .to_owned();
        let mut targets = Vec::new();
        for target in &package.targets {
            match role(target) {
                Ok(role) => targets.push(planned_target(target, role)),
                Err(what) => self
                    .left_alone
                    .push(format!("the {what} of `{}`", package.name)),
            }
        }
        let mut found = Vec::new();
        for (index, target) in targets.iter().enumerate() {
            self.walk(&mut found, index, target, operators);
        }
        let mut files: Vec<PlannedFile> = found
            .into_iter()
            .map(|file| {
                let text = &self.texts[file.path.as_str()];
                file.planned(text)
            })
            .collect();
        files.sort_by(|left, right| left.path.cmp(&right.path));
        PlannedPackage {
            name: package.name.to_string(),
            version: package.version.to_string(),
            package_id: package.id.repr.clone(),
            is_tested: true,
            root: relative(&manifest_dir, &self.workspace_root),
            manifest_dir,
            targets,
            files,
        }
    }

    /// Reads the module tree of one target.
    fn walk(
        &mut self,
        found: &mut Vec<FoundFile>,
        index: usize,
        target: &PlannedTarget,
        operators: &OperatorSelection,
    ) {
        let root_file = simplified(&target.root_file);
        let options = FindOptions {
            selection: operators.clone(),
            test_only: false,
            no_std: fs::read_to_string(&root_file).is_ok_and(|text| is_no_std(&text)),
            edition: target.edition,
        };
        let mut ahead = vec![ModulePath {
            file: ModuleFile::crate_root(root_file),
            target: index,
            cfg: Vec::new(),
            is_test_code: !target.role.is_mutated(),
            parents: Vec::new(),
        }];
        while let Some(module_path) = ahead.pop() {
            let Some(file) = self.meet(found, &module_path, &options) else {
                continue;
            };
            if !file.add(&module_path) {
                continue;
            }
            let modules = file.mutants.modules.iter();
            let on: Vec<ModulePath> = modules
                .filter_map(|module| self.enter(&module_path, module))
                .collect();
            // The stack hands them out in the order of the text.
            ahead.extend(on.into_iter().rev());
        }
    }

    /// The file at the end of a module path, read unless it is known already.
    fn meet<'f>(
        &mut self,
        found: &'f mut Vec<FoundFile>,
        module_path: &ModulePath,
        options: &FindOptions,
    ) -> Option<&'f mut FoundFile> {
        let path = relative(&module_path.file.path, &self.workspace_root);
        let options = FindOptions {
            test_only: module_path.is_test_code,
            ..options.clone()
        };
        let known = found.iter().position(|file| file.path == path);
        let index = match known {
            // Test code has no mutants; if the file is code as well, it must be read again.
            Some(known) if found[known].is_test_code() && !module_path.is_test_code => {
                found[known].mutants = self.read(&module_path.file.path, &path, &options)?;
                known
            }
            Some(known) => known,
            None => {
                let mutants = self.read(&module_path.file.path, &path, &options)?;
                found.push(FoundFile {
                    path,
                    mutants,
                    paths: Vec::new(),
                });
                found.len() - 1
            }
        };
        found.get_mut(index)
    }

    /// The module path on into a module that lies in a file of its own.
    fn enter(&mut self, module_path: &ModulePath, module: &ChildModule) -> Option<ModulePath> {
        match module_path.file.child(module, |path| path.is_file()) {
            Ok(file) => (!module_path.leads_through(&file)).then(|| module_path.on(file, module)),
            // A module under a cfg may have no file here, and rustc does not mind.
            Err(_) if !module.cfg.is_empty() || !module_path.cfg.is_empty() => None,
            Err(sought) => {
                let sought: Vec<String> = sought
                    .iter()
                    .map(|path| format!("`{}`", relative(path, &self.workspace_root)))
                    .collect();
                self.warn(format!(
                    "module `{}` of {} is left out: there is no {}",
                    module.path.join("::"),
                    relative(&module_path.file.path, &self.workspace_root),
                    sought.join(" or ")
                ));
                None
            }
        }
    }

    fn read(
        &mut self,
        file: &Utf8Path,
        path: &Utf8Path,
        options: &FindOptions,
    ) -> Option<FileMutants> {
        let found = fs::read_to_string(file)
            .map_err(|error| format!("{path} is left out: it can't be read ({error})"))
            .and_then(|text| match find_points(&text, options) {
                Ok(mutants) => Ok((text, mutants)),
                Err(error) => Err(format!(
                    "{path}:{}:{} is not valid Rust, so the file is left out: {}",
                    error.line, error.column, error.message
                )),
            });
        match found {
            Ok((text, mutants)) => {
                self.texts.insert(path.to_string(), text);
                Some(mutants)
            }
            Err(warning) => {
                self.warn(warning);
                None
            }
        }
    }

    fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}

/// A path through module declarations to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ModulePath {
    file: ModuleFile,
    /// Index of the target at whose root it starts.
    target: usize,
    /// The predicates on its declarations.
    cfg: Vec<String>,
    is_test_code: bool,
    /// The files that it leads through, the root first.
    parents: Vec<Utf8PathBuf>,
}

impl ModulePath {
    fn on(&self, file: ModuleFile, module: &ChildModule) -> ModulePath {
        let mut parents = self.parents.clone();
        parents.push(self.file.path.clone());
        ModulePath {
            file,
            target: self.target,
            cfg: [&self.cfg[..], &module.cfg[..]].concat(),
            is_test_code: self.is_test_code || module.test_only,
            parents,
        }
    }

    /// Whether entering `file` would go round in a circle, which rustc refuses.
    fn leads_through(&self, file: &ModuleFile) -> bool {
        self.file.path == file.path || self.parents.contains(&file.path)
    }
}

/// A file and all module paths to it.
struct FoundFile {
    path: Utf8PathBuf,
    mutants: FileMutants,
    paths: Vec<ModulePath>,
}

impl FoundFile {
    fn is_test_code(&self) -> bool {
        self.paths
            .iter()
            .all(|module_path| module_path.is_test_code)
    }

    /// Notes a module path. Says whether it tells anything new, also to the file's submodules.
    fn add(&mut self, module_path: &ModulePath) -> bool {
        let known = self.paths.iter().any(|other| {
            other.target == module_path.target
                && other.cfg == module_path.cfg
                && other.is_test_code == module_path.is_test_code
        });
        if !known {
            self.paths.push(module_path.clone());
        }
        !known
    }

    /// A file that both code and tests use is code, under the conditions of the code alone.
    fn planned(self, text: &str) -> PlannedFile {
        let steps_only = self.is_test_code();
        let alternatives = self
            .paths
            .iter()
            .filter(|module_path| module_path.is_test_code == steps_only)
            .map(|module_path| module_path.cfg.clone())
            .collect();
        let mut targets: Vec<usize> = self
            .paths
            .iter()
            .map(|module_path| module_path.target)
            .collect();
        targets.dedup();
        let roots = self
            .paths
            .iter()
            .filter(|module_path| module_path.parents.is_empty());
        PlannedFile {
            path: self.path,
            targets,
            crate_root_of: roots.map(|module_path| module_path.target).collect(),
            cfg: any_of(alternatives),
            steps_only,
            text_hash: StableHash::default().text(text).finish(),
            first_function: 0,
            mutants: self.mutants,
        }
    }
}

/// The texts beside a manifest that documentation may include.
fn texts_beside(directory: &Utf8Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let texts = paths.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    texts
        .filter_map(|path| fs::read_to_string(path).ok())
        .collect()
}

/// The predicates that hold together when all of at least one alternative hold.
fn any_of(mut alternatives: Vec<Vec<String>>) -> Vec<String> {
    alternatives.dedup();
    if alternatives.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    if alternatives.len() == 1 {
        return alternatives.remove(0);
    }
    let each: Vec<String> = alternatives
        .iter()
        .map(|cfg| format!("all({})", cfg.join(", ")))
        .collect();
    vec![format!("any({})", each.join(", "))]
}

/// Whether the crate with this root may be built without std, under whatever condition.
fn is_no_std(root_text: &str) -> bool {
    let is_attribute = |line: &&str| line.trim_start().starts_with("#![");
    let mut attributes = root_text.lines().filter(is_attribute);
    attributes.any(|line| line.contains("no_std"))
}

/// What a target is for, or the words for what is left alone.
fn role(target: &Target) -> Result<TargetRole, &'static str> {
    let of_kind = |kind: &TargetKind| match kind {
        TargetKind::Bin => Ok(TargetRole::Bin),
        TargetKind::Test => Ok(TargetRole::Test),
        TargetKind::Bench => Ok(TargetRole::Bench),
        TargetKind::Example => Ok(TargetRole::Example),
        TargetKind::CustomBuild => Err("build script"),
        TargetKind::ProcMacro => Err("proc macro"),
        _ => Ok(TargetRole::Lib),
    };
    target.kind.first().map_or(Ok(TargetRole::Lib), of_kind)
}

fn planned_target(target: &Target, role: TargetRole) -> PlannedTarget {
    PlannedTarget {
        name: target.name.clone(),
        role,
        edition: match target.edition {
            cargo_metadata::Edition::E2015 => Edition::Rust2015,
            cargo_metadata::Edition::E2018 => Edition::Rust2018,
            cargo_metadata::Edition::E2021 => Edition::Rust2021,
            _ => Edition::Rust2024,
        },
        root_file: target.src_path.clone(),
        test: target.test,
        doctest: target.doctest,
        required_features: target.required_features.clone(),
    }
}

/// `path` as seen from `base`, both absolute, with `..` where it lies elsewhere.
fn relative(path: &Utf8Path, base: &Utf8Path) -> Utf8PathBuf {
    let path: Vec<&str> = path.components().map(|part| part.as_str()).collect();
    let base: Vec<&str> = base.components().map(|part| part.as_str()).collect();
    let shared = path
        .iter()
        .zip(&base)
        .take_while(|(left, right)| left == right)
        .count();
    let up = base[shared..].iter().map(|_| "..");
    let parts: Vec<&str> = up.chain(path[shared..].iter().copied()).collect();
    Utf8PathBuf::from(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_the_workspace_root() {
        for (path, base, expected) in [
            ("/w/src/lib.rs", "/w", "src/lib.rs"),
            ("/w", "/w", ""),
            ("/other/a.rs", "/w", "../other/a.rs"),
            ("/w/a.rs", "/w/b/c", "../../a.rs"),
        ] {
            let found = relative(Utf8Path::new(path), Utf8Path::new(base));
            assert_eq!(found, expected, "{path}");
        }
    }

    #[test]
    fn a_file_is_there_if_one_of_the_ways_to_it_is_open() {
        let check = |alternatives: &[&[&str]], expected: &[&str]| {
            let alternatives = alternatives
                .iter()
                .map(|cfg| cfg.iter().map(|&predicate| predicate.to_owned()).collect())
                .collect();
            assert_eq!(any_of(alternatives), expected);
        };
        check(
            &[&["unix", "feature = \"a\""]],
            &["unix", "feature = \"a\""],
        );
        check(&[&["unix"], &[]], &[]);
        check(&[&["unix"], &["unix"]], &["unix"]);
        check(
            &[&["unix", "x"], &["windows"]],
            &["any(all(unix, x), all(windows))"],
        );
    }

    #[test]
    fn a_crate_that_may_lack_std_is_recognised() {
        assert!(is_no_std("//! Doc.\n#![no_std]\n"));
        assert!(is_no_std("#![cfg_attr(not(feature = \"std\"), no_std)]"));
        assert!(!is_no_std("//! Not no_std.\n#![allow(unused)]\n"));
    }
}
