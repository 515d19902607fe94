//! Joins the outcomes of several runs over the same sources, as the shards of one, into one.
//!
//! Joining is associative, commutative and idempotent: whatever is given, in whichever order, in one step or in several,
//! what comes out is the same. So each field is joined by a union, a maximum or a minimum, never by a sum, except for
//! times: these are added up over [`PartRecord`]s, of which each run has one.
//!
//! It reads no files and does not know the command line: the caller says which options verdicts depend on.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use atropos_mutants::mutant::MutantId;
use serde_json::Value;

use crate::impact::{Impact, rank};
use crate::outcomes::{
    Exploration, FailingOriginal, FileRecord, Kill, MutantRecord, Outcomes, PartRecord,
    TestExploration, TestRecord, Timings, Totals,
};
use crate::stable_hash::StableHash;
use crate::verdict::Verdict;

/// The outcomes of one run, with the name that messages give them.
pub struct Part {
    pub name: String,
    pub outcomes: Outcomes,
}

/// The result of joining.
pub struct Merged {
    pub outcomes: Outcomes,
    /// Parts that say the same twice, in sentences.
    pub notes: Vec<String>,
    /// The shards that no part is of, as `--shard` names them.
    pub missing: Vec<String>,
}

/// What outcomes have among their options that come from an archive: its name. Each archive has a division into shards of its
/// own.
pub const ARCHIVE: &str = "archive";

/// The options that choose mutants: shards belong together if all of these are the same.
pub const SELECTING: [&str; 14] = [
    "package",
    "workspace",
    "exclude",
    ARCHIVE,
    "file",
    "exclude-file",
    "re",
    "exclude-re",
    "in-diff",
    "since",
    "iterate",
    "order",
    "operators",
    "explore",
];

/// Why parts can't be joined.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    #[error("`{other}` was made by {theirs}, but `{first}` by {ours}")]
    OtherTool {
        first: String,
        other: String,
        ours: String,
        theirs: String,
    },
    #[error("`{other}` is of another text of {file} than `{first}`")]
    OtherText {
        first: String,
        other: String,
        file: String,
    },
    #[error(
        "`{other}` is of another archive than `{first}`, which has other shards; run the shards of one archive"
    )]
    OtherArchive { first: String, other: String },
    #[error(
        "`{other}` ran with {theirs}, but `{first}` with {ours}: verdicts depend on that option"
    )]
    OtherOption {
        first: String,
        other: String,
        ours: String,
        theirs: String,
    },
}

/// Joins parts, of which there is at least one. `decides` says of an option whether verdicts may depend on it.
pub fn merge(parts: Vec<Part>, decides: &dyn Fn(&str) -> bool) -> Result<Merged, MergeError> {
    refuse_foreign(&parts, decides)?;
    let notes = notes(&parts);
    let runs = runs(&parts);
    let missing = missing_shards(&runs);
    let is_complete = missing.is_empty() && runs.iter().all(|run| is_covered(run, &runs));
    let found = parts.iter().map(|part| found(&part.outcomes)).max();
    let tool = parts[0].outcomes.tool.clone();

    let mut joined = Joined::default();
    let mut options: Option<BTreeMap<String, Value>> = None;
    for part in parts {
        let own = part.outcomes.options.clone();
        options = Some(match options {
            None => own,
            Some(mut common) => {
                common.retain(|name, value| own.get(name) == Some(value));
                common
            }
        });
        joined.add(part.outcomes);
    }
    let mut outcomes = joined.outcomes();
    outcomes.tool = tool;
    outcomes.complete = is_complete;
    outcomes.options = options.unwrap_or_default();
    outcomes.selected_of = found.filter(|found| outcomes.mutants.len() < *found);
    outcomes.timings = added_up(&runs);
    outcomes.parts = runs;
    Ok(Merged {
        outcomes,
        notes,
        missing,
    })
}

/// How many mutants were found before any filter.
fn found(outcomes: &Outcomes) -> usize {
    outcomes.selected_of.unwrap_or(outcomes.mutants.len())
}

