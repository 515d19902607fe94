//! `cargo atropos archive`: all that a run needs in one file, so that it can be run elsewhere, in parts, without cargo,
//! rustc, sources or network; and what `--archive` makes of such a file.
//!
//! Flow: [`archive`] builds, runs every test once without a mutant, tells by [`costs`] what each mutant will take, and has
//! [`pack`] write [`mod@contents`] and files. [`prepared`] [`open`]s it; [`Archived::unpack`] puts the files in
//! their [`place`] and has [`machine`] say whether they can run there. From there on it is a run like any other.

mod contents;
mod costs;
mod machine;
mod open;
mod pack;
mod place;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use atropos_mutants::mutant::MutantId;
use atropos_report::number_text::count;
use atropos_report::outcomes::{Outcomes, Totals};

use self::contents::{Contents, Programs};
use self::open::OpenArchive;
pub use self::place::PlacedFiles;
use crate::accepted::{self, Accepted};
use crate::arguments::Options;
use crate::build::doctests::Doctests;
use crate::build::observed::ObservedBuild;
use crate::build::test_binary::Invocation;
use crate::build::{self, Build, BuildFailure};
use crate::config;
use crate::environment;
use crate::execute::Goal;
use crate::exit_code::ExitCode;
use crate::explore::plain_memory;
use crate::gate::Judgement;
use crate::impact;
use crate::interrupt::Interrupt;
use crate::log;
use crate::nextest_filter::DefaultFilter;
use crate::option_table::OPTIONS;
use crate::prepare::{Prepared, prepare, straight};
use crate::progress::{Progress, RunPhase};
use crate::run::{self, Tested};
use crate::sandbox;
use crate::second_order;
use crate::source::SourceTexts;
use crate::terminal::Terminal;
use crate::tree_state::TreeState;

/// The archive's name, unless the user gives one.
const FILE_NAME: &str = "run.tar.zst";

pub const ARCHIVE_EXAMPLES: &str = "\
Builds as a run with the same options would, runs every test once without a mutant, and writes the
programs, the tree and all that is known to one file. Shards of it take about the same time. Another
machine runs one without cargo, rustc, sources or network, and `cargo atropos merge` joins them.

Examples:
  cargo atropos archive                              build, and write run.tar.zst
  cargo atropos archive --workspace -o all.tar.zst   with any option of a run; -o names the file
  cargo-atropos run --archive run.tar.zst --shard 0/4 -o shard-0
                                                     the first of four shards, anywhere
  cargo-atropos merge --archive run.tar.zst shard-*  one report of all";

/// The options that a run of an archive may be given besides; all others have been given when it was made.
const OF_RUNS: [&str; 17] = [
    "archive",
    "shard",
    "jobs",
    "no-impact",
    "no-sandbox",
    "require-sandbox",
    "min-score",
    "max-survivors",
    "fail-on",
    "output",
    "json",
    "message-format",
    "all",
    "top",
    "colors",
    "verbose",
    "report",
];

/// Options that make no sense for an archive, or say where this machine has things.
const NOT_ARCHIVED: [&str; 8] = [
    "dir",
    "manifest-path",
    "config",
    "no-config",
    "output",
    "jobs",
    "in-diff",
    "since",
];

/// Variables that a machine has of its own, though cargo may add to them.
const OF_MACHINES: [&str; 4] = ["PATH", "HOME", "TMPDIR", "PWD"];

/// An archive that is run.
#[derive(Debug)]
pub struct Archived {
    pub id: String,
    pub build: Build,
    pub doctests: Doctests,
    pub default_filter: DefaultFilter,
    /// Which of the plan's mutants are tested; none: all.
    pub shard: Option<BTreeSet<MutantId>>,
    explored: Option<Build>,
    not_explored: Option<String>,
    observed: Option<ObservedBuild>,
    file: PathBuf,
}

impl Archived {
    /// Puts the archive's files in their place, where the machine can run them. To be called while the process has one
    /// thread.
    pub fn unpack(&self, output: &Path, interrupt: &Interrupt) -> Result<PlacedFiles> {
        let archive = OpenArchive::open(&self.file)?;
        let placed = place::place(&archive, output, interrupt)?;
        let explored = self.explored.iter().flat_map(|build| &build.binaries);
        let observed = self.observed.iter().flat_map(|build| &build.binaries);
        let binaries = self.build.binaries.iter().chain(explored).chain(observed);
        let doctests = self.doctests.programs.first();
        let programs = binaries
            .map(|binary| &binary.invocation)
            .chain(doctests.map(|test| &test.invocation));
        machine::check(programs)?;
        Ok(placed)
    }

