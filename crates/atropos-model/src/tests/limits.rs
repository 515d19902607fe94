//! What takes too long or too much ends: inside one iteration, between the steps of a closure, and after the end of a
//! run. What was found before stays.

use crate::conformance::{Conforms, ExploredModel, Obstacle};
use crate::execution::{Engine, Inputs, Interpreted, Iterations};
use crate::generation::{EngineKind, Generated, GenerationOptions, Status, Workers, generate};
use crate::model::{ErrorKind, Model, ObjectId, State};
use crate::mutation::{ModelMutantId, MutantSet, MutationMode};
use crate::results::{TestCase, aut, confirm};
use crate::state_space::{
    Acting, ExpansionCache, Halt, HaltCause, StateExplorer, StateSpaceLimits, Stop, SuspensionNode,
};
use crate::tests::reduction::explorer;
use crate::tests::support::{class, example, load};
use atropos_search::{SearchOrder, StopCondition, Technique};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn run(text: &str, options: &GenerationOptions) -> Generated {
    generate(&load(text), options, &mut |_| {}).expect("the model compiles")
}

fn quick(engine: EngineKind) -> GenerationOptions {
    GenerationOptions {
        tests: 1,
        depth: 4,
        workers: 1,
        engine,
        ..GenerationOptions::default()
    }
}

/// Where an iteration took too much.
fn too_much(generated: &Generated) -> String {
    match &generated.failure {
        Some((_, Stop::Error(_, error))) if error.kind == ErrorKind::TooMuchWork => {
            generated.model.source(error.span).to_string()
        }
        other => panic!("{:?}", other.as_ref().map(|(_, stop)| stop)),
    }
}

#[test]
fn a_quantifier_over_too_many_values_ends_with_its_place() {
    let text = class(
        "V = int[0..9999];",
        "var n: V actions ctr Go(v: V) = requires forall a: V, b: V: (a + b >= v - n): n := v end
         do var v: V: Go(v) od",
    );
    let generated = run(&text, &quick(EngineKind::Jit));
    assert_eq!(too_much(&generated), "a + b >= v - n");
}

#[test]
fn the_interpreter_ends_too() {
    // Reading a long list costs as much as going through it.
    let text = class(
        "V = int[0..50000];\nL = list[50000] of V;",
        "var l: L = []; n: V
         actions ctr Go = requires n = 0: l, n := [x | var x: V & x > 0], 1 end;
           obs Done = requires n = 1 and forall x: V: (len l = 50000): n := 2 end
         do Go() [] Done() od",
    );
    let generated = run(&text, &quick(EngineKind::Interpreter));
    assert_eq!(too_much(&generated), "len l = 50000");
    let (path, _) = generated.failure.as_ref().expect("it is too large");
    let model = &generated.model;
    let way: Vec<String> = path.moves.iter().map(|step| step.text(model)).collect();
    assert_eq!(way, ["obs delta", "ctr Go"], "the way there is told");
}

#[test]
fn calls_that_call_twice_end() {
    let mut methods = String::from("f0: bool = result := b end");
    for at in 1..=30 {
        let before = at - 1;
        methods += &format!(";\nf{at}: bool = result := f{before}() = f{before}() end");
    }
    let text = class(
        "",
        &format!(
            "var b: bool methods {methods} actions ctr Go = requires f30(): b := true end do Go() od"
        ),
    );
    let generated = run(&text, &quick(EngineKind::Jit));
    assert!(too_much(&generated).starts_with('f'));
}

#[test]
fn a_mutant_that_takes_too_much_counts_as_timed_out() {
    let text = class(
        "V = int[0..9999];",
        "var n: int[0..1]; on: bool
         actions ctr Go = requires not on: on := true end;
           obs Done = requires on and (n = 0 or forall a: V, b: V: (a + b >= 0)): on := false end
         do Go() [] Done() od",
    );
    let generated = run(&text, &quick(EngineKind::Jit));
    assert!(generated.failure.is_none());
    let model = &generated.model;
    let timed_out = model
        .mutants
        .list
        .iter()
        .filter(|mutant| matches!(generated.results.get(mutant.id), Status::TimedOut));
    let places: Vec<&str> = timed_out.map(|mutant| model.source(mutant.span)).collect();
    assert!(places.contains(&"n = 0"), "{places:?}");
}

/// Raises a flag in one of its runs.
struct Raising {
    inner: Interpreted,
    left: u32,
    flag: Arc<AtomicBool>,
}