/// Parts of other sources, of another tool, or with options that other verdicts come from.
fn refuse_foreign(parts: &[Part], decides: &dyn Fn(&str) -> bool) -> Result<(), MergeError> {
    let first = &parts[0];
    let mut texts: HashMap<&str, (&str, &str)> = HashMap::new();
    for part in parts {
        let names = || (first.name.clone(), part.name.clone());
        let (ours, theirs) = (&first.outcomes.tool, &part.outcomes.tool);
        if ours != theirs {
            let (first, other) = names();
            return Err(MergeError::OtherTool {
                first,
                other,
                ours: ours.to_string(),
                theirs: theirs.to_string(),
            });
        }
        let archive = |part: &Part| part.outcomes.options.get(ARCHIVE).cloned();
        if archive(first) != archive(part) {
            let (first, other) = names();
            return Err(MergeError::OtherArchive { first, other });
        }
        if let Some((ours, theirs)) = differing(&first.outcomes, &part.outcomes, decides) {
            let (first, other) = names();
            return Err(MergeError::OtherOption {
                first,
                other,
                ours,
                theirs,
            });
        }
        for FileRecord { file, hash } in &part.outcomes.files {
            let (hash_before, before) = texts.entry(file).or_insert((hash, &part.name));
            if *hash_before != hash {
                return Err(MergeError::OtherText {
                    first: (*before).to_owned(),
                    other: part.name.clone(),
                    file: file.clone(),
                });
            }
        }
    }
    Ok(())
}

/// The first option that verdicts depend on and that differs, as both runs have it.
fn differing(
    ours: &Outcomes,
    theirs: &Outcomes,
    decides: &dyn Fn(&str) -> bool,
) -> Option<(String, String)> {
    let names: BTreeSet<&String> = ours.options.keys().chain(theirs.options.keys()).collect();
    let name = names
        .into_iter()
        .find(|name| decides(name) && ours.options.get(*name) != theirs.options.get(*name))?;
    let told = |outcomes: &Outcomes| match outcomes.options.get(name) {
        None => format!("no `--{name}`"),
        Some(Value::Bool(true)) => format!("`--{name}`"),
        Some(value) => format!("`--{name} {value}`"),
    };
    Some((told(ours), told(theirs)))
}

/// What is said twice.
fn notes(parts: &[Part]) -> Vec<String> {
    let mut notes = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let own: BTreeSet<PartRecord> = own_parts(&part.outcomes).into_iter().collect();
        let keys: BTreeSet<&str> = keys(&part.outcomes).collect();
        for before in &parts[..index] {
            let names = format!("`{}` and `{}`", before.name, part.name);
            let others: BTreeSet<PartRecord> = own_parts(&before.outcomes).into_iter().collect();
            if own == others {
                notes.push(format!("{names} are the same"));
                continue;
            }
            let shard = |record: &PartRecord| record.shard.clone();
            let shards: BTreeSet<String> = own.iter().filter_map(shard).collect();
            let repeated = others.iter().filter_map(shard);
            let repeated: Vec<String> = repeated.filter(|shard| shards.contains(shard)).collect();
            let shared = self::keys(&before.outcomes).filter(|key| keys.contains(key));
            match (repeated.as_slice(), shared.count()) {
                ([], 0) => {}
                ([], shared) => {
                    notes.push(format!("{names} overlap: {shared} mutants are in both"))
                }
                (shards, _) => {
                    notes.push(format!("{names} are both of shard {}", shards.join(", ")))
                }
            }
        }
    }
    notes
}

fn keys(outcomes: &Outcomes) -> impl Iterator<Item = &str> {
    outcomes
        .mutants
        .iter()
        .map(|record| record.info.key.as_str())
}

/// The runs that outcomes were joined from; a single run is its own part.
fn own_parts(outcomes: &Outcomes) -> Vec<PartRecord> {
    if !outcomes.parts.is_empty() {
        return outcomes.parts.clone();
    }
    let shard = outcomes.options.get("shard");
    let mut selection = outcomes.options.clone();
    selection.retain(|name, _| SELECTING.contains(&name.as_str()));
    vec![PartRecord {
        shard: shard.and_then(Value::as_str).map(str::to_owned),
        selection: hash_of(&selection),
        digest: hash_of(outcomes),
        complete: outcomes.complete,
        timings: outcomes.timings,
    }]
}

fn hash_of(value: &impl serde::Serialize) -> String {
    let json = serde_json::to_string(value).expect("outcomes are JSON");
    format!("{:016x}", StableHash::default().text(&json).finish())
}

/// Every run once.
fn runs(parts: &[Part]) -> Vec<PartRecord> {
    let all = parts.iter().flat_map(|part| own_parts(&part.outcomes));
    let runs: BTreeSet<PartRecord> = all.collect();
    runs.into_iter().collect()
}

