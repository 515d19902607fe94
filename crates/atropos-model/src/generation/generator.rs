//! The main loop: Algorithm 1 of the MoMuT paper.

use super::moves::Move;
use super::mutant_run::{StartResult, StepResult, advance, meet};
use super::options::Options;
use super::state_graph::{SpecStateId, StateGraph};
use super::status::{Fault, Kill, Results, Status};
use super::strategy::{Situation, Strategy};
use super::workers::Workers;
use crate::model::Model;
use crate::mutation::{MutantId, MutantSet};
use crate::state_space::{Acting, Cause, Halt, Node, Stop, Suspension};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One generated test: a path through the original's suspension states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pub moves: Vec<Move>,
    /// The numbers of the moves at their states.
    pub transitions: Vec<usize>,
    /// One more than moves.
    pub states: Vec<SpecStateId>,
    pub choices: usize,
}

/// Everything that came of a run.
pub struct Generated {
    pub model: Arc<Model>,
    pub graph: StateGraph,
    pub paths: Vec<Path>,
    pub results: Results,
    /// Why the run ended before its tests were all made.
    pub stopped: Option<String>,
    /// What comes now must not take long.
    hurry: bool,
    /// What the original does wrong by itself, after which path.
    pub failure: Option<(Path, Stop)>,
    /// Per original state how often it was visited.
    pub visits: BTreeMap<u64, u32>,
    pub seconds: f64,
    /// When and after how many choices so many mutants were killed.
    pub timeline: Vec<Moment>,
}

/// How far a run was when it had killed more mutants.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Moment {
    pub seconds: f64,
    /// Seconds of processor time; 0 where the system does not tell.
    pub cpu_seconds: f64,
    pub choices: usize,
    pub killed: usize,
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
    /// The move that starts it now.
    from: Option<(SpecStateId, usize)>,
}

/// A test has no more moves than this, also if there is nothing to choose.
const MOVES_PER_CHOICE: usize = 20;
const MORE_MOVES: usize = 1_000;

struct Generator<'o> {
    options: &'o Options,
    workers: Workers,
    graph: StateGraph,
    results: Results,
    strategy: Strategy,
    found: MutantSet,
    started: MutantSet,
    visits: BTreeMap<u64, u32>,
    model: Arc<Model>,
    begun: Instant,
    /// Choices of the tests before this one.
    earlier_choices: usize,
    timeline: Vec<Moment>,
    halt: Halt,
}

