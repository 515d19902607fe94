//! The main loop: Algorithm 1 of the MoMuT paper.

use super::moves::Move;
use super::mutant_run::{StartResult, StepResult, advance, meet};
use super::options::GenerationOptions;
use super::state_graph::{SpecStateId, StateGraph, Transition, moves_from};
use super::status::{GenerationResults, ModelKill, Status};
use super::strategy::{MoveStrategy, StrategyInput};
use super::workers::Workers;
use crate::model::{ExecError, Label, Model, Observation};
use crate::mutation::{ModelMutantId, MutantSet};
use crate::state_space::{Acting, Halt, HaltCause, Stop, Suspension, SuspensionNode};
use crate::testing::Confirmation;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One generated test: a path through the original's suspension states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pub moves: Vec<Move>,
    /// One more than moves.
    pub states: Vec<SpecStateId>,
    pub choices: usize,
}

/// Everything that came of a run.
pub struct Generated {
    pub model: Arc<Model>,
    pub graph: StateGraph,
    pub paths: Vec<Path>,
    /// Claims, until the written tests were run.
    pub results: GenerationResults,
    pub confirmation: Confirmation,
    /// Why the run ended before its tests were all made.
    pub stopped: Option<String>,
    /// For what comes now.
    time: FinishingTime,
    used_workers: Workers,
    /// What the original does wrong by itself, after which path.
    pub failure: Option<(Path, Stop)>,
    /// Per original state how often it was visited.
    pub visits: BTreeMap<u64, u32>,
    pub seconds: f64,
    /// Of these, those in which only one worker could have work.
    pub single_seconds: f64,
    /// Seconds of processor time of all threads; 0 where the system does not tell.
    pub cpu_seconds: f64,
    /// When and after how many choices so many mutants were killed.
    pub timeline: Vec<ProgressPoint>,
}

/// How far a run was when it had killed more mutants.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ProgressPoint {
    pub seconds: f64,
    /// Seconds of processor time; 0 where the system does not tell.
    pub cpu_seconds: f64,
    pub choices: usize,
    pub killed: usize,
}

/// Told after every move.
#[derive(Clone, Copy, Debug)]
pub struct GenerationProgress {
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
struct RunningMutant {
    mutant: ModelMutantId,
    suspension: Arc<Suspension>,
    age: u32,
    /// The move that starts it now.
    from: Option<(SpecStateId, usize)>,
}

/// A test has no more moves than this, also if there is nothing to choose.
const MOVES_PER_CHOICE: usize = 20;
const MORE_MOVES: usize = 1_000;

/// What workers do at once when the original has moved.
enum Job<'w> {
    FindMoves,
    Advance(&'w RunningMutant),
}

enum Done {
    Moves(Result<Vec<(Move, MutantSet)>, Stop>),
    Advance(StepResult, bool, usize),
}

struct Generator<'o> {
    options: &'o GenerationOptions,
    workers: Workers,
    graph: StateGraph,
    results: GenerationResults,
    strategy: MoveStrategy,
    found: MutantSet,
    started: MutantSet,
    visits: BTreeMap<u64, u32>,
    model: Arc<Model>,
    begun: Instant,
    /// Choices of the tests before this one.
    earlier_choices: usize,
    timeline: Vec<ProgressPoint>,
    halt: Halt,
}

/// Generates tests.
///
/// # Errors
/// If the model can't be compiled.
#[cfg(test)]
pub fn generate(
    model: &Arc<Model>,
    options: &GenerationOptions,
    progress: &mut dyn FnMut(GenerationProgress),
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
    options: &GenerationOptions,
    progress: &mut dyn FnMut(GenerationProgress),
    finished: &mut Finished,
) -> anyhow::Result<Generated> {
    let begun = Instant::now();
    let cpu_before = cpu_seconds();
    let mut generator = Generator::new(model, options, begun)?;
    generator.workers.set_halt(&generator.halt);
    let mut paths = Vec::new();
    let mut stopped = None;
    let mut time = match generator.halt.deadline {
        Some(deadline) => FinishingTime::Until(deadline),
        None => FinishingTime::Unlimited,
    };
    let mut failure = None;
    while paths.len() < options.tests && stopped.is_none() && failure.is_none() {
        let (path, end) = generator.test(paths.len(), progress);
        let halted = matches!(end, TestEndReason::Failure(Stop::Halted(_)));
        match end {
            TestEndReason::Depth => {}
            TestEndReason::Nothing if path.moves.is_empty() && !paths.is_empty() => {
                stopped = Some(match generator.results.all_decided() {
                    true => "every mutant is killed or fails by itself".to_string(),
                    false => "no move promises another kill".to_string(),
                });
                break;
            }
            TestEndReason::Nothing => {}
            TestEndReason::Failure(Stop::Halted(HaltCause::Time)) => {
                stopped = Some("the time is up".to_string())
            }
            TestEndReason::Failure(Stop::Halted(HaltCause::Interrupted)) => {
                stopped = Some("it was interrupted".to_string());
            }
            TestEndReason::Failure(stop) => failure = Some((path.clone(), stop)),
        }
        if halted {
            time = FinishingTime::Short;
            generator.workers.set_halt(&time_to_finish(begun.elapsed()));
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
        confirmation: Confirmation::default(),
        stopped,
        time,
        failure,
        visits: generator.visits,
        seconds,
        single_seconds: seconds - generator.workers.shared_seconds(),
        used_workers: generator.workers,
        cpu_seconds: cpu_seconds() - cpu_before,
        timeline: generator.timeline,
    })
}

