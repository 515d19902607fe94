//! `cargo atropos write`: the missing assertions, written and proven.
//!
//! Flow: [`recorded_options`] brings back the options of the last run; [`capturing`] builds the tests so that every candidate's
//! value is written down, and runs the original and the survivors; [`choosing`] takes the few assertions that kill the most,
//! in one of the ways of [`assertion_forms`]; [`proving`] builds them in and runs the original and the survivors again;
//! [`searching`] makes [`new_tests`] for what no existing test tells apart, and [`shortening`] makes them short; [`patch`] makes a diff of what held, and [`one_by_one`] goes through it with the user.

mod assertion_forms;
mod capturing;
mod choosing;
mod debug_text;
mod new_tests;
mod one_by_one;
mod patch;
mod proving;
mod recorded_options;
mod running;
mod searching;
mod shortening;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use atropos_mutants::mutant::MutantId;
use atropos_report::impact::{Suggestion, rank};
use atropos_report::number_text::count;
use atropos_report::outcomes::{FileRecord, MutantRecord, Outcomes};
use atropos_report::verdict::Verdict;
use clap::Args;

use self::assertion_forms::AssertionForm;
use self::capturing::{FileCandidate, TextsOfFiles};
use self::patch::PatchHunk;
use self::proving::{ProofInputs, ProvenAssertion, prove};
use self::running::{AddedTest, RunSetting, TestRunner};
use self::searching::{SearchInputs, SearchOutcome};
use crate::arguments::{Options, OutputOptions, TreeOptions};
use crate::build::additions::build_with_additions;
use crate::build::{self, Build, BuildFailure, Speed, headline};
use crate::exit_code::ExitCode;
use crate::interrupt::Interrupt;
use crate::log;
use crate::prepare::{CommandSetup, Prepared, prepare, set_up};
use crate::progress::{Progress, RunPhase};
use crate::run::take_turn;
use crate::sandbox;
use crate::scratch::Scratch;
use crate::terminal::Terminal;

pub const WRITE_EXAMPLES: &str = "\
Examples:
  cargo atropos write                   assertions and tests that kill survivors of the last run, as a diff
  cargo atropos write 17                only for mutant 17
  cargo atropos write src/lib.rs:41     only for the mutants of that line
  cargo atropos write Account::deposit  only for the mutants of that function
  cargo atropos write --review          go through them one by one
  cargo atropos write --apply           write them into the tests
  cargo atropos write | git apply       the same

Exit codes:
  0  there are assertions, all proven; or there was nothing to write for
  1  wrong usage, no run, or the sources have changed since the run
  2  nothing that could be proven kills any of the survivors
  4  the tests fail or do not build
  130  interrupted; nothing is written";

/// `cargo atropos write`
#[derive(Args, Clone, Debug)]
pub struct WriteArguments {
    /// Only for these mutants of the last run: by number, key, FILE:LINE, or the name of the function
    #[arg(value_name = "MUTANT")]
    pub mutants: Vec<String>,

    /// Only assertions in existing tests: no inputs are searched, no tests are new
    #[arg(long)]
    pub existing: bool,

    /// Write the assertions into the tests
    #[arg(long, conflicts_with = "review")]
    pub apply: bool,

    /// Go through the assertions one by one: accept, edit or skip
    #[arg(long)]
    pub review: bool,

    /// For the last run of the package or workspace in this directory
    #[arg(short, long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    #[command(flatten)]
    pub output: OutputOptions,
}

