//! The store: what tests said of mutants in earlier runs, each with its evidence.
//!
//! One file in the output directory, written whole under another name and then renamed, so that a run that is killed leaves
//! the old one. Who writes it holds the directory's lock. A file of another version, or one that can't be read, is as if there
//! were none: it costs time, never a verdict.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::Path;

use atropos_mutants::mutant::MutantId;
use atropos_protocol::path_set::Paths;
use serde::{Deserialize, Serialize};

use super::learned::{NewResults, TestUses};
use super::surroundings::Variables;
use super::{CodeEvidence, ContentHash, Surroundings};
use crate::journal::{JournalEntry, KillEntry};
use crate::plan::Plan;

pub const FILE_NAME: &str = "verdicts.json";
const VERSION: u32 = 2;
/// Runs after which a result that was not used is forgotten.
const MOST_UNUSED: u32 = 30;

/// All that is kept.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Store {
    version: u32,
    /// Counts the runs that have written here.
    run: u32,
    /// Under which circumstances results were had.
    circumstances: Vec<Circumstances>,
    /// Functions, by their texts.
    functions: Vec<ContentHash>,
    /// Sets of functions that runs have entered, by their places in `functions`.
    sets: Vec<Vec<u32>>,
    tests: Vec<String>,
    results: Vec<StoredResult>,
}

/// All that a result depends on but the functions that its run entered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Circumstances {
    world: ContentHash,
    /// The files of the tree that a build or a test reads, without the bodies of functions.
    outside: ContentHash,
    /// The code that tests have read, with the bodies of functions.
    code: ContentHash,
    /// Paths in the tree that tests have used.
    tree_files: Vec<u64>,
    /// The variables of the environment that were asked for, and their values by target.
    asked: Vec<u64>,
    all_variables: bool,
    values: BTreeMap<String, ContentHash>,
}

/// What a test said of a mutant.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredResult {
    mutant: ContentHash,
    test: u32,
    circumstances: u32,
    set: u32,
    /// Whether it depends on the code that tests have read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    reads_code: bool,
    /// The last run that it was of use in.
    used: u32,
    seconds: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kill: Option<KillEntry>,
}

/// What this run is to be compared with.
pub struct CurrentRun<'a> {
    pub plan: &'a Plan,
    pub code: &'a CodeEvidence,
    pub surroundings: &'a Surroundings,
}

impl Store {
    /// Reads what earlier runs left in the output directory.
    pub fn read(output: &Path) -> Store {
        let bytes = fs::read(output.join(FILE_NAME)).unwrap_or_default();
        let store: Option<Store> = serde_json::from_slice(&bytes).ok();
        let mut store = store
            .filter(|store| store.version == VERSION)
            .unwrap_or_default();
        store.run += 1;
        store
    }

    /// Replaces what is in the output directory.
    pub fn write(&self, output: &Path) -> io::Result<()> {
        let making = output.join(format!("{FILE_NAME}.making"));
        fs::write(&making, serde_json::to_vec(self)?)?;
        fs::rename(making, output.join(FILE_NAME))
    }

    /// The results that still hold, for the mutants of the plan, and what they have used. Those results are marked as used.
    pub fn holding(&mut self, now: &CurrentRun<'_>) -> (Vec<JournalEntry>, TestUses) {
        let ids = ids(now);
        let current: BTreeSet<ContentHash> = now.code.functions.iter().copied().collect();
        let known: Vec<bool> = self
            .functions
            .iter()
            .map(|function| current.contains(function))
            .collect();
        let holds = |set: &Vec<u32>| set.iter().all(|&function| known[function as usize]);
        let sets: Vec<bool> = self.sets.iter().map(holds).collect();
        let circumstances = self.circumstances.iter();
        let circumstances: Vec<Option<Holding<'_>>> =
            circumstances.map(|then| Holding::of(then, now)).collect();
        let mut entries = Vec::new();
        let mut used = TestUses::default();
        for result in &mut self.results {
            let test = &self.tests[result.test as usize];
            let Some(&mutant) = ids.get(&result.mutant) else {
                continue;
            };
            let Some(holding) = &circumstances[result.circumstances as usize] else {
                continue;
            };
            let targets = &holding.targets;
            if !sets[result.set as usize]
                || result.reads_code && !holding.is_code_as_before
                || !targets.iter().any(|target| is_of(test, target))
            {
                continue;
            }
            result.used = self.run;
            used.unite(&holding.used);
            entries.push(JournalEntry {
                test: test.clone(),
                mutant,
                seconds: result.seconds,
                kill: result.kill.clone(),
                explored: None,
            });
        }
        (entries, used)
    }

    /// Adds what this run has learned, and forgets what was of no use for long.
    pub fn add(&mut self, learned: &NewResults, now: &CurrentRun<'_>) {
        let mut asked = learned.variables().clone();
        asked.all |= now.code.asks_for_all_variables;
        let values = now.surroundings.targets().filter_map(|target| {
            let values = now.surroundings.values(target, &asked)?;
            Some((target.clone(), values))
        });
        let circumstances = Circumstances {
            world: now.surroundings.world,
            outside: now.code.source_files.outside(learned.tree_files()),
            code: now.code.source_files.code(learned.tree_files()),
            tree_files: learned.tree_files().words().to_vec(),
            asked: asked.asked.words().to_vec(),
            all_variables: asked.all,
            values: values.collect(),
        };
        let infos: HashMap<MutantId, ContentHash> = ids(now)
            .into_iter()
            .map(|(identity, id)| (id, identity))
            .collect();
        let mut packed = Packed::of(self);
        let place = packed.circumstances(circumstances);
        let run = self.run;
        for (test, mutant, result) in learned.results() {
            let Some(&mutant) = infos.get(&mutant) else {
                continue;
            };
            let entered = learned.set(result.set).iter();
            let functions = entered.map(|&function| now.code.functions[function as usize]);
            packed.results.push(StoredResult {
                mutant,
                test: packed_place(&mut packed.tests, test.to_owned()),
                circumstances: place,
                set: 0,
                reads_code: result.reads_code,
                used: run,
                seconds: result.seconds,
                kill: result.kill.clone(),
            });
            let set = packed.set(functions.collect());
            packed.results.last_mut().expect("just added").set = set;
        }
        *self = packed.store(run);
    }
}