/// Whether a run went to its end, or one like it did: a shard that was killed is run again.
fn is_covered(run: &PartRecord, runs: &[PartRecord]) -> bool {
    let is_like_it =
        |other: &&PartRecord| (&other.shard, &other.selection) == (&run.shard, &run.selection);
    runs.iter().filter(is_like_it).any(|other| other.complete)
}

/// The shards that are named by the number in all, but not there.
fn missing_shards(runs: &[PartRecord]) -> Vec<String> {
    // Of each selection and number of shards, those that are there.
    let mut there: BTreeMap<(&str, usize), BTreeSet<usize>> = BTreeMap::new();
    for run in runs {
        let shard = run.shard.as_deref().and_then(|shard| shard.split_once('/'));
        let Some((index, count)) = shard else {
            continue;
        };
        if let (Ok(index), Ok(count)) = (index.parse(), count.parse()) {
            there
                .entry((&run.selection, count))
                .or_default()
                .insert(index);
        }
    }
    let is_whole = |selection: &str| {
        let unsharded = runs
            .iter()
            .any(|run| run.shard.is_none() && run.selection == selection);
        let all_there = |((of, count), indices): (&(&str, usize), &BTreeSet<usize>)| {
            *of == selection && indices.len() == *count
        };
        unsharded || there.iter().any(all_there)
    };
    let lacking = there
        .iter()
        .filter(|((selection, _), _)| !is_whole(selection));
    let missing = lacking.flat_map(|((_, count), indices)| {
        let absent = (0..*count).filter(|index| !indices.contains(index));
        absent.map(move |index| format!("{index}/{count}"))
    });
    let missing: BTreeSet<String> = missing.collect();
    missing.into_iter().collect()
}

fn added_up(runs: &[PartRecord]) -> Timings {
    let mut sum = Timings::default();
    for PartRecord { timings, .. } in runs {
        let Timings {
            find,
            check,
            build,
            baseline,
            run,
            impact,
            observed,
            total,
        } = timings;
        sum.find += find;
        sum.check += check;
        sum.build += build;
        sum.baseline += baseline;
        sum.run += run;
        sum.impact += impact;
        sum.observed += observed;
        sum.total += total;
    }
    sum
}

/// A test as all runs know it: package, target, name.
type TestName = (String, String, String);

/// What parts say, with tests by name and mutants by key, because numbers hold for one run.
#[derive(Default)]
struct Joined {
    tests: BTreeMap<TestName, f64>,
    mutants: BTreeMap<String, Witness>,
    explorations: Vec<(TestName, TestExploration)>,
    findings: Vec<(TestName, FailingOriginal, BTreeSet<String>)>,
    warnings: BTreeSet<String>,
    files: BTreeMap<String, String>,
}

impl Joined {
    fn add(&mut self, outcomes: Outcomes) {
        let names: Vec<TestName> = outcomes.tests.iter().map(name_of).collect();
        for (test, name) in outcomes.tests.iter().zip(&names) {
            let seconds = self.tests.entry(name.clone()).or_default();
            *seconds = seconds.max(test.seconds);
        }
        let keys: HashMap<MutantId, String> = outcomes
            .mutants
            .iter()
            .map(|record| (record.info.id, record.info.key.clone()))
            .collect();
        for record in outcomes.mutants {
            let key = record.info.key.clone();
            let witness = Witness::of(record, &names);
            match self.mutants.remove(&key) {
                None => self.mutants.insert(key, witness),
                Some(before) => self.mutants.insert(key, before.join(witness)),
            };
        }
        for exploration in outcomes.explorations {
            let name = names[exploration.test].clone();
            let named = (
                name,
                TestExploration {
                    test: 0,
                    ..exploration
                },
            );
            if !self.explorations.contains(&named) {
                self.explorations.push(named);
            }
        }
        for finding in outcomes.findings {
            let undecided = finding
                .undecided
                .iter()
                .filter_map(|id| keys.get(id).cloned());
            self.add_finding(
                names[finding.test].clone(),
                finding.clone(),
                undecided.collect(),
            );
        }
        self.warnings.extend(outcomes.warnings);
        for FileRecord { file, hash } in outcomes.files {
            self.files.insert(file, hash);
        }
    }

