//! Which of the mutants found are tested: by file, by name, by changed lines, by shard, and without
//! those that an earlier run has caught. The filters come in this order, so that a shard holds the
//! same mutants on every machine.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result, bail};
use atropos_mutants::{Exclusion, Span};
use atropos_report::mutant::MutantInfo;
use atropos_report::outcomes::{Outcomes, ReadError};
use atropos_report::verdict::Verdict;
use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};
use globset::{Glob, GlobMatcher};
use regex::Regex;

use crate::arguments::{SelectOptions, Shard};
use crate::changed_lines::ChangedLines;
use crate::plan::{Candidate, Decision, Plan};
use crate::source::{Discovery, SourceTexts};

/// What is to be tested, and what the user should know about the choice.
#[derive(Debug)]
pub struct Selected {
    pub plan: Plan,
    pub texts: SourceTexts,
    /// Sentences.
    pub notes: Vec<String>,
    /// How many mutants there are before any filter.
    pub found: usize,
}

/// What is done with the threads of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadTreatment {
    Explored,
    AsTheyAre,
}

/// Applies the options. `output` is the directory where an earlier run has left its outcomes.
pub fn select(
    mut discovery: Discovery,
    options: &SelectOptions,
    threads: ThreadTreatment,
    output: &Path,
) -> Result<Selected> {
    let mut notes = Vec::new();
    let files = FileFilter::new(options);
    notes.extend(files.idle_globs(&discovery));
    let changed = changed_lines(&discovery, options)?;
    let caught = if options.iterate {
        caught_before(output, &mut notes)
    } else {
        HashSet::new()
    };
    let exclusions = Exclusions::of(&discovery)?;
    let found = count_mutants(&discovery);
    let mut in_shard = ShardCounter::new(options.shard);
    let texts = std::mem::take(&mut discovery.texts);
    let mut unexplored = 0;
    let mut named = 0;
    let plan = Plan::make(discovery, &texts, |candidate| {
        let file = Utf8Path::new(&candidate.info.file);
        let name = candidate.info.name();
        let is_named = files.includes(file, candidate.package_root) && is_included(options, &name);
        named += usize::from(is_named);
        let chosen = is_named
            && !files.excludes(file, candidate.package_root)
            && !options.exclude_re.iter().any(|regex| regex.is_match(&name))
            && !exclusions.match_name_of(&candidate.info)
            && changed
                .as_ref()
                .is_none_or(|changed| changed.touch(candidate))
            && in_shard.takes_next();
        if !chosen {
            Decision::Leave
        } else if candidate.info.needs_exploration && threads == ThreadTreatment::AsTheyAre {
            unexplored += 1;
            Decision::Leave
        } else if caught.contains(&candidate.info.key) {
            Decision::Skip
        } else {
            Decision::Take
        }
    });
    if named == 0 && found > 0 {
        bail!("{}", why_none_is_named(options, found));
    }
    if unexplored > 0 {
        notes.push(format!(
            "{unexplored} mutants can only act where threads are explored, and are left out with `--explore off`"
        ));
    }
    if let Some(changed) = changed.filter(|changed| changed.lines.is_empty()) {
        notes.push(changed.why_empty);
    } else if plan.mutants.is_empty() {
        notes.push(why_empty(found, plan.skipped.len()));
    }
    Ok(Selected {
        plan,
        texts,
        notes,
        found,
    })
}

fn count_mutants(discovery: &Discovery) -> usize {
    let files = discovery.packages.iter().flat_map(|package| &package.files);
    let points = files.flat_map(|file| &file.mutants.points);
    points.map(|point| point.mutants.len()).sum()
}

fn why_empty(found: usize, skipped: usize) -> String {
    if found == 0 {
        "no mutants were found (constants and `const fn`, bodies of `macro_rules!` and test code have none)".into()
    } else if skipped > 0 {
        format!("all {skipped} selected mutants were caught by an earlier run")
    } else {
        format!("the filters leave none of the {found} mutants")
    }
}