pub fn write(arguments: WriteArguments) -> Result<ExitCode> {
    let interrupt = Interrupt::install()?;
    let setup = set_up(Options {
        tree: TreeOptions {
            dir: arguments.dir.clone(),
            ..TreeOptions::default()
        },
        output: arguments.output.clone(),
        ..Options::default()
    })?;
    let outcomes = setup.last_run("write tests for")?;
    let wanted = wanted(&outcomes, &arguments.mutants)?;
    if wanted.is_empty() {
        let terminal = setup.terminal;
        terminal.note("there is nothing to write: tests noticed every change of the last run");
        return Ok(ExitCode::Success);
    }
    refuse_changed_sources(&outcomes, &setup)?;
    let mut options = recorded_options::options_of(&outcomes, arguments.dir.as_deref())?;
    options.output = arguments.output.clone();
    let prepared = prepare(options)?;
    let records = known_records(&prepared, &wanted)?;
    if let Some(missing) = sandbox::decide(&prepared.options)? {
        prepared.terminal.warn(missing);
    }
    let output = &prepared.output_directory;
    let Some(_turn) = take_turn(output, prepared.terminal, &interrupt)? else {
        return Ok(ExitCode::Interrupted);
    };
    log::begin(output);
    let progress = Progress::start(prepared.terminal);
    progress.follow_builds(output);
    let mut writing = Writing {
        prepared: &prepared,
        interrupt: &interrupt,
        progress: Some(progress),
        records,
        texts: capturing::texts_of(&prepared),
    };
    let written = writing.written(arguments.existing);
    writing.progress = None;
    let written = match written {
        Ok(written) => written,
        Err(BuildFailure::Interrupted) => return Ok(ExitCode::Interrupted),
        Err(BuildFailure::DoesNotCompile(said)) => {
            let why = headline(&said);
            prepared
                .terminal
                .error(format!("the tests do not build: {why}"));
            return Ok(ExitCode::TestsFail);
        }
        Err(BuildFailure::Internal(error)) => return Err(error),
    };
    if interrupt.is_requested() {
        return Ok(ExitCode::Interrupted);
    }
    writing.note_in(outcomes.clone(), &written)?;
    writing.finish(written.hunks, &arguments)
}

/// The survivors that something is to be written for.
fn wanted<'o>(outcomes: &'o Outcomes, words: &[String]) -> Result<Vec<&'o MutantRecord>> {
    let is_missed = |record: &&MutantRecord| record.verdict.is_some_and(Verdict::is_missed);
    if words.is_empty() {
        return Ok(outcomes.mutants.iter().filter(is_missed).collect());
    }
    let mut named = Vec::new();
    for word in words {
        let of_function = |record: &&MutantRecord| record.info.function == *word;
        let mut found: Vec<&MutantRecord> = outcomes.mutants.iter().filter(of_function).collect();
        if found.is_empty() {
            found = crate::named_mutants::named_mutants(outcomes, word)?;
        }
        let found: Vec<&MutantRecord> = found.into_iter().filter(is_missed).collect();
        if found.is_empty() {
            bail!("{word} names no mutant that went unnoticed; there is nothing to write");
        }
        named.extend(found);
    }
    named.sort_by_key(|record| record.info.id);
    named.dedup_by_key(|record| record.info.id);
    Ok(named)
}

/// Verdicts are about the sources as they were.
fn refuse_changed_sources(outcomes: &Outcomes, setup: &CommandSetup) -> Result<()> {
    for record in &outcomes.files {
        let path = setup.workspace.root().join(&record.file);
        let now = std::fs::read_to_string(&path).map(|text| FileRecord::of(&record.file, &text));
        if !now.is_ok_and(|now| now == *record) {
            bail!(
                "{} has changed since the last run; run `cargo atropos` again first",
                record.file
            );
        }
    }
    Ok(())
}

/// The wanted mutants by their numbers in this plan.
fn known_records<'o>(
    prepared: &Prepared,
    wanted: &[&'o MutantRecord],
) -> Result<BTreeMap<MutantId, &'o MutantRecord>> {
    let ids: BTreeMap<&str, MutantId> = prepared
        .plan
        .mutants
        .iter()
        .map(|info| (info.key.as_str(), info.id))
        .collect();
    let known = wanted
        .iter()
        .filter_map(|record| Some((*ids.get(record.info.key.as_str())?, *record)));
    let known: BTreeMap<MutantId, &MutantRecord> = known.collect();
    if known.is_empty() {
        bail!(
            "none of the survivors of the last run is found any more; run `cargo atropos` again first"
        );
    }
    Ok(known)
}