    /// Whether a mutant is one of this run's.
    pub fn takes(&self, mutant: MutantId) -> bool {
        self.shard
            .as_ref()
            .is_none_or(|shard| shard.contains(&mutant))
    }

    /// What names this part of the archive, for the journal.
    pub fn key(&self, options: &Options) -> String {
        format!("{} {:?}", self.id, options.select.shard)
    }

    pub fn build_for_exploration(&self, progress: &Progress) -> Option<Build> {
        if self.explored.is_none() {
            let why = self.not_explored.as_deref();
            let why = why.unwrap_or("no test started threads when the archive was made");
            progress.say(&format!(
                "warning: tests that start threads are not explored, because the archive has no programs for that ({why})"
            ));
        }
        self.explored.clone()
    }

    pub fn observed(&self) -> Result<ObservedBuild> {
        let observed = self.observed.clone();
        observed.ok_or_else(|| anyhow!("the archive has no programs for that"))
    }
}

/// What `prepare` gives of an archive.
pub fn prepared(mut options: Options) -> Result<Prepared> {
    let terminal = Terminal::of(&options.output);
    for row in OPTIONS {
        if (row.recorded)(&options).is_some() && !OF_RUNS.contains(&row.name) {
            bail!(
                "`--{}` was decided on when the archive was made; give it to `cargo atropos archive`",
                row.name
            );
        }
    }
    let path = options
        .execute
        .archive
        .clone()
        .expect("the caller has looked");
    let file = std::path::absolute(&path)?;
    let OpenArchive {
        header, contents, ..
    } = OpenArchive::open(&path)?;
    let shard = options.select.shard;
    let shard = shard.map(|shard| contents.shard(shard.index, shard.count));
    config::complete_from_text(&mut options, &contents.options)?;
    let output = options.output.output.as_deref();
    let output_directory = straight(std::path::absolute(output.unwrap_or(Path::new("atropos")))?);
    let accepted = match &contents.accepted {
        Some(text) => Accepted::parse(text)?,
        None => Accepted::default(),
    };
    for warning in &contents.warnings {
        terminal.warn(warning);
    }
    let Programs {
        mut build,
        mut doctests,
        mut explored,
        not_explored,
        mut observed,
    } = contents.programs;
    let binaries = [Some(&mut build), explored.as_mut()].into_iter().flatten();
    let binaries = binaries.flat_map(|build| &mut build.binaries);
    let binaries = binaries.chain(observed.iter_mut().flat_map(|build| &mut build.binaries));
    let programs = binaries.map(|binary| &mut binary.invocation);
    let doctest_programs = doctests.programs.iter_mut();
    let programs = programs.chain(doctest_programs.map(|test| &mut test.invocation));
    programs.for_each(complete_environment);
    // What building took was told when the archive was made.
    build.time = Duration::ZERO;
    build.check_time = Duration::ZERO;
    if let Some(build) = &mut explored {
        build.time = Duration::ZERO;
    }
    if let Some(shard) = &shard {
        build.built.retain(|id| shard.contains(id));
        build.unviable.retain(|id, _| shard.contains(id));
    }
    Ok(Prepared {
        options,
        terminal,
        texts: contents.texts.into_iter().collect(),
        plan: contents.plan,
        found: contents.found,
        accepted,
        warnings: contents.warnings,
        output_directory,
        workspace_root: contents.workspace_root,
        user_build: contents.user_build,
        archived: Some(Archived {
            id: header.id,
            build,
            doctests,
            default_filter: contents.default_filter,
            shard,
            explored,
            not_explored,
            observed,
            file,
        }),
    })
}

/// What reports need of an archive.
pub struct ArchivedSources {
    pub texts: SourceTexts,
    pub root: PathBuf,
    pub id: String,
}