impl Engine for Raising {
    fn run(
        &mut self,
        state: &State,
        object: ObjectId,
        mode: &MutationMode,
        inputs: Inputs,
        infected: &mut MutantSet,
    ) -> Iterations {
        assert!(
            !self.flag.load(Ordering::Relaxed),
            "nobody runs after the end"
        );
        self.left -= 1;
        if self.left == 0 {
            self.flag.store(true, Ordering::Relaxed);
        }
        self.inner.run(state, object, mode, inputs, infected)
    }
}

#[test]
fn an_interruption_is_heeded_inside_a_step() {
    let model = load(&class(
        "",
        "var n: int[0..1000] do requires n < 1000: n := n + 1 end od",
    ));
    let halt = Halt::default();
    let raising = Raising {
        inner: Interpreted {
            model: model.clone(),
        },
        left: 7,
        flag: halt.interrupted.clone(),
    };
    let cache = Arc::new(ExpansionCache::new(1 << 20));
    let mut explorer = StateExplorer::new(model.clone(), Box::new(raising), cache, None);
    explorer.set_halt(halt);
    let start = [SuspensionNode::at(model.initial.clone())];
    let acting = Acting::original(&model.mutants);
    let mut infected = MutantSet::default();
    let closed = explorer.close(&acting, &start, StateSpaceLimits::default(), &mut infected);
    assert_eq!(closed, Err(Stop::Halted(HaltCause::Interrupted)));
    assert_eq!(explorer.expanded, 7);
}

#[test]
fn too_little_memory_ends_a_run_with_what_was_found() {
    let mut options = quick(EngineKind::Interpreter);
    options.max_memory = Some(0);
    let generated = run(&example("car_alarm.ooas"), &options);
    let halted = generated.failure.as_ref().map(|(_, stop)| stop.clone());
    assert_eq!(halted, Some(Stop::Halted(HaltCause::Memory(0))));
}

#[test]
fn kills_that_nobody_had_time_to_check_do_not_count() {
    let mut options = quick(EngineKind::Interpreter);
    (options.tests, options.depth) = (2, 20);
    let mut generated = run(&example("car_alarm.ooas"), &options);
    let mut workers = Workers::new(&generated.model, &options).expect("it compiles");
    let mut texts = Vec::new();
    for path in generated.paths.clone() {
        let test = TestCase::build(&mut generated.graph, &mut workers, &path, options.limits);
        texts.push(aut(&test, &generated.model));
    }
    let claimed = generated.results.killed().count();
    let over = Halt::default();
    over.interrupted.store(true, Ordering::Relaxed);
    workers.set_halt(&over);
    confirm(&texts, &mut generated, &mut workers, options.limits).expect("nothing is wrong");
    let table = generated.results.table(&generated.model.mutants);
    assert!(claimed > 50);
    assert_eq!((table.killed, table.unchecked), (0, claimed));
}

fn obstacle(model: &Arc<Model>, halt: Halt) -> Option<Obstacle> {
    let mut explorer = explorer(model, None);
    explorer.set_halt(halt);
    let limits = StateSpaceLimits { closure: 200 };
    ExploredModel::new(explorer, SearchOrder::BreadthFirst, limits, 100).err()
}

#[test]
fn exploring_to_the_end_tells_that_it_was_stopped() {
    let model = load(&example("car_alarm.ooas"));
    let halt = Halt {
        memory: Some(0),
        ..Halt::default()
    };
    let stop = Stop::Halted(HaltCause::Memory(0));
    let after = "at state 1".to_string();
    assert_eq!(
        obstacle(&model, halt),
        Some(Obstacle::Stopped { stop, after })
    );
}

#[test]
fn exploring_mutants_keeps_what_was_decided_when_it_is_stopped() {
    let model = load(&example("car_alarm.ooas"));
    let mutants: Vec<ModelMutantId> = model.mutants.open().map(|mutant| mutant.id).collect();
    let verdicts = |most: usize| {
        let halt = Halt::default();
        let mut explorer = explorer(&model, None);
        explorer.set_halt(halt.clone());
        let limits = StateSpaceLimits::default();
        let mut explored =
            ExploredModel::new(explorer, SearchOrder::BreadthFirst, limits, 20_000).unwrap();
        let interrupt = &mut |decided| halt.interrupted.store(decided >= most, Ordering::Relaxed);
        let technique = Technique::AllStates;
        let comparison =
            explored.compare(&mutants, technique, StopCondition::FirstFailure, interrupt);
        comparison.verdicts
    };
    let to_the_end = verdicts(usize::MAX);
    let stopped = verdicts(10);
    assert_eq!(stopped[..10], to_the_end[..10]);
    assert!(stopped.iter().any(|(_, of)| *of == Conforms::Stopped));
    for (kept, known) in stopped.iter().zip(&to_the_end) {
        assert!(kept == known || kept.1 == Conforms::Stopped, "{kept:?}");
    }
}