/// Generates tests.
///
/// # Errors
/// If the model can't be compiled.
#[cfg(test)]
pub fn generate(
    model: &Arc<Model>,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> anyhow::Result<Generated> {
    generate_with(model, options, progress, &mut |_, _, _, _| Ok(()))
}

/// Is given every test when it is finished, by its number; may say why the run should end.
pub type Finished<'f> =
    dyn FnMut(usize, &Path, &mut StateGraph, &mut Workers) -> Result<(), String> + 'f;

/// Generates tests and hands each of them on at once, so that it is not lost whatever happens later.
///
/// # Errors
/// If the model can't be compiled.
pub fn generate_with(
    model: &Arc<Model>,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
    finished: &mut Finished,
) -> anyhow::Result<Generated> {
    let begun = Instant::now();
    let mut generator = Generator {
        halt: Halt {
            interrupted: options.interrupted.clone(),
            deadline: options.time.map(|time| begun + time),
            memory: options.max_memory,
        },
        options,
        workers: Workers::new(model, options)?,
        graph: StateGraph::default(),
        results: Results::new(&model.mutants),
        strategy: Strategy::new(options.strategy, options.seed, model.objects.len()),
        found: MutantSet::for_all(&model.mutants),
        started: MutantSet::for_all(&model.mutants),
        visits: BTreeMap::new(),
        model: model.clone(),
        begun,
        earlier_choices: 0,
        timeline: Vec::new(),
    };
    generator.workers.heed(&generator.halt);
    let mut paths = Vec::new();
    let mut stopped = None;
    let mut hurry = options.time.is_some();
    let mut failure = None;
    while paths.len() < options.tests && stopped.is_none() && failure.is_none() {
        let (path, end) = generator.test(paths.len(), progress);
        let halted = matches!(end, End::Failure(Stop::Halted(_)));
        match end {
            End::Depth => {}
            End::Nothing if path.moves.is_empty() && !paths.is_empty() => {
                stopped = Some("nothing unkilled is left to reach".to_string());
                break;
            }
            End::Nothing => {}
            End::Failure(Stop::Halted(Cause::Time)) => stopped = Some("the time is up".to_string()),
            End::Failure(Stop::Halted(Cause::Interrupted)) => {
                stopped = Some("it was interrupted".to_string());
            }
            End::Failure(stop) => failure = Some((path.clone(), stop)),
        }
        hurry |= halted;
        if halted {
            generator.workers.heed(&time_to_finish(begun.elapsed()));
        }
        generator.earlier_choices += path.choices;
        if !path.states.is_empty() {
            let told = finished(
                paths.len(),
                &path,
                &mut generator.graph,
                &mut generator.workers,
            );
            stopped = told.err().or(stopped);
            paths.push(path);
        }
    }
    let seconds = generator.begun.elapsed().as_secs_f64();
    let results = generator.finished_results();
    Ok(Generated {
        model: model.clone(),
        graph: generator.graph,
        paths,
        results,
        stopped,
        hurry,
        failure,
        visits: generator.visits,
        seconds,
        timeline: generator.timeline,
    })
}

impl Generated {
    /// Workers that put in order what was found.
    ///
    /// # Errors
    /// If the model can't be compiled.
    pub fn workers(&self, options: &Options) -> anyhow::Result<Workers> {
        let mut workers = Workers::new(&self.model, options)?;
        if self.hurry {
            workers.heed(&time_to_finish(Duration::from_secs_f64(self.seconds)));
        }
        Ok(workers)
    }
}

/// After the end, what was found is put in order: that must end, too.
fn time_to_finish(taken: Duration) -> Halt {
    const LEAST: Duration = Duration::from_secs(5);
    Halt::after(taken.max(LEAST))
}

/// Processor time of all threads so far, as Linux tells it.
fn cpu_seconds() -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name in brackets may hold anything; user and system time are the 12th and 13th field behind it.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let mut times = fields.split_whitespace().skip(11);
    let mut ticks = || times.next().and_then(|t| t.parse().ok()).unwrap_or(0.0);
    (ticks() + ticks()) / TICKS_PER_SECOND
}

enum End {
    Depth,
    /// No move, or none that could bring anything.
    Nothing,
    Failure(Stop),
}

