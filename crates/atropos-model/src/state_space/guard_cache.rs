//! Alternatives that must stay disabled while one object does not move, and what is remembered about their guards.
//!
//! Guards are looked at again and again in states that differ in few objects: what was found is kept with the objects
//! that were read, and holds wherever these are the same. Answers never depend on what is remembered.

use super::guard_prediction::GuardPrediction;
use super::reducer::{AlternativeId, Reducer};
use crate::model::{ModelPointId, ObjectId, State};
use crate::mutation::{MutationMode, ORIGINAL, RECORD};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// Alternatives that are looked at, counted each time, to find out whether some stay disabled.
const MOST_FORECASTS: usize = 4_000;
/// Findings kept about one alternative.
const REMEMBERED: usize = 8;

/// Members of a numbered set, which is emptied in no time.
#[derive(Default)]
struct Stamps {
    /// Per number the round in which it became a member, and where it stands in a list.
    stamps: Vec<(u32, u32)>,
    round: u32,
}

impl Stamps {
    fn new(count: usize) -> Stamps {
        Stamps {
            stamps: vec![(0, 0); count],
            round: 0,
        }
    }

    fn clear(&mut self) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.stamps.fill((0, 0));
            self.round = 1;
        }
    }

    fn get(&self, number: usize) -> Option<usize> {
        let (round, at) = self.stamps[number];
        (round == self.round).then_some(at as usize)
    }

    fn set(&mut self, number: usize, at: usize) {
        self.stamps[number] = (self.round, at as u32);
    }
}

/// What a guard came to while all that it read was known.
struct KnownGuard {
    disabled: bool,
    /// The objects that were read, as they were.
    objects: Vec<(ObjectId, Arc<[u8]>)>,
    cells: Vec<u32>,
    points: Vec<ModelPointId>,
}

impl KnownGuard {
    /// Whether none of the points that it rests on acts.
    fn is_plain(&self, mode: &MutationMode) -> bool {
        let plain =
            |point: &ModelPointId| matches!(mode.table[point.0 as usize], ORIGINAL | RECORD);
        self.points.iter().all(plain)
    }

    fn holds(&self, state: &State, mode: &MutationMode) -> bool {
        let same = |(object, bytes): &(ObjectId, Arc<[u8]>)| {
            let now = state.shared_object(*object);
            Arc::ptr_eq(now, bytes) || now == bytes
        };
        self.objects.iter().all(same) && self.is_plain(mode)
    }
}

/// One worker's memory.
pub(super) struct GuardCache {
    /// Per alternative, the latest first.
    known: Vec<Vec<KnownGuard>>,
    asked: Stamps,
    points: Stamps,
}

impl GuardCache {
    pub fn new(reducer: &Reducer) -> GuardCache {
        let alternatives = reducer.alternatives.len();
        GuardCache {
            known: std::iter::repeat_with(Vec::new)
                .take(alternatives)
                .collect(),
            asked: Stamps::new(alternatives),
            points: Stamps::new(reducer.model.mutants.points.len()),
        }
    }

    /// Moves what is known about an alternative in this state to the front.
    fn recall(&mut self, id: AlternativeId, state: &State, mode: &MutationMode) -> bool {
        let known = &mut self.known[id.index()];
        match known.iter().position(|guard| guard.holds(state, mode)) {
            Some(at) => {
                known[..=at].rotate_right(1);
                true
            }
            None => false,
        }
    }

    fn remember(&mut self, id: AlternativeId, guard: KnownGuard) {
        let known = &mut self.known[id.index()];
        known.truncate(REMEMBERED - 1);
        known.insert(0, guard);
    }
}

/// Alternatives that are asked to be disabled, and to stay so while one object does not move. They hold each other
/// asleep: what one needs not to change is written only by others that sleep too (the greatest such set).
pub(super) struct DisabledAlternatives<'r> {
    reducer: &'r Reducer,
    object: ObjectId,
    rank: usize,
    state: &'r State,
    mode: &'r MutationMode,
    /// What must sleep, first what was asked for, then what that depends on.
    asked: Vec<Sleeper>,
    any_woken: bool,
    /// Mutation points that the answer depends on.
    pub relied: Vec<ModelPointId>,
    forecasts: usize,
    guards: &'r mut GuardCache,
}

/// An alternative that must stay disabled.
struct Sleeper {
    alternative: AlternativeId,
    /// Found to be enabled, or not known to stay disabled.
    woken: bool,
    /// Those (in `asked`) that sleep only as long as this one does.
    sleep_by_it: Vec<usize>,
}

