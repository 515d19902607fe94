//! Partial-order reduction: in a state where one object's steps are internal and no other object can do anything that
//! matters to them before it moves, the other objects' steps may wait (a persistent set of one object).
//!
//! Only objects of the same or a higher rank count: lower ones can't move while the object can. What matters is
//! decided over (object, attribute) cells of original and mutants together, and an alternative that touches the same
//! cells is still harmless if its guard is false and stays false while the object does not move.
//!
//! A lower-ranked alternative reads every higher guard: what changes such a guard depends on all that it ranks above.
//!
//! Cycles are the explorer's part: where a step leads back into the closure, everything is expanded.

use super::footprint::{Footprint, FootprintCells, Footprints};
use super::guard_cache::{DisabledAlternatives, GuardCache};
use super::guard_prediction::GuardPrediction;
use crate::model::{CodeId, Model, ObjectId, State, Stmt, StmtKind};
use crate::mutation::{MutantSet, MutationMode};
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// The number of an alternative, over all objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct AlternativeId(pub u32);

impl AlternativeId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An alternative of an object's block.
pub(super) struct Alternative {
    pub object: ObjectId,
    /// Of its object.
    pub rank: usize,
    /// How to find its statement: positions in nested choices and priorities.
    path: Vec<usize>,
    /// Alternatives of other objects that touch the same cells.
    pub conflicts: Vec<AlternativeId>,
    /// Too many to look through, or it may change what ranks above it: then everything is in conflict.
    pub hopeless: bool,
}

pub struct Reducer {
    pub(super) model: Arc<Model>,
    pub(super) cells: FootprintCells,
    pub(super) alternatives: Vec<Alternative>,
    /// Per object its alternatives.
    of_objects: Vec<Range<u32>>,
    /// Per cell the alternatives that write it.
    pub(super) writers: Vec<Vec<AlternativeId>>,
    /// Per object the objects whose attributes its block may read or write.
    touched: Vec<Box<[ObjectId]>>,
    /// Per object the positions, in the order of ranks, of those whose block may touch it.
    touchers: Vec<Vec<u32>>,
}

/// More conflicts than this are not worth looking through.
const MOST_CONFLICTS: usize = 4096;

impl Reducer {
    pub fn new(model: &Arc<Model>) -> Reducer {
        let mut footprints = Footprints::new(model);
        let mut ranks = vec![usize::MAX; model.objects.len()];
        for (rank, objects) in model.ranks.iter().enumerate() {
            objects
                .iter()
                .for_each(|object| ranks[object.index()] = rank);
        }
        let mut found: Vec<Found> = Vec::new();
        let mut of_objects = vec![0..0; model.objects.len()];
        for (at, of_object) in of_objects.iter_mut().enumerate() {
            let object = ObjectId(at as u32);
            let first = found.len();
            let runs = ranks[at] != usize::MAX;
            if let Some(block) = model.class_of(object).block.filter(|_| runs) {
                let body = &model.code(block).body;
                let path = &mut Vec::new();
                let mut out = Vec::new();
                let before = &Footprint::default();
                split(&mut footprints, object, block, body, path, before, &mut out);
                found.extend(out.into_iter().map(|(path, footprint)| Found {
                    object,
                    rank: ranks[at],
                    path,
                    footprint,
                }));
            }
            *of_object = first as u32..found.len() as u32;
        }
        let count = footprints.cells.count;
        let mut readers: Vec<Vec<AlternativeId>> = vec![Vec::new(); count];
        let mut writers: Vec<Vec<AlternativeId>> = vec![Vec::new(); count];
        for (at, Found { footprint, .. }) in found.iter().enumerate() {
            let id = AlternativeId(at as u32);
            let reads = footprint.reads.iter();
            reads.for_each(|cell| readers[*cell as usize].push(id));
            let writes = footprint.writes.iter();
            writes.for_each(|cell| writers[*cell as usize].push(id));
        }
        let touched: Vec<Box<[ObjectId]>> = of_objects
            .iter()
            .map(|range| {
                touched(
                    &footprints.cells,
                    &found[range.start as usize..range.end as usize],
                )
            })
            .collect();
        let guards = Guards::new(model.ranks.len(), &found);
        let alternatives = found
            .iter()
            .map(|one| {
                let mut conflicts = conflicts(one, &found, &readers, &writers);
                let raisers = guards.raisers[one.rank].iter();
                conflicts.extend(raisers.filter(|id| found[id.index()].object != one.object));
                let hopeless =
                    conflicts.len() >= MOST_CONFLICTS || guards.raises(one.rank, &one.footprint);
                Alternative {
                    object: one.object,
                    rank: one.rank,
                    path: one.path.clone(),
                    conflicts,
                    hopeless,
                }
            })
            .collect();
        Reducer {
            model: model.clone(),
            cells: footprints.cells,
            alternatives,
            of_objects,
            writers,
            touchers: touchers(model, &touched),
            touched,
        }
    }

    pub(super) fn alternative(&self, id: AlternativeId) -> &Alternative {
        &self.alternatives[id.index()]
    }

    pub(super) fn of_object(&self, object: ObjectId) -> impl Iterator<Item = AlternativeId> {
        self.of_objects[object.index()].clone().map(AlternativeId)
    }

    /// The objects whose attributes the block of `object` may read or write, whoever acts.
    pub(super) fn touched(&self, object: ObjectId) -> &[ObjectId] {
        &self.touched[object.index()]
    }

    /// The positions, in the order of ranks, of the objects whose block may touch `object`, whoever acts.
    pub(super) fn touchers(&self, object: ObjectId) -> &[u32] {
        &self.touchers[object.index()]
    }

