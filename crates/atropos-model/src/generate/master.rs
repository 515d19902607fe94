//! The main loop: Algorithm 1 of the seed.

use super::atlas::{Atlas, PlaceId};
use super::crew::Crew;
use super::meeting::{Advance, Meeting, advance, meet};
use super::moves::Move;
use super::options::Options;
use super::outcome::{Fault, Kill, Results, Status};
use super::strategy::{Situation, Strategy};
use crate::explore::{Acting, Node, Stop, Suspension};
use crate::model::Model;
use crate::mutation::{MutantId, MutantSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

/// One generated test: a path through the original's suspension states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pub moves: Vec<Move>,
    /// One more than moves.
    pub places: Vec<PlaceId>,
    pub choices: usize,
}

/// Everything that came of a run.
pub struct Generated {
    pub model: Arc<Model>,
    pub atlas: Atlas,
    pub paths: Vec<Path>,
    pub results: Results,
    /// Why the run ended before its tests were all made.
    pub stopped: Option<String>,
    /// What the original does wrong by itself, after which path.
    pub failure: Option<(Path, Stop)>,
    /// Per original state how often it was visited.
    pub visits: BTreeMap<u64, u32>,
    pub seconds: f64,
}

/// Told after every move.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub test: usize,
    pub tests: usize,
    pub choices: usize,
    pub depth: usize,
    pub live: usize,
    pub killed: usize,
    pub found: usize,
    pub total: usize,
}

/// A mutant that runs beside the original.
struct Live {
    mutant: MutantId,
    suspension: Arc<Suspension>,
    age: u32,
}

struct Master<'o> {
    options: &'o Options,
    crew: Crew,
    atlas: Atlas,
    results: Results,
    strategy: Strategy,
    found: MutantSet,
    started: MutantSet,
    visits: BTreeMap<u64, u32>,
    model: Arc<Model>,
    begun: Instant,
}