    fn add_finding(
        &mut self,
        name: TestName,
        mut finding: FailingOriginal,
        undecided: BTreeSet<String>,
    ) {
        // What tells findings apart, without the numbers.
        finding.test = 0;
        finding.undecided.clear();
        let known = self
            .findings
            .iter_mut()
            .find(|(other, known, _)| *other == name && *known == finding);
        match known {
            Some((_, _, keys)) => keys.extend(undecided),
            None => self.findings.push((name, finding, undecided)),
        }
    }

    /// All of it, in an order that does not depend on that of the parts, and numbered anew.
    fn outcomes(self) -> Outcomes {
        let places: HashMap<&TestName, usize> = self.tests.keys().zip(0..).collect();
        let mut witnesses: Vec<Witness> = self.mutants.into_values().collect();
        witnesses.sort_by(|one, other| one.order().cmp(&other.order()));
        let mut ids: HashMap<String, MutantId> = HashMap::new();
        let mut mutants: Vec<MutantRecord> = Vec::new();
        for (id, witness) in (1..).map(MutantId).zip(witnesses) {
            ids.insert(witness.record.info.key.clone(), id);
            mutants.push(witness.finished(id, &places));
        }
        rank(&mut mutants);
        let mut findings: Vec<FailingOriginal> = Vec::new();
        for (name, finding, undecided) in self.findings {
            let mut undecided: Vec<MutantId> = undecided.iter().map(|key| ids[key]).collect();
            undecided.sort_unstable();
            findings.push(FailingOriginal {
                test: places[&name],
                undecided,
                ..finding
            });
        }
        findings.sort_by_cached_key(|finding| (finding.test, hash_of(finding)));
        let located = self
            .explorations
            .iter()
            .map(|(name, known)| TestExploration {
                test: places[name],
                ..known.clone()
            });
        let mut explorations: Vec<TestExploration> = located.collect();
        explorations.sort_by_cached_key(|one| (one.test, hash_of(one)));
        let files = self.files.into_iter();
        let files = files
            .map(|(file, hash)| FileRecord { file, hash })
            .collect();
        let tests = self
            .tests
            .iter()
            .map(|((package, target, name), seconds)| TestRecord {
                name: name.clone(),
                package: package.clone(),
                target: target.clone(),
                seconds: *seconds,
            });
        let mut outcomes = Outcomes::new(Default::default(), tests.collect(), mutants);
        outcomes.totals = Totals::count(outcomes.mutants.iter().map(|record| record.verdict));
        outcomes.explorations = explorations;
        outcomes.findings = findings;
        outcomes.warnings = self.warnings.into_iter().collect();
        outcomes.files = files;
        outcomes
    }
}

fn name_of(test: &TestRecord) -> TestName {
    (test.package.clone(), test.target.clone(), test.name.clone())
}

/// What parts say of one mutant. The record's own lists of tests are empty: numbers of tests hold for one run.
struct Witness {
    record: MutantRecord,
    reached_by: BTreeSet<TestName>,
    killed_by: BTreeMap<TestName, Kill>,
    explored_by: BTreeMap<TestName, Exploration>,
}

impl Witness {
    fn of(mut record: MutantRecord, names: &[TestName]) -> Witness {
        let reached_by = std::mem::take(&mut record.reached_by).into_iter();
        let killed_by = std::mem::take(&mut record.killed_by).into_iter();
        let explored_by = std::mem::take(&mut record.explored_by).into_iter();
        record.rank = None;
        if record.verdict.is_some_and(Verdict::is_killed) {
            record.note = None;
        }
        Witness {
            reached_by: reached_by.map(|test| names[test].clone()).collect(),
            killed_by: killed_by
                .map(|kill| (names[kill.test].clone(), Kill { test: 0, ..kill }))
                .collect(),
            explored_by: explored_by
                .map(|one| (names[one.test].clone(), Exploration { test: 0, ..one }))
                .collect(),
            record,
        }
    }

    fn join(mut self, other: Witness) -> Witness {
        self.reached_by.extend(other.reached_by);
        for (test, kill) in other.killed_by {
            let kill = match self.killed_by.remove(&test) {
                Some(before) if kill_order(&before) <= kill_order(&kill) => before,
                _ => kill,
            };
            self.killed_by.insert(test, kill);
        }
        for (test, one) in other.explored_by {
            let order = |one: &Exploration| (one.schedules, one.coverage.clone());
            let most = match self.explored_by.remove(&test) {
                Some(before) if order(&before) >= order(&one) => before,
                _ => one,
            };
            self.explored_by.insert(test, most);
        }
        self.record = join_records(self.record, other.record);
        self
    }