/// Whether a test, by its name in the journal, is of a target.
fn is_of(test: &str, target: &str) -> bool {
    test.strip_prefix(target)
        .is_some_and(|rest| rest.starts_with(' '))
}

/// The numbers of the plan's mutants by their identities. Of those that nothing tells apart none has a result.
fn ids(now: &CurrentRun<'_>) -> HashMap<ContentHash, MutantId> {
    let pairs: BTreeSet<MutantId> = now.plan.pairs.iter().map(|pair| pair.id).collect();
    let mut ids = HashMap::new();
    let mut twice = Vec::new();
    for info in now
        .plan
        .mutants
        .iter()
        .filter(|info| !pairs.contains(&info.id))
    {
        if let Some(identity) = now.code.identity(info)
            && ids.insert(identity, info.id).is_some()
        {
            twice.push(identity);
        }
    }
    for identity in twice {
        ids.remove(&identity);
    }
    ids
}

/// What of some circumstances is as it was.
struct Holding<'s> {
    /// The targets whose tests run under the same circumstances.
    targets: BTreeSet<&'s str>,
    /// The code that tests have read.
    is_code_as_before: bool,
    used: TestUses,
}

impl<'s> Holding<'s> {
    /// None if all is different.
    fn of(then: &'s Circumstances, now: &CurrentRun<'_>) -> Option<Holding<'s>> {
        let used = TestUses {
            variables: Paths::of_words(&then.asked)?,
            tree_files: Paths::of_words(&then.tree_files)?,
        };
        let files = &now.code.source_files;
        if then.world != now.surroundings.world || then.outside != files.outside(&used.tree_files) {
            return None;
        }
        let variables = Variables {
            asked: used.variables.clone(),
            all: then.all_variables,
        };
        let values = then.values.iter();
        let targets = values.filter(|(target, values)| {
            now.surroundings.values(target, &variables) == Some(**values)
        });
        Some(Holding {
            targets: targets.map(|(target, _)| target.as_str()).collect(),
            is_code_as_before: then.code == files.code(&used.tree_files),
            used,
        })
    }
}

/// A store that is put together anew: only what is referred to is in it, and everything once.
#[derive(Default)]
struct Packed {
    circumstances: Vec<Circumstances>,
    functions: HashMap<ContentHash, u32>,
    sets: HashMap<Vec<u32>, u32>,
    tests: HashMap<String, u32>,
    results: Vec<StoredResult>,
}

fn packed_place<T: std::hash::Hash + Eq>(places: &mut HashMap<T, u32>, item: T) -> u32 {
    let next = places.len() as u32;
    *places.entry(item).or_insert(next)
}

fn in_order<T: Clone>(places: HashMap<T, u32>) -> Vec<T> {
    let mut items: Vec<(T, u32)> = places.into_iter().collect();
    items.sort_by_key(|(_, place)| *place);
    items.into_iter().map(|(item, _)| item).collect()
}

impl Packed {
    /// What of a store is worth keeping.
    fn of(store: &Store) -> Packed {
        let mut packed = Packed::default();
        for result in &store.results {
            if store.run.saturating_sub(result.used) > MOST_UNUSED {
                continue;
            }
            let circumstances = &store.circumstances[result.circumstances as usize];
            let set = store.sets[result.set as usize].iter();
            let functions = set.map(|&function| store.functions[function as usize]);
            let result = StoredResult {
                test: packed_place(&mut packed.tests, store.tests[result.test as usize].clone()),
                circumstances: packed.circumstances(circumstances.clone()),
                set: packed.set(functions.collect()),
                ..result.clone()
            };
            packed.results.push(result);
        }
        packed
    }

    fn circumstances(&mut self, circumstances: Circumstances) -> u32 {
        let known = self
            .circumstances
            .iter()
            .position(|it| *it == circumstances);
        let place = known.unwrap_or_else(|| {
            self.circumstances.push(circumstances);
            self.circumstances.len() - 1
        });
        place as u32
    }

    fn set(&mut self, functions: Vec<ContentHash>) -> u32 {
        let places = functions.into_iter();
        let mut places: Vec<u32> = places
            .map(|function| packed_place(&mut self.functions, function))
            .collect();
        places.sort_unstable();
        packed_place(&mut self.sets, places)
    }

    /// The last word on a mutant, test and circumstances counts.
    fn store(self, run: u32) -> Store {
        let mut last: BTreeMap<(ContentHash, u32, u32), StoredResult> = BTreeMap::new();
        for result in self.results {
            last.insert((result.mutant, result.test, result.circumstances), result);
        }
        Store {
            version: VERSION,
            run,
            circumstances: self.circumstances,
            functions: in_order(self.functions),
            sets: in_order(self.sets),
            tests: in_order(self.tests),
            results: last.into_values().collect(),
        }
    }
}
