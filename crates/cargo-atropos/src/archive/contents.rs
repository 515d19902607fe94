//! What an archive holds, in the order of its entries: a header that says who can read it, what was built, the files, and an
//! end, by which one sees that nothing is missing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use atropos_mutants::mutant::MutantId;
use atropos_report::outcomes::Tool;
use serde::{Deserialize, Serialize};

use crate::build::doctests::Doctests;
use crate::build::observed::ObservedBuild;
use crate::build::{Build, UserBuild};
use crate::nextest_filter::DefaultFilter;
use crate::plan::Plan;

/// The version of the format. A program reads no other.
pub const FORMAT: u32 = 1;

/// The names of the entries.
pub const HEADER: &str = "atropos-archive.json";
pub const CONTENTS: &str = "contents.json";
pub const END: &str = "end.json";
/// Below it stand files under the paths that they were found at.
pub const TREE: &str = "tree";

/// The first entry. Only `format` and `tool` are the same in all versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveHeader {
    pub format: u32,
    /// The program that made it.
    pub tool: Tool,
    /// Names this archive: no other has the same programs and the same division into shards.
    pub id: String,
    /// Names the code that the programs have of ours. They can only talk to a driver that has the same.
    pub runtime: String,
}

/// The last entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// How many entries come before it.
    pub entries: usize,
}

/// The second entry: what a run has to know before it runs anything.
#[derive(Serialize, Deserialize)]
pub struct Contents {
    /// The options of the run, as a config file has them.
    pub options: String,
    pub plan: Plan,
    /// Of the files with mutants.
    pub texts: BTreeMap<String, String>,
    pub accepted: Option<String>,
    /// How many mutants were found, before any filter.
    pub found: usize,
    pub warnings: Vec<String>,
    pub workspace_root: PathBuf,
    pub user_build: UserBuild,
    /// The directories of the user's files.
    pub sources: Vec<PathBuf>,
    /// The directories below which everything lies that is packed.
    pub roots: Vec<PathBuf>,
    pub programs: Programs,
    pub default_filter: DefaultFilter,
    /// By mutant, from the first one on: what it is expected to take, in microseconds.
    pub costs: Vec<u64>,
}

/// All that was built.
#[derive(Serialize, Deserialize)]
pub struct Programs {
    pub build: Build,
    pub doctests: Doctests,
    pub explored: Option<Build>,
    /// Why there are no programs for exploration.
    pub not_explored: Option<String>,
    pub observed: Option<ObservedBuild>,
}

impl Contents {
    /// The mutants of a shard. Pairs stay with the mutants that they are made of.
    pub fn shard(&self, index: usize, count: usize) -> BTreeSet<MutantId> {
        let groups = self.groups();
        let cost = |group: &Vec<MutantId>| -> u64 {
            let costs = group.iter().map(|id| self.costs[id.index() - 1]);
            costs.sum()
        };
        let costs: Vec<u64> = groups.iter().map(cost).collect();
        let shards = atropos_report::shards::divide(&costs, count);
        let mine = groups.iter().zip(shards);
        mine.filter(|(_, shard)| *shard == index)
            .flat_map(|(group, _)| group.iter().copied())
            .collect()
    }

    /// The mutants that must not be parted.
    fn groups(&self) -> Vec<Vec<MutantId>> {
        let ids = self.plan.mutants.iter().map(|info| info.id);
        let mut group_of: Vec<usize> = (0..=self.plan.mutants.len()).collect();
        for pair in &self.plan.pairs {
            let [one, other] = pair.parts.map(|id| group_of[id.index()]);
            let joined = one.min(other);
            for group in &mut group_of {
                if *group == one || *group == other {
                    *group = joined;
                }
            }
            group_of[pair.id.index()] = joined;
        }
        let mut groups: BTreeMap<usize, Vec<MutantId>> = BTreeMap::new();
        for id in ids {
            groups.entry(group_of[id.index()]).or_default().push(id);
        }
        groups.into_values().collect()
    }
}