/// A filter that matches nothing is a mistake: a gate must not pass because of it.
fn why_none_is_named(options: &SelectOptions, found: usize) -> String {
    let of = |option: &str, patterns: Vec<&str>| {
        let patterns = patterns
            .into_iter()
            .map(move |pattern| format!("`{option} {pattern}`"));
        patterns.collect::<Vec<String>>()
    };
    let filters = [
        of("--file", options.file.iter().map(Glob::glob).collect()),
        of("--re", options.re.iter().map(Regex::as_str).collect()),
    ];
    format!(
        "the filters leave none of the {found} mutants: {}; `cargo atropos list` shows their names",
        filters.concat().join(", ")
    )
}

fn is_included(options: &SelectOptions, name: &str) -> bool {
    options.re.is_empty() || options.re.iter().any(|regex| regex.is_match(name))
}

/// What `#[mutants::exclude_re("…")]` attributes leave out, by file.
struct Exclusions {
    of_file: HashMap<Utf8PathBuf, Vec<(Span, Regex)>>,
}

impl Exclusions {
    fn of(discovery: &Discovery) -> Result<Exclusions> {
        let mut of_file = HashMap::new();
        for file in discovery.packages.iter().flat_map(|package| &package.files) {
            let compile = |exclusion: &Exclusion| {
                let regex = Regex::new(&exclusion.pattern).with_context(|| {
                    format!(
                        "{}: `exclude_re({:?})` is no regular expression",
                        file.path, exclusion.pattern
                    )
                })?;
                Ok((exclusion.span, regex))
            };
            let exclusions: Vec<_> = file
                .mutants
                .exclusions
                .iter()
                .map(compile)
                .collect::<Result<_>>()?;
            if !exclusions.is_empty() {
                of_file.insert(file.path.clone(), exclusions);
            }
        }
        Ok(Exclusions { of_file })
    }

    fn match_name_of(&self, info: &MutantInfo) -> bool {
        let exclusions = self.of_file.get(Utf8Path::new(&info.file));
        exclusions
            .into_iter()
            .flatten()
            .any(|(span, regex)| span.contains(info.span) && regex.is_match(&info.name()))
    }
}

/// `--file` and `--exclude-file`.
struct FileFilter {
    include: Vec<GlobMatcher>,
    exclude: Vec<GlobMatcher>,
}

impl FileFilter {
    fn new(options: &SelectOptions) -> FileFilter {
        let compile = |globs: &[Glob]| globs.iter().map(Glob::compile_matcher).collect();
        FileFilter {
            include: compile(&options.file),
            exclude: compile(&options.exclude_file),
        }
    }

    fn includes(&self, path: &Utf8Path, package_root: &Utf8Path) -> bool {
        let matches = |glob: &GlobMatcher| glob_means(glob, path, package_root);
        self.include.is_empty() || self.include.iter().any(matches)
    }

    fn excludes(&self, path: &Utf8Path, package_root: &Utf8Path) -> bool {
        let matches = |glob: &GlobMatcher| glob_means(glob, path, package_root);
        self.exclude.iter().any(matches)
    }

    /// A `--file` that no source file matches is likely a mistake.
    fn idle_globs(&self, discovery: &Discovery) -> Vec<String> {
        let matches_one = |glob: &GlobMatcher| {
            discovery.packages.iter().any(|package| {
                let mut files = package.files.iter().filter(|file| !file.steps_only);
                files.any(|file| glob_means(glob, &file.path, &package.root))
            })
        };
        let idle = self.include.iter().filter(|glob| !matches_one(glob));
        idle.map(|glob| format!("no mutated file matches `--file {}`", glob.glob().glob()))
            .collect()
    }
}

/// A glob means a file if it matches it or a directory around it: by the path from the workspace's
/// or the package's root, or, without a `/`, by the name alone.
fn glob_means(glob: &GlobMatcher, path: &Utf8Path, package_root: &Utf8Path) -> bool {
    let by_name = !glob.glob().glob().contains('/');
    let roots = [Some(path), path.strip_prefix(package_root).ok()];
    roots.into_iter().flatten().any(|path| {
        path.ancestors()
            .filter(|part| !part.as_str().is_empty())
            .any(|part| {
                glob.is_match(part)
                    || (by_name && part.file_name().is_some_and(|name| glob.is_match(name)))
            })
    })
}

/// The changed lines of the files at hand.
struct Changed {
    lines: HashMap<Utf8PathBuf, BTreeSet<u32>>,
    /// What to say if there are none.
    why_empty: String,
}