    /// Whether the steps of `object` alone are enough in `state`. Mutants on which the answer rests are added to
    /// `relied`: they must find out for themselves.
    pub(super) fn is_enough(
        &self,
        object: ObjectId,
        state: &State,
        mode: &MutationMode,
        guards: &mut GuardCache,
        relied: &mut MutantSet,
    ) -> bool {
        let mut disabled = DisabledAlternatives::new(self, object, state, mode, guards);
        let enough = disabled.let_move();
        for point in disabled.relied {
            let point = self.model.mutants.point(point);
            (1..=point.variants).for_each(|variant| relied.insert(point.mutant(variant)));
        }
        enough
    }

    pub(super) fn disabled(&self, forecast: &mut GuardPrediction, id: AlternativeId) -> bool {
        let alternative = self.alternative(id);
        let Some(block) = self.model.class_of(alternative.object).block else {
            return true;
        };
        let stmt = locate(&self.model.code(block).body, &alternative.path);
        forecast.disabled(alternative.object, block, stmt)
    }
}

/// An alternative with what it touches.
struct Found {
    object: ObjectId,
    rank: usize,
    path: Vec<usize>,
    footprint: Footprint,
}

fn touched(cells: &FootprintCells, alternatives: &[Found]) -> Box<[ObjectId]> {
    let footprints = alternatives.iter().map(|one| &one.footprint);
    let all = footprints.flat_map(|footprint| footprint.reads.iter().chain(&footprint.writes));
    let objects: BTreeSet<ObjectId> = all.map(|cell| cells.object(*cell)).collect();
    objects.into_iter().collect()
}

/// Per object the positions of those that may touch it.
fn touchers(model: &Model, touched: &[Box<[ObjectId]>]) -> Vec<Vec<u32>> {
    let mut touchers: Vec<Vec<u32>> = vec![Vec::new(); model.objects.len()];
    for (object, position) in model.ranks.iter().flatten().zip(0..) {
        for other in &touched[object.index()] {
            touchers[other.index()].push(position);
        }
    }
    touchers
}

/// Who may change the guards of higher ranks.
struct Guards {
    /// Per rank the cells that higher ranks read.
    read_above: Vec<HashSet<u32>>,
    /// Per rank the alternatives, of this rank or above, that write such cells.
    raisers: Vec<Vec<AlternativeId>>,
}

impl Guards {
    fn new(ranks: usize, found: &[Found]) -> Guards {
        let mut guards = Guards {
            read_above: Vec::new(),
            raisers: Vec::new(),
        };
        for rank in 0..ranks {
            let above = found.iter().filter(|one| one.rank < rank);
            let read = above.flat_map(|one| one.footprint.reads.iter().copied());
            guards.read_above.push(read.collect());
            let numbered = (0..).map(AlternativeId).zip(found);
            let raisers = numbered
                .filter(|(_, one)| one.rank <= rank && guards.raises(rank, &one.footprint))
                .map(|(id, _)| id)
                .collect();
            guards.raisers.push(raisers);
        }
        guards
    }

    fn raises(&self, rank: usize, footprint: &Footprint) -> bool {
        footprint
            .writes
            .iter()
            .any(|cell| self.read_above[rank].contains(cell))
    }
}

fn locate<'m>(stmt: &'m Stmt, path: &[usize]) -> &'m Stmt {
    match (&stmt.kind, path.split_first()) {
        (StmtKind::Choice(parts) | StmtKind::Prio(parts), Some((first, rest))) => {
            locate(&parts[*first], rest)
        }
        _ => stmt,
    }
}

/// The alternatives of a block with what they touch; those to the right of `//` also look at all to their left.
fn split(
    footprints: &mut Footprints,
    object: ObjectId,
    block: CodeId,
    stmt: &Stmt,
    path: &mut Vec<usize>,
    before: &Footprint,
    out: &mut Vec<(Vec<usize>, Footprint)>,
) {
    match &stmt.kind {
        StmtKind::Choice(parts) => {
            for (at, part) in parts.iter().enumerate() {
                path.push(at);
                split(footprints, object, block, part, path, before, out);
                path.pop();
            }
        }
        StmtKind::Prio(parts) => {
            let mut before = before.clone();
            for (at, part) in parts.iter().enumerate() {
                path.push(at);
                split(footprints, object, block, part, path, &before, out);
                path.pop();
                let left = footprints.statement(object, block, part);
                before.reads.extend(left.reads);
                before.reads.extend(left.writes);
                before.reads.sort_unstable();
                before.reads.dedup();
            }
        }
        _ => {
            let mut footprint = footprints.statement(object, block, stmt);
            footprint.reads.extend(&before.reads);
            footprint.reads.sort_unstable();
            footprint.reads.dedup();
            out.push((path.clone(), footprint));
        }
    }
}

fn conflicts(
    one: &Found,
    found: &[Found],
    readers: &[Vec<AlternativeId>],
    writers: &[Vec<AlternativeId>],
) -> Vec<AlternativeId> {
    let mut conflicts: Vec<AlternativeId> = Vec::new();
    let mut seen: HashSet<AlternativeId> = HashSet::new();
    let footprint = &one.footprint;
    let read = footprint.reads.iter().map(|cell| &writers[*cell as usize]);
    let written = footprint
        .writes
        .iter()
        .flat_map(|cell| [&readers[*cell as usize], &writers[*cell as usize]]);
    for id in read.chain(written).flatten() {
        let other = &found[id.index()];
        if other.object != one.object && other.rank <= one.rank && seen.insert(*id) {
            conflicts.push(*id);
            if conflicts.len() >= MOST_CONFLICTS {
                break;
            }
        }
    }
    conflicts
}