/// The sources of an archive, whose options complete those given.
pub fn sources(path: &Path, options: &mut Options) -> Result<ArchivedSources> {
    let OpenArchive {
        header, contents, ..
    } = OpenArchive::open(path)?;
    config::complete_from_text(options, &contents.options)?;
    Ok(ArchivedSources {
        texts: contents.texts.into_iter().collect(),
        root: contents.workspace_root,
        id: header.id,
    })
}

/// Adds the variables of this machine to those that cargo gave a program elsewhere.
fn complete_environment(invocation: &mut Invocation) {
    for (name, value) in std::env::vars() {
        if !environment::is_ours(&name) {
            invocation.environment.entry(name).or_insert(value);
        }
    }
}

/// Leaves only what cargo gave a program, not what the user's own environment had: that stays here.
fn reduce_environment(invocation: &mut Invocation) {
    const OF_CARGO: [&str; 6] = [
        "CARGO_MANIFEST_",
        "CARGO_PKG_",
        "CARGO_BIN_",
        "CARGO_CRATE_",
        "OUT_DIR",
        "LD_LIBRARY_PATH",
    ];
    invocation.environment.retain(|name, value| {
        let is_of_cargo = OF_CARGO.iter().any(|start| name.starts_with(start));
        let is_of_machine = OF_MACHINES.contains(&name.as_str());
        let is_own = std::env::var(name).is_ok_and(|own| own == *value);
        !is_of_machine && (is_of_cargo || !is_own)
    });
}

/// `cargo atropos archive`
pub fn archive(mut options: Options) -> Result<ExitCode> {
    let start = Instant::now();
    let interrupt = Interrupt::install()?;
    let file = options.output.output.take();
    let file = std::path::absolute(file.unwrap_or_else(|| FILE_NAME.into()))?;
    refuse(&options, &file)?;
    let prepared = prepare(options)?;
    plain_memory::check(&prepared.options.exploration.schedule.circumstances)?;
    if let Some(missing) = sandbox::decide(&prepared.options)? {
        prepared.terminal.warn(missing);
    }
    let output = &prepared.output_directory;
    let Some(_turn) = run::take_turn(output, prepared.terminal, &interrupt)? else {
        return Ok(ExitCode::Interrupted);
    };
    log::begin(output);
    let progress = Progress::start(prepared.terminal);
    progress.follow_builds(output);
    let source = TreeState::planned(&prepared.plan, output);
    let tested = run::build_and_test(&prepared, &source, &interrupt, &progress, Goal::Baselines)?;
    let tested = match tested {
        ControlFlow::Continue(tested) => tested,
        ControlFlow::Break(end) => {
            drop(progress);
            return run::end_without_verdicts(&end, &prepared);
        }
    };
    let mutants = tested.build.built.len();
    let tests = tested.executed.tests.len();
    let left_alone = tested.build.left_alone.clone();
    for alone in &left_alone {
        prepared.terminal.warn(run::no_mutants_in(alone));
    }
    let Some(contents) = contents(&prepared, tested, &interrupt, &progress)? else {
        return Ok(ExitCode::Interrupted);
    };
    let _ = fs::remove_file(output.join(run::JOURNAL_OF_ARCHIVE));
    progress.phase(RunPhase::Packing, 0);
    let expected = contents.costs.iter().sum::<u64>() as f64 / 1e6;
    pack::write(&file, &contents, &interrupt)?;
    drop(progress);
    let size = fs::metadata(&file)?.len() as f64 / 1e6;
    writeln!(
        prepared.terminal.stdout(),
        "{}: {}, {}, {size:.1} MB, made in {:.0} s; its mutants take about {expected:.0} s of one process",
        file.display(),
        count(mutants, "mutant"),
        count(tests, "test"),
        start.elapsed().as_secs_f64(),
    )?;
    // The archive is there; whoever made it learns at once what is missing in it.
    let built = Totals {
        mutants: contents.plan.mutants.len(),
        unviable: contents.programs.build.unviable.len(),
        not_built: contents.plan.mutants.len() - mutants - contents.programs.build.unviable.len(),
        ..Totals::default()
    };
    let why = run::not_tested(&built, &left_alone);
    let judgement = why.map(|why| Judgement::failed(ExitCode::NotTested, why));
    Ok(judgement
        .unwrap_or(Judgement::PASSED)
        .told(prepared.terminal))
}