impl Changed {
    fn touch(&self, candidate: &Candidate) -> bool {
        let lines = self.lines.get(Utf8Path::new(&candidate.info.file));
        let span = candidate.first_line..=candidate.last_line;
        lines.is_some_and(|lines| lines.range(span).next().is_some())
    }
}

fn changed_lines(discovery: &Discovery, options: &SelectOptions) -> Result<Option<Changed>> {
    let root = &discovery.workspace_root;
    let Some(changes) = ChangedLines::asked_for(options, discovery)? else {
        return Ok(None);
    };
    let mut lines = HashMap::new();
    let mut is_about_us = false;
    for file in discovery.packages.iter().flat_map(|package| &package.files) {
        let changed = changes.of(root, &file.path, &discovery.texts[file.path.as_str()])?;
        is_about_us |= changed.is_some();
        let changed = changed.unwrap_or_default();
        if !changed.is_empty() && !file.steps_only {
            lines.insert(file.path.clone(), changed);
        }
    }
    Ok(Some(Changed {
        lines,
        why_empty: match changes.rust_files().next() {
            Some(path) if !is_about_us => format!(
                "no Rust file in {} is one of the selected packages (the first is `{path}`)",
                changes.origin
            ),
            _ => format!("no line of the mutated files is in {}", changes.origin),
        },
    }))
}

/// The keys of the mutants that the last run killed, or skipped because one before it did.
fn caught_before(output: &Path, notes: &mut Vec<String>) -> HashSet<String> {
    match Outcomes::read(output) {
        Ok(outcomes) => {
            let is_caught = |verdict: Option<Verdict>| {
                verdict.is_some_and(|verdict| verdict.is_killed() || verdict == Verdict::Skipped)
            };
            let caught = outcomes
                .mutants
                .into_iter()
                .filter(|mutant| is_caught(mutant.verdict));
            caught.map(|mutant| mutant.info.key).collect()
        }
        Err(error) => {
            let reason = match error {
                ReadError::Missing(_) => "there is no earlier run".to_owned(),
                error => error.to_string(),
            };
            notes.push(format!("--iterate has nothing to go by: {reason}"));
            HashSet::new()
        }
    }
}

/// Deals mutants out to the shards in turn.
struct ShardCounter {
    shard: Shard,
    seen: usize,
}

impl ShardCounter {
    fn new(shard: Option<Shard>) -> ShardCounter {
        let whole = Shard { index: 0, count: 1 };
        ShardCounter {
            shard: shard.unwrap_or(whole),
            seen: 0,
        }
    }

    fn takes_next(&mut self) -> bool {
        let turn = self.seen % self.shard.count;
        self.seen += 1;
        turn == self.shard.index
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parse_glob;

    fn check_glob(glob: &str, path: &str, expected: bool) {
        let matcher = parse_glob(glob).unwrap().compile_matcher();
        let package = Utf8Path::new("crates/a");
        let means = glob_means(&matcher, Utf8Path::new(path), package);
        assert_eq!(means, expected, "{glob} {path}");
    }

    #[test]
    fn a_glob_means_files_and_directories_by_path_or_name() {
        let path = "crates/a/src/parse/number.rs";
        for glob in [
            "crates/a/src/parse/number.rs",
            "src/parse/number.rs",
            "src/parse",
            "src/parse/",
            "./src/parse",
            "src/**/*.rs",
            "src/*/number.rs",
            "**/parse/*.rs",
            "number.rs",
            "num*.rs",
            "parse",
            "*.rs",
        ] {
            check_glob(glob, path, true);
        }
        for glob in [
            "number",
            "src/number.rs",
            "src/*.rs",
            "a/src/parse/number.rs",
            "pars",
        ] {
            check_glob(glob, path, false);
        }
    }

    #[test]
    fn shards_share_out_everything_once() {
        for count in 1..5 {
            let mut takers = vec![0; 23];
            for index in 0..count {
                let mut counter = ShardCounter::new(Some(Shard { index, count }));
                for taker in &mut takers {
                    *taker += usize::from(counter.takes_next());
                }
            }
            assert_eq!(takers, vec![1; 23], "{count} shards");
        }
    }
}
