//! The plan of a run: which files of which packages hold which mutants, all numbered.
//!
//! Made once by the command that the user starts ([`Plan::make`]); the packages in it are handed on
//! to the compiler wrapper. It holds only what is selected: a point may have lost mutants to a
//! filter, and a point without mutants is gone. Files stay, also those without a mutant, because
//! their step counters are woven too.

use std::collections::HashMap;

use atropos_mutants::mutant::{FileMutants, MutantId, Span};
use atropos_mutants::{Edition, FunctionBody};
use atropos_report::lines::Lines;
use atropos_report::mutant::MutantInfo;
use atropos_report::stable_hash::StableHash;
use atropos_values::{NumberedPoint, Numbering, SecondOrderMutant};
use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::source::{Discovery, SourceTexts};

/// What one run is to weave and test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Absolute; all `path`s and `root`s are relative to it.
    pub workspace_root: Utf8PathBuf,
    /// Cargo's own target directory for the workspace (absolute).
    pub target_directory: Utf8PathBuf,
    pub packages: Vec<PlannedPackage>,
    /// Proc macros or build scripts of the workspace depend on a package of the plan. They need it as it is.
    pub are_used_at_build_time: bool,
    /// The mutants to test; mutant `id` stands at index `id - 1`.
    pub mutants: Vec<MutantInfo>,
    /// Mutants that an earlier run has caught and that this one skips on request. They are numbered
    /// after `mutants` and are in no file.
    pub skipped: Vec<MutantInfo>,
    /// Mutants that are two others at once; they are among `mutants`, but in no file.
    #[serde(default)]
    pub pairs: Vec<SecondOrderMutant>,
}

impl Plan {
    /// The numbers of all mutants, and at which points they are.
    pub fn numbering(&self) -> Numbering {
        let files = self.packages.iter().flat_map(|package| &package.files);
        let points = files.flat_map(|file| &file.mutants.points);
        let points = points.filter_map(|point| {
            let first = point.mutants.first()?.id;
            let size = u16::try_from(point.mutants.len()).unwrap_or(u16::MAX);
            Some(NumberedPoint::new(first, size))
        });
        Numbering {
            mutants: number(self.mutants.len()).0 - 1,
            points: points.collect(),
            functions: self.functions(),
        }
    }

    /// How many functions say when they are entered.
    pub fn functions(&self) -> u32 {
        let files = self.packages.iter().flat_map(|package| &package.files);
        files.map(|file| file.functions().count() as u32).sum()
    }

    /// Leaves the files, whose step counters are woven, but no mutants.
    pub fn forget_mutants(&mut self) {
        self.mutants.clear();
        self.skipped.clear();
        for package in &mut self.packages {
            package.forget_mutants();
        }
    }
}

/// A package that is mutated, or tested, or both. One that is only tested has no points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedPackage {
    pub name: String,
    pub version: String,
    /// Cargo's own identifier, as its JSON messages give it.
    pub package_id: String,
    /// Whether its tests are run.
    pub is_tested: bool,
    /// Absolute.
    pub manifest_dir: Utf8PathBuf,
    /// Relative to the workspace's root; empty for the package in the root.
    pub root: Utf8PathBuf,
    pub targets: Vec<PlannedTarget>,
    pub files: Vec<PlannedFile>,
}

impl PlannedPackage {
    /// Leaves the files, whose step counters are woven.
    pub fn forget_mutants(&mut self) {
        for file in &mut self.files {
            file.mutants.keep_const(|_| true);
            file.mutants.points.clear();
        }
    }
}

/// A crate of a package that is woven. Build scripts and proc macros are not among them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedTarget {
    pub name: String,
    pub role: TargetRole,
    pub edition: Edition,
    /// The crate's root file, absolute, as cargo gives it to rustc.
    pub root_file: Utf8PathBuf,
    /// Whether `cargo test` builds it as a test (or, for examples, builds and runs it as one).
    pub test: bool,
    pub doctest: bool,
    pub required_features: Vec<String>,
}

/// What cargo uses a target for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetRole {
    Lib,
    Bin,
    Test,
    Bench,
    Example,
}

impl TargetRole {
    /// Whether its code is what the tests are there for, and so is mutated.
    pub fn is_mutated(self) -> bool {
        matches!(self, TargetRole::Lib | TargetRole::Bin)
    }
}