/// Options that belong to the runs of an archive, or to runs that make none.
fn refuse(options: &Options, file: &Path) -> Result<()> {
    if options.select.shard.is_some() {
        bail!("an archive holds all shards; give `--shard` to `cargo atropos run --archive`");
    }
    if options.execute.archive.is_some() {
        bail!("an archive is not made of another one");
    }
    if options.execute.impact_matrix || options.select.iterate {
        bail!(
            "`--impact-matrix` and `--iterate` are about earlier runs of the tree, not about archives"
        );
    }
    if file.is_dir() {
        bail!("`{}` is a directory; -o names the archive", file.display());
    }
    Ok(())
}

/// Builds what else a run may need, and puts all together. None if the user wants to end.
fn contents(
    prepared: &Prepared,
    tested: Tested<'_>,
    interrupt: &Interrupt,
    progress: &Progress,
) -> Result<Option<Contents>> {
    let plan = &prepared.plan;
    let output = &prepared.output_directory;
    let mut build = tested.build.clone();
    let (explored, not_explored) = match tested.executed.wants_exploration {
        false => (None, None),
        true => explored(prepared, &build, interrupt, progress)?,
    };
    progress.phase(RunPhase::Building, 0);
    let observed = impact::observed_programs(prepared, &build, &tested.executed, interrupt);
    let observed = observed.unwrap_or_else(|error| {
        progress.say(&format!(
            "warning: survivors will not be ranked by impact: {error:#}"
        ));
        None
    });
    if interrupt.is_requested() {
        return Ok(None);
    }
    let earlier = Outcomes::read(output).ok();
    let costs = costs::costs(plan, &build, &tested.executed, earlier.as_ref());
    let default_filter = DefaultFilter::of(prepared, &build, &build.directory);
    // An archive is as fast as it is.
    build.may_be_faster = false;
    let mut programs = Programs {
        build,
        doctests: tested.executed.doctests,
        explored,
        not_explored,
        observed,
    };
    take_libraries(&mut programs, output)?;
    for_all(&mut programs, reduce_environment);
    let accepted = fs::read_to_string(prepared.workspace_root.join(accepted::FILE_NAME)).ok();
    let sources = sources_of(prepared);
    let roots = roots(prepared, &sources);
    Ok(Some(Contents {
        options: archived_options(&prepared.options)?,
        plan: plan.clone(),
        texts: prepared.texts.clone().into_iter().collect(),
        accepted,
        found: prepared.found,
        warnings: prepared.warnings.clone(),
        workspace_root: prepared.workspace_root.clone(),
        user_build: prepared.user_build.clone(),
        sources,
        roots,
        programs,
        default_filter,
        costs,
    }))
}

/// The programs for exploration, or why there are none.
fn explored(
    prepared: &Prepared,
    build: &Build,
    interrupt: &Interrupt,
    progress: &Progress,
) -> Result<(Option<Build>, Option<String>)> {
    progress.phase(RunPhase::BuildingForThreads, 0);
    let options = &prepared.options;
    let circumstances = &options.exploration.schedule.circumstances;
    let built = build::build_explored(
        &prepared.plan,
        &options.build,
        &prepared.output_directory,
        interrupt,
        circumstances.watches_memory(),
        Some(build),
    );
    match built {
        Ok(mut build) => {
            second_order::complete(&mut build.built, &prepared.plan);
            Ok((Some(build), None))
        }
        Err(BuildFailure::DoesNotCompile(said)) => {
            let why = build::headline(&said).to_owned();
            progress.say(&format!(
                "warning: tests that start threads will not be explored, because they do not build for it ({why})"
            ));
            Ok((None, Some(why)))
        }
        Err(BuildFailure::Interrupted) => Ok((None, None)),
        Err(BuildFailure::Internal(error)) => Err(error),
    }
}

/// The options of a run of the archive, as a config file has them.
fn archived_options(options: &Options) -> Result<String> {
    let mut kept: BTreeMap<String, serde_json::Value> = options.to_json();
    kept.retain(|name, _| !NOT_ARCHIVED.contains(&name.as_str()));
    toml::to_string(&kept).context("can't write down the options")
}