impl Generated {
    /// Workers that put in order what was found, and remember nothing of how.
    pub fn workers(&self) -> Workers {
        let mut workers = self.used_workers.renewed();
        let taken = Duration::from_secs_f64(self.seconds);
        if let Some(halt) = self.time.halt(taken) {
            workers.set_halt(&halt);
        }
        workers
    }
}

/// How long it may take to put in order, and to check, what was found.
#[derive(Clone, Copy, Debug)]
enum FinishingTime {
    Unlimited,
    /// Until the user's time is up, and at least a short time.
    Until(Instant),
    /// The time is up, or the user wants an end.
    Short,
}

impl FinishingTime {
    /// When it has to end, after so much time was taken before.
    fn halt(self, taken: Duration) -> Option<Halt> {
        let short = time_to_finish(taken);
        match self {
            FinishingTime::Unlimited => None,
            FinishingTime::Until(deadline) => Some(Halt {
                deadline: short.deadline.max(Some(deadline)),
                ..short
            }),
            FinishingTime::Short => Some(short),
        }
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

enum TestEndReason {
    Depth,
    /// No move, or none that could bring anything.
    Nothing,
    Failure(Stop),
}

/// A test under way.
struct Walk {
    test: usize,
    path: Path,
    /// Where the original is.
    spec: SpecStateId,
    live: Vec<RunningMutant>,
    /// Mutants that parted and were lost sight of: no longer at the original's state in this test.
    gone: BTreeSet<ModelMutantId>,
    /// A mutant was killed by what it shows here: the test has to look before it gives an input.
    must_observe: bool,
    /// The input that was chosen before the test looked.
    planned: Option<Label>,
}

impl Walk {
    fn running(&self) -> BTreeSet<ModelMutantId> {
        self.live.iter().map(|live| live.mutant).collect()
    }
}

impl<'o> Generator<'o> {
    fn new(
        model: &Arc<Model>,
        options: &'o GenerationOptions,
        begun: Instant,
    ) -> anyhow::Result<Self> {
        Ok(Generator {
            halt: Halt {
                interrupted: options.interrupted.clone(),
                deadline: options.time.map(|time| begun + time),
                memory: options.max_memory,
            },
            options,
            workers: Workers::new(model, options)?,
            graph: StateGraph::default(),
            results: GenerationResults::new(&model.mutants),
            strategy: MoveStrategy::new(options.strategy, options.seed, model.objects.len()),
            found: MutantSet::for_all(&model.mutants),
            started: MutantSet::for_all(&model.mutants),
            visits: BTreeMap::new(),
            model: model.clone(),
            begun,
            earlier_choices: 0,
            timeline: Vec::new(),
        })
    }

    fn test(
        &mut self,
        test: usize,
        progress: &mut dyn FnMut(GenerationProgress),
    ) -> (Path, TestEndReason) {
        let kernel = vec![SuspensionNode::at(self.model.initial.clone())];
        let limits = self.options.limits;
        let mut path = Path {
            moves: Vec::new(),
            states: Vec::new(),
            choices: 0,
        };
        let spec = match self.graph.enter(&mut self.workers, kernel, limits) {
            Ok(spec) => spec,
            Err(stop) => return (path, TestEndReason::Failure(stop)),
        };
        self.strategy.begins(test);
        path.states.push(spec);
        let mut walk = Walk {
            test,
            path,
            spec,
            live: Vec::new(),
            gone: BTreeSet::new(),
            must_observe: false,
            planned: None,
        };
        self.arrive(&mut walk);
        let end = loop {
            match self.move_on(&mut walk) {
                Ok(()) => {}
                Err(end) => break end,
            }
            self.note_moment(&walk.path);
            progress(self.progress(&walk));
        };
        (walk.path, end)
    }

    /// Takes one more move, unless the test is at its end.
    fn move_on(&mut self, walk: &mut Walk) -> Result<(), TestEndReason> {
        let longest = self.options.depth * MOVES_PER_CHOICE + MORE_MOVES;
        let is_planned = walk.planned.is_some();
        if walk.path.choices >= self.options.depth && !is_planned
            || walk.path.moves.len() >= longest
        {
            return Err(TestEndReason::Depth);
        }
        if let Some(cause) = self.halt.cause() {
            return Err(TestEndReason::Failure(Stop::Halted(cause)));
        }
        let spec = walk.spec;
        self.graph
            .find_transitions(&mut self.workers, spec)
            .map_err(TestEndReason::Failure)?;
        let at = match self.planned(walk) {
            Some(at) => at,
            None => self.choose(walk).ok_or(TestEndReason::Nothing)?,
        };
        let (at, step) = self.look_first(walk, at);
        let limits = self.options.limits;
        let next = match at {
            Some(at) => self.graph.follow(&mut self.workers, spec, at, limits),
            None => {
                let silence = &Observation::Delta;
                self.graph.observe(&mut self.workers, spec, silence, limits)
            }
        };
        let next = match next {
            Ok(next) => next,
            Err(stop @ Stop::Halted(_)) => return Err(TestEndReason::Failure(stop)),
            Err(stop) => {
                walk.path.moves.push(step);
                return Err(TestEndReason::Failure(stop));
            }
        };
        self.start_new(walk, at);
        walk.path.moves.push(step.clone());
        walk.path.states.push(next);
        walk.spec = next;
        walk.must_observe = false;
        self.advance_all(walk, &step);
        self.arrive(walk);
        Ok(())
    }

    /// The move that was chosen before the test looked.
    fn planned(&mut self, walk: &mut Walk) -> Option<usize> {
        let label = walk.planned.take()?;
        let transitions = self.graph.state(walk.spec).transitions();
        let is_it = |transition: &Transition| transition.step == Move::Input(label.clone());
        transitions.iter().position(is_it)
    }

    /// A chosen move, or what comes before it: where a mutant was killed by what it shows, the test looks. It waits until
    /// nothing comes (`None`) if the original may be silent, and follows an output if not.
    fn look_first(&mut self, walk: &mut Walk, at: usize) -> (Option<usize>, Move) {
        let state = self.graph.state(walk.spec);
        let step = state.transitions()[at].step.clone();
        let Move::Input(label) = &step else {
            return (Some(at), step);
        };
        if !walk.must_observe {
            return (Some(at), step);
        }
        if state.observations.contains(&Observation::Delta) {
            walk.planned = Some(label.clone());
            return (None, Move::Observe(Observation::Delta));
        }
        let outputs = state.transitions().iter().enumerate();
        let output = outputs
            .filter(|(_, transition)| matches!(transition.step, Move::Observe(_)))
            .min_by_key(|(_, transition)| self.strategy.count(transition));
        match output {
            Some((at, transition)) => (Some(at), transition.step.clone()),
            None => (Some(at), step),
        }
    }

    fn note_moment(&mut self, path: &Path) {
        let killed = self.results.killed().count();
        if self.timeline.last().is_none_or(|last| last.killed < killed) {
            self.timeline.push(ProgressPoint {
                seconds: self.begun.elapsed().as_secs_f64(),
                cpu_seconds: cpu_seconds(),
                choices: self.earlier_choices + path.choices,
                killed,
            });
        }
    }

    /// The number of the next move; where there is nothing to do but wait, that is no choice.
    fn choose(&mut self, walk: &mut Walk) -> Option<usize> {
        let spec = walk.spec;
        let transitions = self.graph.state(spec).transitions();
        let at = match transitions {
            [] => return None,
            [transition] if matches!(transition.step, Move::Observe(_)) => 0,
            _ => {
                let running = walk.running();
                let beside: Vec<(ModelMutantId, Arc<Suspension>)> = walk
                    .live
                    .iter()
                    .map(|live| (live.mutant, live.suspension.clone()))
                    .collect();
                let left = self.options.depth - walk.path.choices;
                let situation = StrategyInput {
                    results: &self.results,
                    found: &self.found,
                    running: &running,
                    beside: &beside,
                    gone: &walk.gone,
                    left,
                    limits: self.options.limits,
                };
                let at =
                    self.strategy
                        .choose(&mut self.workers, &mut self.graph, spec, &situation)?;
                // What the system shows is not the tester's choice.
                let transitions = self.graph.state(spec).transitions();
                walk.path.choices += usize::from(
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

    /// The original is at a state: mutants reached there without an input are started from its nodes.
    fn arrive(&mut self, walk: &mut Walk) {
        let id = walk.spec;
        self.graph.state_mut(id).visits += 1;
        for node in &self.graph.state(id).suspension.nodes {
            *self
                .visits
                .entry(node.node.state.fingerprint())
                .or_default() += 1;
        }
        self.found.union(&self.graph.state(id).own);
        let running = walk.running();
        self.start_here(walk, &running);
        let decided: Vec<(ModelMutantId, StartResult)> = self
            .graph
            .state(id)
            .starts
            .iter()
            .filter(|(id, _)| {
                self.results.is_open(**id) && !walk.gone.contains(id) && !running.contains(id)
            })
            .map(|(id, start)| (*id, start.clone()))
            .collect();
        for (mutant, start) in decided {
            match start {
                StartResult::Same | StartResult::Parts(_) | StartResult::Unknown => {}
                StartResult::Killed(observation) => self.killed(walk, mutant, 0, observation),
                StartResult::Crashed(error) => self.crashed(walk, mutant, error),
                StartResult::LimitReached => {
                    walk.gone.insert(mutant);
                }
            }
        }
    }

    /// Starts the mutants that were never started at this state.
    fn start_here(&mut self, walk: &Walk, running: &BTreeSet<ModelMutantId>) {
        let id = walk.spec;
        let spec = self.graph.state(id);
        let new: Vec<ModelMutantId> = spec
            .own
            .iter()
            .filter(|id| {
                self.results.is_open(*id) && !walk.gone.contains(id) && !running.contains(id)
            })
            .filter(|id| !spec.starts.contains_key(id) && self.strategy.wants(*id))
            .take(self.options.max_live.max(1))
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
                // Not reached, as far as this test is concerned.
                StartResult::LimitReached if may_rest => {
                    self.strategy.puts_off(*mutant);
                    continue;
                }
                StartResult::LimitReached => self.strategy.reached_limit(*mutant),
                StartResult::Parts(_) => self.strategy.parted(*mutant),
                _ => {}
            }
            spec.starts.insert(*mutant, start);
        }
    }

    fn killed(
        &mut self,
        walk: &mut Walk,
        mutant: ModelMutantId,
        steps: u32,
        observation: Observation,
    ) {
        let kill = ModelKill {
            test: walk.test,
            after: walk.path.moves.len(),
            steps: Some(steps),
            observation: self.model.observation_text(&observation),
        };
        self.results.set(mutant, Status::Killed(kill));
        self.strategy.killed(mutant);
        walk.must_observe = true;
    }

    fn crashed(&mut self, walk: &Walk, mutant: ModelMutantId, error: ExecError) {
        let (test, after) = (walk.test, walk.path.moves.len());
        self.results
            .set(mutant, Status::Crashed { test, after, error });
    }

    /// Mutants that may part from the original by this move run beside it from now on; none is chosen where the test waits.
    fn start_new(&mut self, walk: &mut Walk, at: Option<usize>) {
        let id = walk.spec;
        let running = walk.running();
        let spec = self.graph.state(id);
        let mut starting: BTreeMap<ModelMutantId, &Arc<Suspension>> = BTreeMap::new();
        if let Some(transition) = at.map(|at| &spec.transitions()[at]) {
            for mutant in transition.infected.iter() {
                self.found.insert(*mutant);
                if !transition.harmless.contains(mutant) {
                    starting.insert(*mutant, &spec.suspension);
                }
            }
        }
        for (mutant, start) in &spec.starts {
            if let StartResult::Parts(suspension) = start {
                starting.insert(*mutant, suspension);
            }
        }
        // Met here but not looked at for want of room: their state after this move is unknown.
        let unmet = spec.own.iter().filter(|m| !spec.starts.contains_key(m));
        let unmet: BTreeSet<ModelMutantId> = unmet.filter(|m| !running.contains(m)).collect();
        for (mutant, suspension) in starting {
            let here = !running.contains(&mutant) && !walk.gone.contains(&mutant);
            if !here || unmet.contains(&mutant) || !self.results.is_open(mutant) {
                continue;
            }
            if walk.live.len() >= self.options.max_live || !self.strategy.wants(mutant) {
                walk.gone.insert(mutant);
                continue;
            }
            self.started.insert(mutant);
            self.strategy.tried(mutant);
            walk.live.push(RunningMutant {
                mutant,
                suspension: suspension.clone(),
                age: 0,
                from: at.map(|at| (id, at)),
            });
        }
        walk.gone.extend(unmet);
    }

    /// Moves the running mutants on. Meanwhile one worker finds out what can be done where the original is now.
    fn advance_all(&mut self, walk: &mut Walk, step: &Move) {
        let next = walk.spec;
        let spec = self.graph.state(next);
        let limits = self.options.limits;
        let strategy = &self.strategy;
        let mut jobs: Vec<Job> = walk.live.iter().map(Job::Advance).collect();
        if spec.transitions.is_none() {
            jobs.insert(0, Job::FindMoves);
        }
        let done = self.workers.map(&jobs, |explorer, job| match job {
            Job::FindMoves => Done::Moves(moves_from(explorer, spec)),
            Job::Advance(live) => {
                let (limits, may_rest) = strategy.allowance(live.mutant, spec, limits);
                let acting = Acting::mutant(&explorer.model.mutants, live.mutant);
                let advance = advance(explorer, &acting, &live.suspension, step, spec, limits);
                Done::Advance(advance, may_rest, explorer.closed)
            }
        });
        let mut steps = Vec::with_capacity(done.len());
        for done in done {
            match done {
                Done::Advance(advance, may_rest, nodes) => steps.push((advance, may_rest, nodes)),
                Done::Moves(Ok(moves)) => self.graph.set_moves(next, moves, &self.model.mutants),
                // It is told when the moves are asked for.
                Done::Moves(Err(_)) => {}
            }
        }
        let live = std::mem::take(&mut walk.live);
        for (mut one, (advance, may_rest, nodes)) in live.into_iter().zip(steps) {
            let mutant = one.mutant;
            self.strategy.spends(mutant, self.graph.state(next), nodes);
            match advance {
                StepResult::Killed(observation) => {
                    self.killed(walk, mutant, one.age + 1, observation);
                }
                StepResult::Crashed(error) => self.crashed(walk, mutant, error),
                StepResult::LimitReached => {
                    match may_rest {
                        true => self.strategy.puts_off(mutant),
                        false => self.strategy.reached_limit(mutant),
                    }
                    walk.gone.insert(mutant);
                }
                StepResult::Same => self.note_harmless(&one),
                StepResult::Lost => {
                    walk.gone.insert(mutant);
                }
                StepResult::Live(suspension) => {
                    self.strategy.parted(mutant);
                    one.suspension = suspension;
                    one.from = None;
                    one.age += 1;
                    let longest = self.strategy.longest_life(mutant, self.options.max_age);
                    if one.age >= longest {
                        walk.gone.insert(mutant);
                    } else {
                        walk.live.push(one);
                    }
                }
            }
        }
    }

    /// A mutant that was started by a move and did not part: the next time it need not be tried.
    fn note_harmless(&mut self, one: &RunningMutant) {
        let Some((id, at)) = one.from else { return };
        let spec = self.graph.state_mut(id);
        let parted = matches!(spec.starts.get(&one.mutant), Some(StartResult::Parts(_)));
        if let (Some(transitions), false) = (&mut spec.transitions, parted) {
            transitions[at].harmless.insert(one.mutant);
        }
    }

    fn progress(&self, walk: &Walk) -> GenerationProgress {
        GenerationProgress {
            test: walk.test,
            tests: self.options.tests,
            choices: walk.path.choices,
            depth: self.options.depth,
            live: walk.live.len(),
            killed: self.results.killed().count(),
            found: self.found.len(),
            total: self.model.mutants.open().count(),
        }
    }

    fn finished_results(&mut self) -> GenerationResults {
        let mut results = self.results.clone();
        for mutant in self.model.mutants.open() {
            if results.is_open(mutant.id) && self.found.contains(mutant.id) {
                let status = match self.started.contains(mutant.id) {
                    _ if self.strategy.has_reached_limit(mutant.id) => Status::TimedOut,
                    true => Status::GivenUp,
                    false => Status::Skipped,
                };
                results.set(mutant.id, status);
            }
        }
        results
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kills_are_checked_as_long_as_there_is_time_left() {
        let now = Instant::now();
        let until = |deadline| FinishingTime::Until(deadline).halt(Duration::ZERO);
        let late = now + Duration::from_secs(100_000);
        assert_eq!(until(late).unwrap().deadline, Some(late));
        assert!(
            until(now).unwrap().deadline > Some(now),
            "and a while after that"
        );
        assert!(FinishingTime::Short.halt(Duration::ZERO).unwrap().deadline < Some(late));
        assert!(FinishingTime::Unlimited.halt(Duration::ZERO).is_none());
    }
}