/// A source file of a package; each is there once, however many targets it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedFile {
    /// Relative to the workspace's root.
    pub path: Utf8PathBuf,
    pub mutants: FileMutants,
    /// The targets whose module trees it belongs to, as indices into the package's `targets`.
    pub targets: Vec<usize>,
    /// The targets among them whose crate root it is.
    pub crate_root_of: Vec<usize>,
    /// The cfg predicates on the module declarations that lead to it, outermost first; all must
    /// hold. Where several ways lead to it, one `any(…)` of them.
    pub cfg: Vec<String>,
    /// Test code: it gets step counters but never mutants.
    pub steps_only: bool,
    /// A hash of the text that the mutants' positions belong to.
    pub text_hash: u64,
    /// The number of its first function, counted through the whole plan.
    #[serde(default)]
    pub first_function: u32,
}

impl PlannedFile {
    /// The bodies of its functions that say when they are entered, in the order of the text.
    pub fn functions(&self) -> impl Iterator<Item = FunctionBody> + '_ {
        let steps = self.mutants.steps.iter();
        steps.filter_map(|step| step.function)
    }
}

/// What becomes of a mutant when a run is planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is tested.
    Take,
    /// It is named in the report, but not tested.
    Skip,
    /// It is not part of this run.
    Leave,
}

/// A mutant before it is decided on.
#[derive(Debug)]
pub struct Candidate<'p> {
    /// Complete but for the number.
    pub info: MutantInfo,
    pub package_root: &'p Utf8Path,
    /// The lines that it changes.
    pub first_line: u32,
    pub last_line: u32,
}

impl Plan {
    /// Decides on every mutant and numbers those that are taken: from 1, in the order in which
    /// they stand in the files, so that those of a point follow each other.
    pub fn make(
        discovery: Discovery,
        texts: &SourceTexts,
        mut decide: impl FnMut(&Candidate) -> Decision,
    ) -> Plan {
        let mut plan = Plan {
            workspace_root: discovery.workspace_root,
            target_directory: discovery.target_directory,
            packages: discovery.packages,
            are_used_at_build_time: discovery.are_used_at_build_time,
            mutants: Vec::new(),
            skipped: Vec::new(),
            pairs: Vec::new(),
        };
        let mut functions = 0;
        for package in &mut plan.packages {
            let mut keys = KeyMaker::default();
            for file in &mut package.files {
                file.first_function = functions;
                functions += file.functions().count() as u32;
                let text = &texts[file.path.as_str()];
                let lines = Lines::of(text);
                for point in &mut file.mutants.points {
                    point.mutants.retain_mut(|mutant| {
                        let span = without_margin(mutant.span, text);
                        let mut info = MutantInfo {
                            id: MutantId(0),
                            key: String::new(),
                            package: package.name.clone(),
                            file: file.path.to_string(),
                            line: mutant.line,
                            column: mutant.column,
                            span,
                            function: point.function.clone(),
                            operator: mutant.operator,
                            original: span.text(text).to_owned(),
                            replacement: mutant.replacement.clone(),
                            summary: mutant.summary.clone(),
                            needs_exploration: mutant.needs_exploration,
                        };
                        info.key = keys.of(&info, lines.line(info.line).unwrap_or_default());
                        let candidate = Candidate {
                            info,
                            package_root: &package.root,
                            first_line: lines.position(span.start).0,
                            last_line: lines.position(span.end).0,
                        };
                        let decision = decide(&candidate);
                        let mut info = candidate.info;
                        match decision {
                            Decision::Take => {
                                mutant.id = number(plan.mutants.len());
                                info.id = mutant.id;
                                plan.mutants.push(info);
                            }
                            Decision::Skip => plan.skipped.push(info),
                            Decision::Leave => {}
                        }
                        decision == Decision::Take
                    });
                }
                file.mutants
                    .points
                    .retain(|point| !point.mutants.is_empty());
            }
        }
        for (index, info) in plan.skipped.iter_mut().enumerate() {
            info.id = number(plan.mutants.len() + index);
        }
        plan
    }
}

/// The span without white space at its ends: a function's body is shown from its first statement,
/// not from the brace.
fn without_margin(span: Span, text: &str) -> Span {
    let original = span.text(text);
    let trimmed = original.trim();
    if trimmed.is_empty() {
        return Span::new(span.start, span.start);
    }
    let start = span.start + (original.len() - original.trim_start().len());
    Span::new(start, start + trimmed.len())
}

fn number(already: usize) -> MutantId {
    MutantId(u32::try_from(already + 1).expect("a run has fewer than 2^32 mutants"))
}

/// Gives mutants their keys. Mutants that nothing else tells apart get different ones in the order
/// of the text.
#[derive(Default)]
struct KeyMaker {
    given: HashMap<u64, u64>,
}

