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

use super::footprint::{Cells, Footprint, Footprints};
use super::forecast::Forecast;
use super::quick::QuickSet;
use crate::model::{CodeId, Model, ObjectId, PointId, State, Stmt, StmtKind};
use crate::mutation::{Mode, MutantSet};
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

/// An alternative of an object's block.
struct Alternative {
    /// How to find its statement: positions in nested choices and priorities.
    path: Vec<usize>,
    /// Alternatives of other objects that touch the same cells.
    conflicts: Vec<(ObjectId, usize)>,
    /// Too many to look through, or it may change what ranks above it: then everything is in conflict.
    hopeless: bool,
}

pub struct Reducer {
    model: Arc<Model>,
    cells: Cells,
    /// Per object.
    alternatives: Vec<Vec<Alternative>>,
    ranks: Vec<usize>,
    /// Per cell the alternatives that write it.
    writers: Vec<Vec<(ObjectId, usize)>>,
}

/// More conflicts than this are not worth looking through.
const MOST_CONFLICTS: usize = 4096;
/// Alternatives that are looked at, counted each time, to find out whether some stay disabled.
const MOST_FORECASTS: usize = 4_000;

impl Reducer {
    pub fn new(model: &Arc<Model>) -> Reducer {
        let mut footprints = Footprints::new(model);
        let mut ranks = vec![usize::MAX; model.objects.len()];
        for (rank, objects) in model.ranks.iter().enumerate() {
            objects
                .iter()
                .for_each(|object| ranks[object.index()] = rank);
        }
        let mut found: Vec<Vec<(Vec<usize>, Footprint)>> = vec![Vec::new(); model.objects.len()];
        for object in model.ranks.iter().flatten() {
            if let Some(block) = model.class_of(*object).block {
                let body = &model.code(block).body;
                let mut out = Vec::new();
                split(
                    &mut footprints,
                    *object,
                    block,
                    body,
                    &mut Vec::new(),
                    &Footprint::default(),
                    &mut out,
                );
                found[object.index()] = out;
            }
        }
        let count = footprints.cells.count;
        let mut readers: Vec<Vec<(ObjectId, usize)>> = vec![Vec::new(); count];
        let mut writers: Vec<Vec<(ObjectId, usize)>> = vec![Vec::new(); count];
        for object in model.ranks.iter().flatten() {
            for (at, (_, footprint)) in found[object.index()].iter().enumerate() {
                footprint
                    .reads
                    .iter()
                    .for_each(|cell| readers[*cell as usize].push((*object, at)));
                footprint
                    .writes
                    .iter()
                    .for_each(|cell| writers[*cell as usize].push((*object, at)));
            }
        }
        let guards = Guards::new(model, &found);
        let alternatives = found
            .iter()
            .enumerate()
            .map(|(object, parts)| {
                let object = ObjectId(object as u32);
                parts
                    .iter()
                    .map(|(path, footprint)| {
                        let mut conflicts =
                            conflicts(object, footprint, &readers, &writers, &ranks);
                        let rank = ranks[object.index()];
                        conflicts.extend(
                            guards.raisers[rank]
                                .iter()
                                .filter(|(other, _)| *other != object),
                        );
                        let hopeless =
                            conflicts.len() >= MOST_CONFLICTS || guards.raises(rank, footprint);
                        Alternative {
                            path: path.clone(),
                            conflicts,
                            hopeless,
                        }
                    })
                    .collect()
            })
            .collect();
        Reducer {
            model: model.clone(),
            cells: footprints.cells,
            alternatives,
            ranks,
            writers,
        }
    }

    /// Whether the steps of `object` alone are enough in `state`. Mutants on which the answer rests are added to
    /// `relied`: they must find out for themselves.
    pub fn is_enough(
        &self,
        object: ObjectId,
        state: &State,
        mode: &Mode,
        relied: &mut MutantSet,
    ) -> bool {
        let mut sleepers = Sleepers {
            reducer: self,
            object,
            state,
            mode,
            asked: Vec::new(),
            known: QuickSet::default(),
            woken: QuickSet::default(),
            relied: QuickSet::default(),
            forecasts: 0,
        };
        for (at, alternative) in self.alternatives[object.index()].iter().enumerate() {
            let harmless = alternative.conflicts.is_empty() && !alternative.hopeless;
            if harmless || sleepers.is_disabled((object, at)) {
                continue;
            }
            if alternative.hopeless {
                return false;
            }
            for other in &alternative.conflicts {
                sleepers.ask(*other);
            }
        }
        if !sleepers.all_stay_disabled() {
            return false;
        }
        for point in sleepers.relied {
            let point = self.model.mutants.point(point);
            (1..=point.variants).for_each(|variant| relied.insert(point.mutant(variant)));
        }
        true
    }

    fn disabled(&self, forecast: &mut Forecast, object: ObjectId, at: usize) -> bool {
        let Some(block) = self.model.class_of(object).block else {
            return true;
        };
        let stmt = locate(
            &self.model.code(block).body,
            &self.alternatives[object.index()][at].path,
        );
        forecast.disabled(object, block, stmt)
    }
}