fn for_all(programs: &mut Programs, change: impl FnMut(&mut Invocation)) {
    let Programs {
        build,
        doctests,
        explored,
        observed,
        ..
    } = programs;
    let binaries = build.binaries.iter_mut();
    let binaries = binaries.chain(explored.iter_mut().flat_map(|build| &mut build.binaries));
    let binaries = binaries.chain(observed.iter_mut().flat_map(|build| &mut build.binaries));
    let doctests = doctests.programs.iter_mut();
    binaries
        .map(|binary| &mut binary.invocation)
        .chain(doctests.map(|test| &mut test.invocation))
        .for_each(change);
}

/// Copies the toolchain's own libraries that programs load to where they are packed: std, for tests of proc macros.
fn take_libraries(programs: &mut Programs, output: &Path) -> Result<()> {
    let place = output.join(pack::LIBRARIES);
    let sysroot = programs.build.toolchain.sysroot()?;
    let mut taken = Ok(());
    for_all(programs, |invocation| {
        let taking = take_libraries_of(invocation, &sysroot, &place);
        if taken.is_ok() {
            taken = taking;
        }
    });
    taken
}

fn take_libraries_of(invocation: &mut Invocation, sysroot: &Path, place: &Path) -> Result<()> {
    let program = invocation.directory.join(&invocation.program);
    let Some(loader) = machine::ProgramNeeds::of(&program)?.and_then(|needs| needs.loader) else {
        return Ok(());
    };
    let found = machine::loading(&loader, invocation)?.found;
    let of_toolchain: Vec<&PathBuf> = found
        .values()
        .filter(|path| path.starts_with(sysroot))
        .collect();
    if of_toolchain.is_empty() {
        return Ok(());
    }
    fs::create_dir_all(place)?;
    for path in of_toolchain {
        if let Some(name) = path.file_name() {
            fs::copy(path, place.join(name))?;
        }
    }
    let paths = invocation
        .environment
        .entry("LD_LIBRARY_PATH".to_owned())
        .or_default();
    *paths = format!("{}:{paths}", place.display());
    Ok(())
}

/// The directories of the user's files.
fn sources_of(prepared: &Prepared) -> Vec<PathBuf> {
    let packages = prepared.plan.packages.iter();
    let packages = packages.map(|package| package.manifest_dir.clone().into_std_path_buf());
    outermost(packages.chain([prepared.workspace_root.clone()]))
}

/// The directories below which everything lies that is packed.
fn roots(prepared: &Prepared, sources: &[PathBuf]) -> Vec<PathBuf> {
    let made = [prepared.output_directory.clone()];
    outermost(sources.iter().cloned().chain(made))
}

/// Those that lie in no other.
fn outermost(paths: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let paths: BTreeSet<PathBuf> = paths.collect();
    let is_inner = |path: &PathBuf| {
        paths
            .iter()
            .any(|other| other != path && path.starts_with(other))
    };
    paths
        .iter()
        .filter(|path| !is_inner(path))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parse;

    fn options(line: &str) -> Options {
        let words = line.split_whitespace().map(Into::into);
        parse(words).expect(line).options
    }

    #[test]
    fn the_options_of_the_archive_are_those_of_its_runs() {
        let line = "cargo-atropos -p a -f src/*.rs -F x --operators=-SDL --timeout-multiplier 2.5 --no-doc \
                    --budget 50 --seed 7 --min-score 80 --explore pct:9,3 -- -q";
        let made = options(line);
        let text = archived_options(&made).expect("they can be written");
        let mut run = options("cargo-atropos --archive x -j 2");
        config::complete_from_text(&mut run, &text).expect("they can be read");
        let mut expected = made.to_json();
        expected.insert("jobs".to_owned(), 2.into());
        assert_eq!(run.to_json(), expected);
    }

    #[test]
    fn what_decides_about_verdicts_is_not_given_to_a_run_of_an_archive() {
        for given in [
            "--budget 5",
            "-p x",
            "--no-doc",
            "--features f",
            "--since main",
        ] {
            let asked = options(&format!("cargo-atropos --archive none {given}"));
            let error = prepared(asked).expect_err(given).to_string();
            assert!(
                error.contains("give it to `cargo atropos archive`"),
                "{error}"
            );
        }
    }

    #[test]
    fn directories_within_others_are_no_roots_of_their_own() {
        let paths = ["/w/target", "/w", "/w2", "/x/y"].map(PathBuf::from);
        let expected = ["/w", "/w2", "/x/y"].map(PathBuf::from);
        assert_eq!(outermost(paths.into_iter()), expected);
    }
}