/// Generates tests.
///
/// # Errors
/// If the model can't be compiled.
pub fn generate(
    model: &Arc<Model>,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> anyhow::Result<Generated> {
    let mut master = Master {
        options,
        crew: Crew::new(model, options)?,
        atlas: Atlas::default(),
        results: Results::new(&model.mutants),
        strategy: Strategy::new(options.strategy, options.seed),
        found: MutantSet::for_all(&model.mutants),
        started: MutantSet::for_all(&model.mutants),
        visits: BTreeMap::new(),
        model: model.clone(),
        begun: Instant::now(),
    };
    let mut paths = Vec::new();
    let mut stopped = None;
    let mut failure = None;
    while paths.len() < options.tests && stopped.is_none() && failure.is_none() {
        let (path, end) = master.test(paths.len(), progress);
        match end {
            End::Depth => {}
            End::Nothing if path.moves.is_empty() && !paths.is_empty() => {
                stopped = Some("nothing unkilled is left to reach".to_string());
                break;
            }
            End::Nothing => {}
            End::Time => stopped = Some("the time is up".to_string()),
            End::Failure(stop) => failure = Some((path.clone(), stop)),
        }
        paths.push(path);
    }
    let seconds = master.begun.elapsed().as_secs_f64();
    let results = master.finished_results();
    Ok(Generated {
        model: model.clone(),
        atlas: master.atlas,
        paths,
        results,
        stopped,
        failure,
        visits: master.visits,
        seconds,
    })
}

enum End {
    Depth,
    /// No move, or none that could bring anything.
    Nothing,
    Time,
    Failure(Stop),
}

impl Master<'_> {
    fn test(&mut self, test: usize, progress: &mut dyn FnMut(Progress)) -> (Path, End) {
        let kernel = vec![Node::at(self.model.initial.clone())];
        let mut path = Path {
            moves: Vec::new(),
            places: Vec::new(),
            choices: 0,
        };
        let mut place = match self
            .atlas
            .enter(&mut self.crew, kernel, self.options.limits)
        {
            Ok(place) => place,
            Err(stop) => return (path, End::Failure(stop)),
        };
        let mut live: Vec<Live> = Vec::new();
        // Mutants that parted and were lost sight of: no longer at the original's state in this test.
        let mut gone: BTreeSet<MutantId> = BTreeSet::new();
        self.arrive(test, &path, place, &live, &gone);
        path.places.push(place);
        loop {
            if path.choices >= self.options.depth {
                return (path, End::Depth);
            }
            if self
                .options
                .time
                .is_some_and(|time| self.begun.elapsed() > time)
            {
                return (path, End::Time);
            }
            let Some(at) = self.choose(place, &live, &gone, &mut path.choices) else {
                return (path, End::Nothing);
            };
            let next = match self
                .atlas
                .follow(&mut self.crew, place, at, self.options.limits)
            {
                Ok(next) => next,
                Err(stop) => {
                    path.moves.push(self.atlas.place(place).moves[at].clone());
                    return (path, End::Failure(stop));
                }
            };
            self.start_new(place, at, &mut live, &mut gone);
            let step = self.atlas.place(place).moves[at].clone();
            path.moves.push(step.clone());
            path.places.push(next);
            self.advance_all(test, &path, &step, next, &mut live, &mut gone);
            self.arrive(test, &path, next, &live, &gone);
            place = next;
            progress(self.progress(test, &path, live.len()));
        }
    }

    /// The number of the next move; a single thing to wait for is no choice.
    fn choose(
        &mut self,
        place: PlaceId,
        live: &[Live],
        gone: &BTreeSet<MutantId>,
        choices: &mut usize,
    ) -> Option<usize> {
        let moves = &self.atlas.place(place).moves;
        let at = match moves.as_slice() {
            [] => return None,
            [Move::Observe(_)] => 0,
            _ => {
                let running: BTreeSet<MutantId> = live.iter().map(|live| live.mutant).collect();
                let beside: Vec<(MutantId, Arc<Suspension>)> = live
                    .iter()
                    .map(|live| (live.mutant, live.suspension.clone()))
                    .collect();
                let left = self.options.depth - *choices;
                let situation = Situation {
                    results: &self.results,
                    found: &self.found,
                    running: &running,
                    beside: &beside,
                    gone,
                    left,
                    limits: self.options.limits,
                };
                let at =
                    self.strategy
                        .choose(&mut self.crew, &mut self.atlas, place, &situation)?;
                *choices += 1;
                at
            }
        };
        self.atlas.places[place.0].taken[at] += 1;
        self.strategy.taken(&self.atlas, place, at);
        Some(at)
    }

    /// The original is at a place: mutants met there are started from its nodes.
    fn arrive(
        &mut self,
        test: usize,
        path: &Path,
        id: PlaceId,
        live: &[Live],
        gone: &BTreeSet<MutantId>,
    ) {
        self.atlas.places[id.0].visits += 1;
        for node in &self.atlas.place(id).suspension.nodes {
            *self
                .visits
                .entry(node.node.state.fingerprint())
                .or_default() += 1;
        }
        self.found.union(&self.atlas.place(id).infected);
        let place = self.atlas.place(id);
        let running: BTreeSet<MutantId> = live.iter().map(|live| live.mutant).collect();
        let here = |id: &MutantId| {
            self.results.is_open(*id) && !gone.contains(id) && !running.contains(id)
        };
        let room = self.options.max_live.max(1);
        let new: Vec<MutantId> = place
            .infected
            .iter()
            .filter(here)
            .filter(|id| !place.meetings.contains_key(id))
            .take(room)
            .collect();
        let limits = self.options.limits;
        let meetings = self.crew.map(&new, |explorer, mutant| {
            meet(explorer, *mutant, place, limits)
        });
        let place = &mut self.atlas.places[id.0];
        for (mutant, meeting) in new.iter().zip(meetings) {
            self.started.insert(*mutant);
            place.meetings.insert(*mutant, meeting);
        }
        let decided: Vec<(MutantId, Meeting)> = place
            .meetings
            .iter()
            .filter(|(id, _)| {
                self.results.is_open(**id) && !gone.contains(id) && !running.contains(id)
            })
            .map(|(id, meeting)| (*id, meeting.clone()))
            .collect();
        for (mutant, meeting) in decided {
            match meeting {
                Meeting::Same | Meeting::Parts { .. } => {}
                Meeting::Killed(observation) => {
                    let kill = Kill {
                        test,
                        after: path.moves.len(),
                        steps: 0,
                        observation,
                    };
                    self.results.set(mutant, Status::Killed(kill));
                }
                Meeting::Crashed(error) => self.crashed(test, path, mutant, Fault::Error(error)),
                Meeting::Diverged => self.crashed(test, path, mutant, Fault::Diverges),
            }
        }
    }

    fn crashed(&mut self, test: usize, path: &Path, mutant: MutantId, fault: Fault) {
        self.results.set(
            mutant,
            Status::Crashed {
                test,
                after: path.moves.len(),
                fault,
            },
        );
    }

    /// Mutants that part from the original by this move run beside it from now on.
    fn start_new(
        &mut self,
        place: PlaceId,
        at: usize,
        live: &mut Vec<Live>,
        gone: &mut BTreeSet<MutantId>,
    ) {
        let running: BTreeSet<MutantId> = live.iter().map(|live| live.mutant).collect();
        for (mutant, meeting) in &self.atlas.place(place).meetings {
            let Meeting::Parts { suspension, moves } = meeting else {
                continue;
            };
            if !moves.contains(&at) || running.contains(mutant) || gone.contains(mutant) {
                continue;
            }
            if !self.results.is_open(*mutant) {
                continue;
            }
            if live.len() >= self.options.max_live {
                gone.insert(*mutant);
                continue;
            }
            self.strategy.tried(place, at, *mutant);
            live.push(Live {
                mutant: *mutant,
                suspension: suspension.clone(),
                age: 0,
            });
        }
        // Met here but not looked at for want of room: their state after this move is unknown.
        let unknown: Vec<MutantId> = self.unmet(place, &running, gone);
        gone.extend(unknown);
    }

    fn unmet(
        &self,
        place: PlaceId,
        running: &BTreeSet<MutantId>,
        gone: &BTreeSet<MutantId>,
    ) -> Vec<MutantId> {
        let place = self.atlas.place(place);
        place
            .infected
            .iter()
            .filter(|id| {
                !place.meetings.contains_key(id) && !running.contains(id) && !gone.contains(id)
            })
            .collect()
    }

    fn advance_all(
        &mut self,
        test: usize,
        path: &Path,
        step: &Move,
        next: PlaceId,
        live: &mut Vec<Live>,
        gone: &mut BTreeSet<MutantId>,
    ) {
        let place = self.atlas.place(next);
        let limits = self.options.limits;
        let advances = self.crew.map(live, |explorer, live| {
            let acting = Acting::mutant(&explorer.model.mutants, live.mutant);
            advance(explorer, &acting, &live.suspension, step, place, limits)
        });
        let mut still = Vec::new();
        for (mut one, advance) in live.drain(..).zip(advances) {
            let mutant = one.mutant;
            match advance {
                Advance::Killed(observation) => {
                    let kill = Kill {
                        test,
                        after: path.moves.len(),
                        steps: one.age + 1,
                        observation,
                    };
                    self.results.set(mutant, Status::Killed(kill));
                }
                Advance::Crashed(error) => self.crashed(test, path, mutant, Fault::Error(error)),
                Advance::Diverged => self.crashed(test, path, mutant, Fault::Diverges),
                Advance::Same => {}
                Advance::Lost => {
                    gone.insert(mutant);
                }
                Advance::Live(suspension) => {
                    one.suspension = suspension;
                    one.age += 1;
                    if one.age >= self.options.max_age {
                        gone.insert(mutant);
                    } else {
                        still.push(one);
                    }
                }
            }
        }
        *live = still;
    }

    fn progress(&self, test: usize, path: &Path, live: usize) -> Progress {
        Progress {
            test,
            tests: self.options.tests,
            choices: path.choices,
            depth: self.options.depth,
            live,
            killed: self.results.killed().count(),
            found: self.found.len(),
            total: self.model.mutants.open().count(),
        }
    }

    fn finished_results(&mut self) -> Results {
        let mut results = self.results.clone();
        for mutant in self.model.mutants.open() {
            if results.is_open(mutant.id) && self.found.contains(mutant.id) {
                let started = self.started.contains(mutant.id);
                results.set(
                    mutant.id,
                    if started {
                        Status::GivenUp
                    } else {
                        Status::Skipped
                    },
                );
            }
        }
        results
    }
}