impl KeyMaker {
    fn of(&mut self, info: &MutantInfo, source_line: &str) -> String {
        let hash = StableHash::default()
            .text(&info.package)
            .text(&info.file)
            .text(&info.function)
            .text(info.operator.code())
            .text(&info.original)
            .text(&info.replacement)
            .text(source_line.trim());
        let times = self.given.entry(hash.finish()).or_default();
        *times += 1;
        format!("{:016x}", hash.number(*times).finish())
    }
}

#[cfg(test)]
mod tests {
    use atropos_mutants::{FindOptions, find_mutants};

    use super::*;

    const TEXT: &str = "pub fn f(a: i32, b: i32) -> i32 {\n    a + b * a\n}\n\npub fn g(a: i32) -> i32 { a + a }\n";

    fn discovery() -> Discovery {
        let mutants = find_mutants(TEXT, &FindOptions::default()).expect("valid Rust");
        let file = PlannedFile {
            path: "src/lib.rs".into(),
            mutants,
            targets: vec![0],
            crate_root_of: vec![0],
            cfg: Vec::new(),
            steps_only: false,
            text_hash: 0,
            first_function: 0,
        };
        let package = PlannedPackage {
            name: "p".into(),
            version: "1.0.0".into(),
            package_id: "p".into(),
            is_tested: true,
            manifest_dir: "/w".into(),
            root: "".into(),
            targets: Vec::new(),
            files: vec![file],
        };
        Discovery {
            workspace_root: "/w".into(),
            target_directory: "/w/target".into(),
            packages: vec![package],
            are_used_at_build_time: false,
            texts: SourceTexts::from([("src/lib.rs".to_owned(), TEXT.to_owned())]),
            warnings: Vec::new(),
            left_alone: Vec::new(),
        }
    }

    fn make(decide: impl FnMut(&Candidate) -> Decision) -> Plan {
        let discovery = discovery();
        let texts = discovery.texts.clone();
        Plan::make(discovery, &texts, decide)
    }

    /// The numbers as they stand in the files.
    fn ids(plan: &Plan) -> Vec<Vec<u32>> {
        let points = &plan.packages[0].files[0].mutants.points;
        let of_point = |point: &atropos_mutants::Point| {
            point.mutants.iter().map(|mutant| mutant.id.0).collect()
        };
        points.iter().map(of_point).collect()
    }

    #[test]
    fn mutants_are_numbered_from_one_and_follow_each_other_within_points() {
        let plan = make(|_| Decision::Take);
        let numbered: Vec<u32> = ids(&plan).concat();
        let expected: Vec<u32> = (1..=u32::try_from(plan.mutants.len()).unwrap()).collect();
        assert!(expected.len() > 5);
        assert_eq!(numbered, expected);
        for (index, info) in plan.mutants.iter().enumerate() {
            assert_eq!(info.id.0 as usize, index + 1);
            assert_eq!(info.span.text(TEXT), info.original);
            assert_eq!(info.original, info.original.trim());
        }
    }

    #[test]
    fn points_without_a_mutant_are_gone_and_the_others_are_numbered_anew() {
        let all = make(|_| Decision::Take);
        let mut turn = 0;
        let some = make(|candidate| {
            turn += 1;
            match (candidate.info.function.as_str(), turn % 2) {
                ("f", 0) => Decision::Take,
                ("f", _) => Decision::Skip,
                _ => Decision::Leave,
            }
        });
        let (taken, skipped) = (some.mutants.len(), some.skipped.len());
        assert!(taken > 1 && skipped > 1 && taken + skipped < all.mutants.len());
        assert!(ids(&some).iter().all(|point| !point.is_empty()));
        let numbers: Vec<u32> = ids(&some).concat();
        assert_eq!(numbers.len(), taken);
        assert_eq!(numbers.last().copied(), u32::try_from(taken).ok());
        let first_skipped = some.skipped[0].id.0 as usize;
        assert_eq!(first_skipped, taken + 1);
    }

    #[test]
    fn keys_are_unique_and_do_not_depend_on_the_selection() {
        let all = make(|_| Decision::Take);
        let mut keys: Vec<&str> = all.mutants.iter().map(|info| info.key.as_str()).collect();
        keys.sort_unstable();
        let before = keys.len();
        keys.dedup();
        assert_eq!(keys.len(), before);
        let only_g = make(|candidate| match candidate.info.function.as_str() {
            "g" => Decision::Take,
            _ => Decision::Leave,
        });
        assert!(
            only_g
                .mutants
                .iter()
                .all(|info| keys.contains(&info.key.as_str()))
        );
    }
}