impl<'r> DisabledAlternatives<'r> {
    pub fn new(
        reducer: &'r Reducer,
        object: ObjectId,
        state: &'r State,
        mode: &'r MutationMode,
        guards: &'r mut GuardCache,
    ) -> DisabledAlternatives<'r> {
        guards.asked.clear();
        guards.points.clear();
        let rank = reducer.of_object(object).next();
        DisabledAlternatives {
            reducer,
            object,
            rank: rank.map_or(0, |id| reducer.alternative(id).rank),
            state,
            mode,
            asked: Vec::new(),
            any_woken: false,
            relied: Vec::new(),
            forecasts: 0,
            guards,
        }
    }

    /// Whether the object may move first: all that is in conflict with what it may do sleeps.
    pub fn let_move(&mut self) -> bool {
        let reducer = self.reducer;
        for id in reducer.of_object(self.object) {
            let alternative = reducer.alternative(id);
            let harmless = alternative.conflicts.is_empty() && !alternative.hopeless;
            if harmless || self.is_disabled(id, None) {
                continue;
            }
            if alternative.hopeless {
                return false;
            }
            for other in &alternative.conflicts {
                self.ask(*other);
            }
        }
        self.all_stay_disabled()
    }

    fn ask(&mut self, alternative: AlternativeId) -> usize {
        if let Some(known) = self.guards.asked.get(alternative.index()) {
            return known;
        }
        let at = self.asked.len();
        self.guards.asked.set(alternative.index(), at);
        self.asked.push(Sleeper {
            alternative,
            woken: false,
            sleep_by_it: Vec::new(),
        });
        at
    }

    /// Those that must sleep for a cell to keep its value.
    fn writers(&self, cell: u32) -> impl Iterator<Item = AlternativeId> + 'r {
        let (reducer, object, rank) = (self.reducer, self.object, self.rank);
        let all = reducer.writers[cell as usize].iter().copied();
        all.filter(move |id| {
            let writer = reducer.alternative(*id);
            writer.object != object && writer.rank <= rank
        })
    }

    fn is_stable(&self, cell: u32) -> bool {
        let woken = |id: AlternativeId| {
            let at = self.guards.asked.get(id.index());
            at.is_some_and(|at| self.asked[at].woken)
        };
        !self.any_woken || !self.writers(cell).any(woken)
    }

    /// Whether an alternative is disabled as long as those that were not woken are; what it depends on is asked for,
    /// on behalf of `sleeper`.
    fn is_disabled(&mut self, id: AlternativeId, sleeper: Option<usize>) -> bool {
        self.forecasts += 1;
        if !self.guards.recall(id, self.state, self.mode) {
            let (guard, all_stable) = self.find_out(id);
            if !all_stable || !guard.is_plain(self.mode) {
                return self.settle(&guard, sleeper);
            }
            self.guards.remember(id, guard);
        }
        // Taken out for the time that it is used.
        let known = std::mem::take(&mut self.guards.known[id.index()]);
        let guard = &known[0];
        let all_stable = guard.cells.iter().all(|cell| self.is_stable(*cell));
        let disabled = match all_stable {
            true => self.settle(guard, sleeper),
            false => {
                let (guard, _) = self.find_out(id);
                self.settle(&guard, sleeper)
            }
        };
        self.guards.known[id.index()] = known;
        disabled
    }

    /// Looks at an alternative's guards; also whether all that was read keeps its value.
    fn find_out(&self, id: AlternativeId) -> (KnownGuard, bool) {
        let reducer = self.reducer;
        let cells: RefCell<Vec<u32>> = RefCell::default();
        let all_stable = Cell::new(true);
        let stable = |cell: u32| {
            let stable = self.is_stable(cell);
            match stable {
                true => cells.borrow_mut().push(cell),
                false => all_stable.set(false),
            }
            stable
        };
        let mut forecast = GuardPrediction {
            model: &reducer.model,
            cells: &reducer.cells,
            state: self.state,
            mode: self.mode,
            stable: &stable,
            relied: Vec::new(),
        };
        let disabled = reducer.disabled(&mut forecast, id);
        let mut points = forecast.relied;
        points.sort_unstable();
        points.dedup();
        let mut cells = cells.into_inner();
        cells.sort_unstable();
        cells.dedup();
        let mut objects: Vec<ObjectId> = Vec::new();
        for cell in &cells {
            let object = reducer.cells.object(*cell);
            if objects.last() != Some(&object) {
                objects.push(object);
            }
        }
        let now = |object: ObjectId| (object, self.state.shared_object(object).clone());
        let guard = KnownGuard {
            disabled,
            objects: objects.into_iter().map(now).collect(),
            cells,
            points,
        };
        (guard, all_stable.get())
    }

    /// Notes what the answer rests on.
    fn settle(&mut self, guard: &KnownGuard, sleeper: Option<usize>) -> bool {
        for point in &guard.points {
            let number = point.0 as usize;
            if self.guards.points.get(number).is_none() {
                self.guards.points.set(number, 0);
                self.relied.push(*point);
            }
        }
        if guard.disabled {
            for cell in &guard.cells {
                for other in self.writers(*cell) {
                    let other = self.ask(other);
                    let sleep_by_it = &mut self.asked[other].sleep_by_it;
                    if sleep_by_it.last() != sleeper.as_ref() {
                        sleep_by_it.extend(sleeper);
                    }
                }
            }
        }
        guard.disabled
    }

    /// Whether nothing that was asked for can wake up.
    fn all_stay_disabled(&mut self) -> bool {
        let first = self.asked.len();
        let mut again: Vec<usize> = Vec::new();
        let mut at = 0;
        while let Some(sleeper) = again.pop().or_else(|| {
            at += 1;
            (at <= self.asked.len()).then(|| at - 1)
        }) {
            let alternative = self.asked[sleeper].alternative;
            if self.asked[sleeper].woken || self.is_disabled(alternative, Some(sleeper)) {
                continue;
            }
            if sleeper < first || self.forecasts > MOST_FORECASTS {
                return false;
            }
            self.asked[sleeper].woken = true;
            self.any_woken = true;
            again.append(&mut self.asked[sleeper].sleep_by_it);
        }
        true
    }
}
