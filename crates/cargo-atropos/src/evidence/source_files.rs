//! The files of a source tree, as far as builds or tests depend on them.
//!
//! Functions' bodies are left out of planned files: they are compared one by one ([`super::code`]). A file that no build reads
//! counts only for runs whose tests have read it, looked at it, or listed a directory that it lies in.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use atropos_protocol::path_set::Paths;

use super::build_uses::BuildUses;
use super::content_hash::ContentHash;
use super::tree::Tree;
use crate::plan::Plan;
use crate::source::SourceTexts;

/// The files of a tree at one moment.
#[derive(Default)]
pub struct SourceFiles {
    root: PathBuf,
    /// Those that a build may read, planned ones without what is cut out of them.
    of_builds: Vec<(PathBuf, ContentHash)>,
    others: Vec<(PathBuf, ContentHash)>,
    /// All code, with nothing cut out.
    code: Vec<(PathBuf, ContentHash)>,
    own_output: BTreeSet<PathBuf>,
}

impl SourceFiles {
    /// Reads the tree as it is now. Planned files are taken as they were when their mutants were found; `without_cut` gives the
    /// hash of such a file.
    pub fn read(
        plan: &Plan,
        texts: &SourceTexts,
        (output, uses): (&Path, &BuildUses),
        without_cut: impl Fn(&str, &str) -> ContentHash,
    ) -> SourceFiles {
        let root = plan.workspace_root.as_std_path();
        let mut tree = walked(plan, output);
        let mut code: BTreeMap<PathBuf, ContentHash> = tree.files.clone();
        code.retain(|path, _| path.extension().is_some_and(|extension| extension == "rs"));
        for file in plan.packages.iter().flat_map(|package| &package.files) {
            let (path, text) = (root.join(&file.path), &texts[file.path.as_str()]);
            let hash = without_cut(file.path.as_str(), text);
            tree.files.insert(path.clone(), hash);
            code.insert(path, ContentHash::default().add(text));
        }
        let planned: BTreeSet<PathBuf> = planned(plan).collect();
        let (of_builds, others) = tree.files.into_iter().partition(|(path, _)| {
            tree.has_linked_directories || planned.contains(path) || uses.may_read(path, root)
        });
        SourceFiles {
            root: root.to_owned(),
            of_builds,
            others,
            code: code.into_iter().collect(),
            own_output: tree.own_output,
        }
    }

    /// The hash of what a run depends on whose tests have used some paths.
    pub fn outside(&self, used: &Paths) -> ContentHash {
        let read = self
            .others
            .iter()
            .filter(|(path, _)| self.is_in(used, path));
        self.hash(self.of_builds.iter().chain(read))
    }

    /// The hash of all code that was read, with the bodies of functions.
    pub fn code(&self, used: &Paths) -> ContentHash {
        let read = self.code.iter().filter(|(path, _)| self.is_in(used, path));
        self.hash(read)
    }

    /// The files that neither a build nor a test has read.
    pub fn unread(&self, used: &Paths) -> BTreeSet<PathBuf> {
        let others = self.others.iter().map(|(path, _)| path);
        let unread = others.filter(|path| !self.is_in(used, path));
        unread.chain(&self.own_output).cloned().collect()
    }

    /// Whether a file was used, or a directory that it lies in.
    fn is_in(&self, used: &Paths, path: &Path) -> bool {
        let mut places = path
            .ancestors()
            .take_while(|place| place.starts_with(&self.root));
        places.any(|place| used.contains(place))
    }

    fn hash<'f>(&self, files: impl Iterator<Item = &'f (PathBuf, ContentHash)>) -> ContentHash {
        files.fold(ContentHash::default(), |hash, (path, content)| {
            let name = path.strip_prefix(&self.root).unwrap_or(path);
            hash.add(name.as_os_str().as_encoded_bytes())
                .add(content.to_string())
        })
    }
}

/// Adds the words of all code in the tree: they may be names of files that it reads.
pub fn add_words(plan: &Plan, texts: &SourceTexts, output: &Path, uses: &mut BuildUses) {
    for text in texts.values() {
        uses.add_words(text.as_bytes());
    }
    let planned: BTreeSet<PathBuf> = planned(plan).collect();
    for path in walked(plan, output).files.keys() {
        let is_code = path.extension().is_some_and(|extension| extension == "rs");
        if is_code && !planned.contains(path) {
            uses.add_words(&fs::read(path).unwrap_or_default());
        }
    }
}

/// The files below the workspace and its packages.
pub fn walked(plan: &Plan, output: &Path) -> Tree {
    let mut tree = Tree {
        built: vec![plan.target_directory.clone().into(), output.to_owned()],
        ..Tree::default()
    };
    tree.walk(plan.workspace_root.as_std_path());
    for package in &plan.packages {
        tree.walk(package.manifest_dir.as_std_path());
    }
    tree
}

fn planned(plan: &Plan) -> impl Iterator<Item = PathBuf> {
    let files = plan.packages.iter().flat_map(|package| &package.files);
    files.map(|file| plan.workspace_root.join(&file.path).into())
}