/// Alternatives that are asked to be disabled, and to stay so while one object does not move. They hold each other
/// asleep: what one needs not to change is written only by others that sleep too (the greatest such set).
struct Sleepers<'r> {
    reducer: &'r Reducer,
    object: ObjectId,
    state: &'r State,
    mode: &'r Mode,
    /// What must sleep, first what was asked for, then what that depends on.
    asked: Vec<(ObjectId, usize)>,
    known: QuickSet<(ObjectId, usize)>,
    /// Found to be enabled, or not known to stay disabled.
    woken: QuickSet<(ObjectId, usize)>,
    relied: QuickSet<PointId>,
    forecasts: usize,
}

impl Sleepers<'_> {
    fn ask(&mut self, alternative: (ObjectId, usize)) {
        if self.known.insert(alternative) {
            self.asked.push(alternative);
        }
    }

    /// Whether an alternative is disabled as long as those that were not woken are; what it depends on is asked for.
    fn is_disabled(&mut self, (object, at): (ObjectId, usize)) -> bool {
        self.forecasts += 1;
        let reducer = self.reducer;
        let rank = reducer.ranks[self.object.index()];
        let needed: RefCell<Vec<(ObjectId, usize)>> = RefCell::default();
        let stable = |cell: u32| {
            let others = reducer.writers[cell as usize].iter().filter(|(writer, _)| {
                *writer != self.object && reducer.ranks[writer.index()] <= rank
            });
            let mut needed = needed.borrow_mut();
            let before = needed.len();
            for other in others {
                if self.woken.contains(other) {
                    needed.truncate(before);
                    return false;
                }
                needed.push(*other);
            }
            true
        };
        let mut forecast = Forecast {
            model: &reducer.model,
            cells: &reducer.cells,
            state: self.state,
            mode: self.mode,
            stable: &stable,
            relied: Vec::new(),
        };
        let disabled = reducer.disabled(&mut forecast, object, at);
        self.relied.extend(forecast.relied);
        if disabled {
            needed
                .into_inner()
                .into_iter()
                .for_each(|other| self.ask(other));
        }
        disabled
    }

    /// Whether nothing that was asked for can wake up.
    fn all_stay_disabled(&mut self) -> bool {
        let top = self.asked.len();
        let first: QuickSet<(ObjectId, usize)> = self.asked[..top].iter().copied().collect();
        let mut at = 0;
        while at < self.asked.len() {
            let alternative = self.asked[at];
            at += 1;
            if self.woken.contains(&alternative) || self.is_disabled(alternative) {
                continue;
            }
            if first.contains(&alternative) || self.forecasts > MOST_FORECASTS {
                return false;
            }
            // Others may have relied on it: they are looked at again.
            self.woken.insert(alternative);
            at = 0;
        }
        true
    }
}

/// Who may change the guards of higher ranks.
struct Guards {
    /// Per rank the cells that higher ranks read.
    read_above: Vec<HashSet<u32>>,
    /// Per rank the alternatives, of this rank or above, that write such cells.
    raisers: Vec<Vec<(ObjectId, usize)>>,
}

impl Guards {
    fn new(model: &Model, found: &[Vec<(Vec<usize>, Footprint)>]) -> Guards {
        let mut read_above: Vec<HashSet<u32>> = Vec::new();
        let mut above: HashSet<u32> = HashSet::new();
        for objects in &model.ranks {
            read_above.push(above.clone());
            for object in objects {
                above.extend(
                    found[object.index()]
                        .iter()
                        .flat_map(|(_, footprint)| &footprint.reads),
                );
            }
        }
        let mut raisers: Vec<Vec<(ObjectId, usize)>> = Vec::new();
        for (rank, read_above) in read_above.iter().enumerate() {
            let mut here = Vec::new();
            for object in model.ranks[..=rank].iter().flatten() {
                for (at, (_, footprint)) in found[object.index()].iter().enumerate() {
                    if footprint
                        .writes
                        .iter()
                        .any(|cell| read_above.contains(cell))
                    {
                        here.push((*object, at));
                    }
                }
            }
            raisers.push(here);
        }
        Guards {
            read_above,
            raisers,
        }
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
    object: ObjectId,
    footprint: &Footprint,
    readers: &[Vec<(ObjectId, usize)>],
    writers: &[Vec<(ObjectId, usize)>],
    ranks: &[usize],
) -> Vec<(ObjectId, usize)> {
    let rank = ranks[object.index()];
    let mut found: Vec<(ObjectId, usize)> = Vec::new();
    let mut seen: HashSet<(ObjectId, usize)> = HashSet::new();
    let read = footprint.reads.iter().map(|cell| &writers[*cell as usize]);
    let written = footprint
        .writes
        .iter()
        .flat_map(|cell| [&readers[*cell as usize], &writers[*cell as usize]]);
    for list in read.chain(written) {
        for other in list {
            if other.0 != object && ranks[other.0.index()] <= rank && seen.insert(*other) {
                found.push(*other);
                if found.len() >= MOST_CONFLICTS {
                    return found;
                }
            }
        }
    }
    found
}