    fn order(&self) -> (&str, &str, usize, usize, &str) {
        let info = &self.record.info;
        (
            &info.package,
            &info.file,
            info.span.start,
            info.span.end,
            &info.key,
        )
    }

    fn finished(self, id: MutantId, places: &HashMap<&TestName, usize>) -> MutantRecord {
        let mut record = self.record;
        record.info.id = id;
        record.reached_by = self.reached_by.iter().map(|test| places[test]).collect();
        let kills = self.killed_by.into_iter();
        record.killed_by = kills
            .map(|(test, kill)| Kill {
                test: places[&test],
                ..kill
            })
            .collect();
        let explored = self.explored_by.into_iter();
        record.explored_by = explored
            .map(|(test, one)| Exploration {
                test: places[&test],
                ..one
            })
            .collect();
        record
    }
}

fn kill_order(kill: &Kill) -> impl Ord + use<> {
    let Kill {
        how,
        message,
        location,
        schedule,
        trace,
        ..
    } = kill.clone();
    (how, message, location, schedule, trace)
}

/// What two parts say of one mutant, but for the tests.
fn join_records(one: MutantRecord, other: MutantRecord) -> MutantRecord {
    let verdicts = agreed(
        verdicts_of(&one)
            .into_iter()
            .chain(verdicts_of(&other))
            .collect(),
    );
    let (verdict, disagreement) = match verdicts.as_slice() {
        [] => (undecided_more(&one, &other), Vec::new()),
        [verdict] => (Some(*verdict), Vec::new()),
        _ => (Some(Verdict::Undecided), verdicts),
    };
    let agrees =
        |record: &&MutantRecord| record.verdict == verdict && record.disagreement == disagreement;
    let note = match verdict {
        _ if !disagreement.is_empty() => Some(disagreement_in_words(&disagreement)),
        Some(Verdict::Killed(_)) => None,
        _ => {
            let notes = [&one, &other].into_iter().filter(agrees);
            notes.filter_map(|record| record.note.clone()).min()
        }
    };
    let impact: Option<Impact> = match verdict {
        Some(Verdict::Survived) => {
            let impacts = [&one, &other]
                .into_iter()
                .filter_map(|record| record.impact.clone());
            impacts.min_by_key(|impact| serde_json::to_string(impact).expect("impact is JSON"))
        }
        _ => None,
    };
    MutantRecord {
        seconds: one.seconds.max(other.seconds),
        verdict,
        disagreement,
        note,
        impact,
        ..one
    }
}

/// The verdicts that a record stands for; none if it says that there is none yet.
fn verdicts_of(record: &MutantRecord) -> Vec<Verdict> {
    match record.verdict {
        _ if !record.disagreement.is_empty() => record.disagreement.clone(),
        None | Some(Verdict::Skipped | Verdict::Undecided) => Vec::new(),
        Some(verdict) => vec![verdict],
    }
}

/// The verdicts without those that are no contradiction to others: killed in another way, and missed but accepted.
fn agreed(verdicts: BTreeSet<Verdict>) -> Vec<Verdict> {
    let first_kill = verdicts.iter().copied().find(|verdict| verdict.is_killed());
    let is_accepted = verdicts.contains(&Verdict::Accepted);
    let stays = |verdict: &Verdict| match verdict.is_killed() {
        true => Some(*verdict) == first_kill,
        false => !(is_accepted && verdict.is_missed()),
    };
    verdicts.into_iter().filter(stays).collect()
}

/// Without a verdict on either side: undecided says more than skipped, and that more than nothing.
fn undecided_more(one: &MutantRecord, other: &MutantRecord) -> Option<Verdict> {
    let weight = |verdict: &Option<Verdict>| match verdict {
        Some(Verdict::Undecided) => 2,
        Some(_) => 1,
        None => 0,
    };
    [one.verdict, other.verdict]
        .into_iter()
        .max_by_key(weight)
        .flatten()
}

fn disagreement_in_words(verdicts: &[Verdict]) -> String {
    let words: Vec<String> = verdicts.iter().map(Verdict::to_string).collect();
    format!(
        "undecided: the parts of this report disagree ({}); a test may pass and fail by chance",
        words.join(" and ")
    )
}