/// What came of it all.
struct Written {
    hunks: Vec<PatchHunk>,
    /// On how many inputs survivors acted like the original.
    same_on: BTreeMap<MutantId, usize>,
}

/// What is needed on the way to a patch.
struct Writing<'a> {
    prepared: &'a Prepared,
    interrupt: &'a Interrupt,
    /// Until there is a result to show.
    progress: Option<Progress>,
    /// What something is written for, by the numbers of this plan.
    records: BTreeMap<MutantId, &'a MutantRecord>,
    texts: TextsOfFiles,
}

impl Writing<'_> {
    fn say(&self, sentence: &str) {
        match &self.progress {
            Some(progress) => progress.say(&format!("note: {sentence}")),
            None => self.prepared.terminal.note(sentence),
        }
        log::line(sentence);
    }

    fn phase(&self, phase: RunPhase) {
        if let Some(progress) = &self.progress {
            progress.phase(phase, 0);
        }
    }

    /// Captures, chooses, proves, and searches for the rest.
    fn written(&self, is_existing_only: bool) -> Result<Written, BuildFailure> {
        self.phase(RunPhase::Building);
        let wanted: BTreeSet<MutantId> = self.records.keys().copied().collect();
        let build = build::build(self.prepared, self.interrupt, Speed::AsAsked)?;
        let candidates = capturing::candidates_of(self.prepared, &self.texts);
        self.say(&format!(
            "{} in tests are tried against {}",
            count(candidates.len(), "expression"),
            count(wanted.len(), "survivor")
        ));
        let mut hunks = match candidates.is_empty() {
            true => Vec::new(),
            false => self.captured(&build, &candidates, &wanted)?,
        };
        let mut same_on = BTreeMap::new();
        if !is_existing_only && !self.interrupt.is_requested() {
            let killed: BTreeSet<u32> = killed_by(&hunks);
            let open = self
                .records
                .iter()
                .filter(|(_, record)| !killed.contains(&record.info.id.0));
            let search = SearchInputs {
                prepared: self.prepared,
                build: &build,
                interrupt: self.interrupt,
                texts: &self.texts,
                records: open.map(|(id, record)| (*id, *record)).collect(),
            };
            let SearchOutcome {
                hunks: new,
                same_on: same,
            } = search.search()?;
            hunks.extend(new);
            same_on = same;
        }
        hunks.sort_by(|one, other| (&one.file, one.place).cmp(&(&other.file, other.place)));
        Ok(Written { hunks, same_on })
    }

    /// Notes in the outcomes of the last run what was proven, so that its reports show it.
    fn note_in(&self, mut outcomes: Outcomes, written: &Written) -> Result<()> {
        let mut proven: BTreeMap<u32, Suggestion> = BTreeMap::new();
        for hunk in &written.hunks {
            let text = self.texts.get(&hunk.file).map_or("", String::as_str);
            let words = format!(
                "proven: this in `{}` ({}:{}) passes on the original and fails on it; `cargo atropos write` writes it",
                hunk.function,
                hunk.file,
                hunk.line(text)
            );
            for (id, _) in &hunk.kills {
                let code = hunk.text.trim().to_owned();
                let words = words.clone();
                proven.entry(*id).or_insert(Suggestion { words, code });
            }
        }
        let same_on = written
            .same_on
            .iter()
            .filter_map(|(mutant, inputs)| Some((self.records.get(mutant)?.info.id.0, *inputs)));
        let same_on: BTreeMap<u32, usize> = same_on.collect();
        for record in &mut outcomes.mutants {
            let id = record.info.id.0;
            if let Some(suggestion) = proven.remove(&id) {
                let impact = record.impact.get_or_insert_default();
                impact.suggestion = Some(suggestion);
                impact.is_proven = true;
                impact.same_on = None;
            } else if let Some(inputs) = same_on.get(&id) {
                record.impact.get_or_insert_default().same_on = Some(*inputs);
            }
        }
        rank(&mut outcomes.mutants);
        let written = outcomes.write(&self.prepared.output_directory);
        written.context("can't write outcomes.json")
    }

    fn captured(
        &self,
        build: &Build,
        candidates: &[FileCandidate],
        wanted: &BTreeSet<MutantId>,
    ) -> Result<Vec<PatchHunk>> {
        let plan = capturing::capture_plan(candidates, wanted);
        let built = match build_with_additions(self.prepared, self.interrupt, build, plan) {
            Ok(built) => built,
            Err(BuildFailure::Internal(error)) => return Err(error),
            Err(BuildFailure::Interrupted) => return Ok(Vec::new()),
            Err(BuildFailure::DoesNotCompile(said)) => {
                bail!(
                    "the tests do not build where values are captured: {}",
                    headline(&said)
                )
            }
        };
        let scratch = Scratch::make(&self.prepared.output_directory, "capturing")?;
        let arguments = &self.prepared.options.execute.test_args;
        let setting = RunSetting::of(
            self.prepared,
            &built.binaries,
            arguments,
            scratch.path(),
            self.interrupt,
        );
        self.phase(RunPhase::Observing);
        let names = names_of_tests(&setting)?;
        let tests: Vec<AddedTest> = names.keys().cloned().collect();
        let originals = capturing::learn(&setting, &tests)?;
        let built_ones: BTreeSet<MutantId> = wanted.intersection(&built.built).copied().collect();
        let differences = capturing::compare(&setting, &originals, &built_ones)?;
        let choices = choosing::choices(candidates, &self.texts, &originals, &differences);
        let differing: BTreeSet<MutantId> = differences
            .values()
            .flatten()
            .map(|found| found.mutant)
            .collect();
        log::line(&format!(
            "captured: {} candidates, {} rejected by rustc, {} steady, {} differ under {} of {} survivors, {} ways to assert",
            candidates.len(),
            built.rejected.len(),
            originals.values.len(),
            differences.len(),
            differing.len(),
            wanted.len(),
            choices.len()
        ));
        let inputs = ProofInputs {
            prepared: self.prepared,
            build,
            interrupt: self.interrupt,
            candidates,
            originals: &originals,
            wanted,
            names: &names,
        };
        let proven = prove(&inputs, &choices)?;
        Ok(proven
            .iter()
            .map(|proven| self.hunk(candidates, proven))
            .collect())
    }

    fn hunk(&self, candidates: &[FileCandidate], proven: &ProvenAssertion) -> PatchHunk {
        let of = &candidates[proven.choice.place as usize - 1];
        let form = &proven.choice.form;
        let assertion = |expression: &str| form.of(expression);
        let (place, text) = of.candidate.written(&assertion);
        let mut remarks = Vec::new();
        if matches!(form, AssertionForm::DebugText(_)) {
            remarks.push("it compares what `Debug` writes, for want of anything else".to_owned());
        }
        if proven.has_threads {
            remarks.push(
                "its test starts threads; other schedules than those of ten runs were not tried"
                    .to_owned(),
            );
        }
        let kills = proven.kills.keys().filter_map(|mutant| {
            let info = &self.records.get(mutant)?.info;
            Some((info.id.0, info.name()))
        });
        PatchHunk {
            file: of.file.clone(),
            place,
            text,
            assertion: form.of(&of.candidate.expression),
            function: of.candidate.function.clone(),
            kills: kills.collect(),
            tests: 0,
            remarks,
        }
    }

    /// Shows the patch, or does with it what was asked for.
    fn finish(&self, hunks: Vec<PatchHunk>, arguments: &WriteArguments) -> Result<ExitCode> {
        let terminal = self.prepared.terminal;
        let plan = &self.prepared.plan;
        if hunks.is_empty() {
            self.say("nothing that could be proven kills any of them");
            return Ok(ExitCode::Survivors);
        }
        let root = plan.workspace_root.as_std_path();
        let all: Vec<&PatchHunk> = hunks.iter().collect();
        let killed = killed_by(&hunks);
        if arguments.output.json {
            return self.json(&hunks);
        }
        if arguments.review {
            let accepted = one_by_one::review(plan, &self.texts, hunks, terminal)?;
            let accepted: Vec<&PatchHunk> = accepted.iter().collect();
            let changed = patch::new_texts(plan, &self.texts, &accepted);
            patch::apply(root, &self.texts, &changed)?;
            self.say(&format!("{} written", count(accepted.len(), "piece")));
            return Ok(ExitCode::Success);
        }
        let changed = patch::new_texts(plan, &self.texts, &all);
        let mut stdout = terminal.stdout();
        match arguments.apply {
            true => patch::apply(root, &self.texts, &changed)?,
            false => write!(stdout, "{}", patch::patch(&self.texts, &changed, &all))?,
        }
        stdout.flush()?;
        self.tell(&hunks, terminal);
        let tests: usize = hunks.iter().map(|hunk| hunk.tests).sum();
        let assertions = hunks.iter().filter(|hunk| hunk.tests == 0).count();
        let parts = [(assertions, "assertion"), (tests, "new test")];
        let parts = parts.iter().filter(|(number, _)| *number > 0);
        let parts: Vec<String> = parts.map(|(number, word)| count(*number, word)).collect();
        self.say(&format!(
            "{} {} {} of {}; each passed on the original and failed on what it kills",
            parts.join(" and "),
            match arguments.apply {
                true => "written that kill",
                false => "would kill",
            },
            killed.len(),
            count(self.records.len(), "survivor")
        ));
        Ok(ExitCode::Success)
    }

    /// What each assertion kills, in words.
    fn tell(&self, hunks: &[PatchHunk], terminal: Terminal) {
        let mut stderr = terminal.stderr();
        for hunk in hunks {
            let text = self.texts.get(&hunk.file).map_or("", String::as_str);
            // With standard error gone there is nobody to tell.
            let _ = writeln!(
                stderr,
                "{}:{} in fn {}: {}",
                hunk.file,
                hunk.line(text),
                hunk.function,
                hunk.assertion
            );
            for (id, name) in &hunk.kills {
                let _ = writeln!(stderr, "  kills {id}: {name}");
            }
            for remark in &hunk.remarks {
                let _ = writeln!(stderr, "  note: {remark}");
            }
        }
    }

    fn json(&self, hunks: &[PatchHunk]) -> Result<ExitCode> {
        let mut list = Vec::new();
        for hunk in hunks {
            let text = self.texts.get(&hunk.file).map_or("", String::as_str);
            let changed = patch::new_texts(&self.prepared.plan, &self.texts, &[hunk]);
            let diff = patch::patch(&self.texts, &changed, &[hunk]);
            list.push(serde_json::json!({
                "file": hunk.file,
                "line": hunk.line(text),
                "function": hunk.function,
                "assertion": hunk.assertion,
                "kills": hunk.kills.iter().map(|(id, _)| id).collect::<Vec<_>>(),
                "remarks": hunk.remarks,
                "diff": anstream::adapter::strip_str(&diff).to_string(),
            }));
        }
        let mut stdout = self.prepared.terminal.stdout();
        serde_json::to_writer_pretty(&mut stdout, &list)?;
        writeln!(stdout)?;
        Ok(ExitCode::Success)
    }
}

fn killed_by(hunks: &[PatchHunk]) -> BTreeSet<u32> {
    let kills = hunks.iter().flat_map(|hunk| &hunk.kills);
    kills.map(|(id, _)| *id).collect()
}

/// The tests of all binaries, by name, package and target.
fn names_of_tests(
    setting: &RunSetting<'_>,
) -> Result<BTreeMap<AddedTest, (String, String, String)>> {
    let mut runner = TestRunner::new(setting, 0)?;
    let mut names = BTreeMap::new();
    for (number, binary) in setting.binaries.iter().enumerate() {
        if !binary.harness {
            continue;
        }
        for (test, name) in runner.tests(number) {
            names.insert(test, (name, binary.package.clone(), binary.target.clone()));
        }
    }
    Ok(names)
}