impl Generator<'_> {
    fn test(&mut self, test: usize, progress: &mut dyn FnMut(Progress)) -> (Path, End) {
        let kernel = vec![Node::at(self.model.initial.clone())];
        let mut path = Path {
            moves: Vec::new(),
            transitions: Vec::new(),
            states: Vec::new(),
            choices: 0,
        };
        let mut spec = match self
            .graph
            .enter(&mut self.workers, kernel, self.options.limits)
        {
            Ok(spec) => spec,
            Err(stop) => return (path, End::Failure(stop)),
        };
        self.strategy.begins(test);
        let mut live: Vec<Live> = Vec::new();
        // Mutants that parted and were lost sight of: no longer at the original's state in this test.
        let mut gone: BTreeSet<MutantId> = BTreeSet::new();
        self.arrive(test, &path, spec, &live, &gone);
        path.states.push(spec);
        loop {
            let longest = self.options.depth * MOVES_PER_CHOICE + MORE_MOVES;
            if path.choices >= self.options.depth || path.moves.len() >= longest {
                return (path, End::Depth);
            }
            if let Some(cause) = self.halt.cause() {
                return (path, End::Failure(Stop::Halted(cause)));
            }
            if let Err(stop) = self.graph.find_transitions(&mut self.workers, spec) {
                return (path, End::Failure(stop));
            }
            let Some(at) = self.choose(spec, &live, &gone, &mut path.choices) else {
                return (path, End::Nothing);
            };
            let next = match self
                .graph
                .follow(&mut self.workers, spec, at, self.options.limits)
            {
                Ok(next) => next,
                Err(stop @ Stop::Halted(_)) => return (path, End::Failure(stop)),
                Err(stop) => {
                    path.moves.push(self.step(spec, at));
                    return (path, End::Failure(stop));
                }
            };
            self.start_new(spec, at, &mut live, &mut gone);
            let step = self.step(spec, at);
            path.moves.push(step.clone());
            path.transitions.push(at);
            path.states.push(next);
            self.advance_all(test, &path, &step, &mut live, &mut gone);
            self.arrive(test, &path, next, &live, &gone);
            spec = next;
            self.note_moment(&path);
            progress(self.progress(test, &path, live.len()));
        }
    }

    fn note_moment(&mut self, path: &Path) {
        let killed = self.results.killed().count();
        if self.timeline.last().is_none_or(|last| last.killed < killed) {
            self.timeline.push(Moment {
                seconds: self.begun.elapsed().as_secs_f64(),
                cpu_seconds: cpu_seconds(),
                choices: self.earlier_choices + path.choices,
                killed,
            });
        }
    }

    fn step(&self, spec: SpecStateId, at: usize) -> Move {
        self.graph.state(spec).transitions()[at].step.clone()
    }

    /// The number of the next move; where there is nothing to do but wait, that is no choice.
    fn choose(
        &mut self,
        spec: SpecStateId,
        live: &[Live],
        gone: &BTreeSet<MutantId>,
        choices: &mut usize,
    ) -> Option<usize> {
        let transitions = self.graph.state(spec).transitions();
        let at = match transitions {
            [] => return None,
            [transition] if matches!(transition.step, Move::Observe(_)) => 0,
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
                        .choose(&mut self.workers, &mut self.graph, spec, &situation)?;
                // What the system shows is not the tester's choice.
                let transitions = self.graph.state(spec).transitions();
                *choices += usize::from(
                    transitions
                        .iter()
                        .any(|transition| matches!(transition.step, Move::Input(_))),
                );
                at
            }
        };
        self.strategy.taken(&self.graph, spec, at);
        Some(at)
    }

    /// The original is at a spec: mutants met there without an input are started from its nodes.
    fn arrive(
        &mut self,
        test: usize,
        path: &Path,
        id: SpecStateId,
        live: &[Live],
        gone: &BTreeSet<MutantId>,
    ) {
        self.graph.state_mut(id).visits += 1;
        for node in &self.graph.state(id).suspension.nodes {
            *self
                .visits
                .entry(node.node.state.fingerprint())
                .or_default() += 1;
        }
        self.found.union(&self.graph.state(id).own);
        let spec = self.graph.state(id);
        let running: BTreeSet<MutantId> = live.iter().map(|live| live.mutant).collect();
        let here = |id: &MutantId| {
            self.results.is_open(*id) && !gone.contains(id) && !running.contains(id)
        };
        let room = self.options.max_live.max(1);
        let new: Vec<MutantId> = spec
            .own
            .iter()
            .filter(here)
            .filter(|id| !spec.starts.contains_key(id) && self.strategy.wants(*id))
            .take(room)
            .collect();
        let limits = self.options.limits;
        let strategy = &self.strategy;
        let starts = self.workers.map(&new, |explorer, mutant| {
            let (limits, may_rest) = strategy.allowance(*mutant, spec, limits);
            let start = meet(explorer, *mutant, spec, limits);
            (start, may_rest, explorer.closed)
        });
        let spec = &mut self.graph.states[id.0];
        for (mutant, (start, may_rest, nodes)) in new.iter().zip(starts) {
            self.started.insert(*mutant);
            self.strategy.tried(*mutant);
            self.strategy.spends(*mutant, spec, nodes);
            match start {
                StartResult::Unknown => continue,
                // Not met, as far as this test is concerned.
                StartResult::Diverged if may_rest => {
                    self.strategy.puts_off(*mutant);
                    continue;
                }
                StartResult::Parts(_) => self.strategy.parted(*mutant),
                _ => {}
            }
            spec.starts.insert(*mutant, start);
        }
        let decided: Vec<(MutantId, StartResult)> = spec
            .starts
            .iter()
            .filter(|(id, _)| {
                self.results.is_open(**id) && !gone.contains(id) && !running.contains(id)
            })
            .map(|(id, start)| (*id, start.clone()))
            .collect();
        for (mutant, start) in decided {
            match start {
                StartResult::Same | StartResult::Parts(_) | StartResult::Unknown => {}
                StartResult::Killed(observation) => {
                    let kill = Kill {
                        test,
                        after: path.moves.len(),
                        steps: 0,
                        observation,
                    };
                    self.results.set(mutant, Status::Killed(kill));
                    self.strategy.killed(mutant);
                }
                StartResult::Crashed(error) => {
                    self.crashed(test, path, mutant, Fault::Error(error))
                }
                StartResult::Diverged => self.crashed(test, path, mutant, Fault::Diverges),
            }
        }
    }

    fn crashed(&mut self, test: usize, path: &Path, mutant: MutantId, fault: Fault) {
        let fault = match fault {
            Fault::Error(error) if error.kind.is_limit() => Fault::Diverges,
            fault => fault,
        };
        self.results.set(
            mutant,
            Status::Crashed {
                test,
                after: path.moves.len(),
                fault,
            },
        );
    }

    /// Mutants that may part from the original by this move run beside it from now on.
    fn start_new(
        &mut self,
        id: SpecStateId,
        at: usize,
        live: &mut Vec<Live>,
        gone: &mut BTreeSet<MutantId>,
    ) {
        let running: BTreeSet<MutantId> = live.iter().map(|live| live.mutant).collect();
        let spec = self.graph.state(id);
        let transition = &spec.transitions()[at];
        transition
            .met
            .iter()
            .for_each(|mutant| self.found.insert(*mutant));
        let mut starting: BTreeMap<MutantId, &Arc<Suspension>> = transition
            .met
            .iter()
            .filter(|mutant| !transition.harmless.contains(mutant))
            .map(|mutant| (*mutant, &spec.suspension))
            .collect();
        for (mutant, start) in &spec.starts {
            if let StartResult::Parts(suspension) = start {
                starting.insert(*mutant, suspension);
            }
        }
        // Met here but not looked at for want of room: their state after this move is unknown.
        let unmet = spec.own.iter().filter(|m| !spec.starts.contains_key(m));
        let unmet: BTreeSet<MutantId> = unmet.filter(|m| !running.contains(m)).collect();
        for (mutant, suspension) in starting {
            let here = !running.contains(&mutant) && !gone.contains(&mutant);
            if !here || unmet.contains(&mutant) || !self.results.is_open(mutant) {
                continue;
            }
            if live.len() >= self.options.max_live || !self.strategy.wants(mutant) {
                gone.insert(mutant);
                continue;
            }
            self.started.insert(mutant);
            self.strategy.tried(mutant);
            live.push(Live {
                mutant,
                suspension: suspension.clone(),
                age: 0,
                from: Some((id, at)),
            });
        }
        gone.extend(unmet);
    }

    fn advance_all(
        &mut self,
        test: usize,
        path: &Path,
        step: &Move,
        live: &mut Vec<Live>,
        gone: &mut BTreeSet<MutantId>,
    ) {
        let Some(next) = path.states.last() else {
            return;
        };
        let spec = self.graph.state(*next);
        let limits = self.options.limits;
        let strategy = &self.strategy;
        let advances = self.workers.map(live, |explorer, live| {
            let (limits, may_rest) = strategy.allowance(live.mutant, spec, limits);
            let acting = Acting::mutant(&explorer.model.mutants, live.mutant);
            let advance = advance(explorer, &acting, &live.suspension, step, spec, limits);
            (advance, may_rest, explorer.closed)
        });
        let mut still = Vec::new();
        for (mut one, (advance, may_rest, nodes)) in live.drain(..).zip(advances) {
            let mutant = one.mutant;
            self.strategy.spends(mutant, self.graph.state(*next), nodes);
            match advance {
                StepResult::Killed(observation) => {
                    let kill = Kill {
                        test,
                        after: path.moves.len(),
                        steps: one.age + 1,
                        observation,
                    };
                    self.results.set(mutant, Status::Killed(kill));
                    self.strategy.killed(mutant);
                }
                StepResult::Crashed(error) => self.crashed(test, path, mutant, Fault::Error(error)),
                StepResult::Diverged if may_rest => {
                    self.strategy.puts_off(mutant);
                    gone.insert(mutant);
                }
                StepResult::Diverged => self.crashed(test, path, mutant, Fault::Diverges),
                StepResult::Same => self.note_harmless(&one),
                StepResult::Lost => {
                    gone.insert(mutant);
                }
                StepResult::Live(suspension) => {
                    self.strategy.parted(mutant);
                    one.suspension = suspension;
                    one.from = None;
                    one.age += 1;
                    let longest = self.strategy.longest_life(mutant, self.options.max_age);
                    if one.age >= longest {
                        gone.insert(mutant);
                    } else {
                        still.push(one);
                    }
                }
            }
        }
        *live = still;
    }

    /// A mutant that was started by a move and did not part: the next time it need not be tried.
    fn note_harmless(&mut self, one: &Live) {
        let Some((id, at)) = one.from else { return };
        let spec = self.graph.state_mut(id);
        let parted = matches!(spec.starts.get(&one.mutant), Some(StartResult::Parts(_)));
        if let (Some(transitions), false) = (&mut spec.transitions, parted) {
            transitions[at].harmless.insert(one.mutant);
        }
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
