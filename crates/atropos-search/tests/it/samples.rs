//! Sampling, the default strategy, replay and shrinking.

use std::ops::ControlFlow;

use atropos_search::{
    Coverage, ExecutionEnd, ExecutionPhase, Exhaustive, Gradual, Guide, Mixed, Op, Pct, Pending,
    Pos, SampleSpec, Schedule, SchedulingPoint, Search, StageBudget, Strategy, Strictness, Surw,
    System, Thread, Uniform, check_determinism, explore, explore_with, replay, shrink,
};

use crate::lang::{Instr, Interpreter, Program, Value};
use crate::locks::lock_program;

/// Two threads that each read, then write what they read plus one; main expects 2.
pub fn lost_update() -> Program {
    let add = vec![Instr::Load(0, 0), Instr::Store(0, Value::Plus(0, 1))];
    let main = vec![
        Instr::Spawn(1),
        Instr::Spawn(2),
        Instr::Join(1),
        Instr::Join(2),
        Instr::Load(0, 0),
        Instr::Assert(0, 2),
    ];
    Program {
        threads: vec![main, add.clone(), add],
        initial: 1,
        ..Program::default()
    }
}

fn strategies(schedules: u64, seed: u64) -> Vec<Box<dyn Strategy>> {
    let draw = SampleSpec::new(schedules, seed);
    vec![
        Box::new(Uniform::new(draw)),
        Box::new(Pct::new(draw, 2)),
        Box::new(Pos::new(draw)),
        Box::new(Surw::new(draw)),
        Box::new(Mixed::new(draw)),
    ]
}

#[test]
fn every_sampling_strategy_finds_a_lost_update_and_its_schedule_fails_again() {
    let mut system = Interpreter::new(lost_update());
    for mut strategy in strategies(1000, 7) {
        let report = explore(&mut system, &mut *strategy);
        let finding = report.finding.expect("a lost update is likely");
        let text = finding.schedule.to_string();
        let schedule: Schedule = text.parse().unwrap();
        assert_eq!(schedule, finding.schedule);
        let again = replay(&mut system, &schedule, Strictness::Exact);
        assert_eq!(again.ended(), Some(finding.end), "{text}");
        assert_eq!(check_determinism(&mut system, &schedule), None);
    }
}

#[test]
fn one_seed_gives_one_sample() {
    let mut system = Interpreter::new(lost_update());
    let schedules = |system: &mut Interpreter, mut strategy: Box<dyn Strategy>| {
        let mut all = Vec::new();
        explore_with(system, &mut *strategy, &mut |_, strategy| {
            all.push(strategy.schedule());
            ControlFlow::Continue(())
        });
        all
    };
    for ((a, b), c) in strategies(50, 7)
        .into_iter()
        .zip(strategies(50, 7))
        .zip(strategies(50, 8))
    {
        let (a, b, c) = (
            schedules(&mut system, a),
            schedules(&mut system, b),
            schedules(&mut system, c),
        );
        assert_eq!(a.len(), 50);
        assert_eq!(a, b);
        assert_ne!(a, c);
    }
}

#[test]
fn pct_of_depth_1_runs_threads_by_priority_alone() {
    let mut system = Interpreter::new(lost_update());
    let report = explore(&mut system, &mut Pct::new(SampleSpec::new(200, 3), 1));
    assert_eq!(
        report.finding, None,
        "without a change of priority no thread is interrupted"
    );
    assert_eq!(
        report.coverage.to_string(),
        "200 random schedules (PCT, depth 1), seed 3"
    );
}

#[test]
fn a_failing_schedule_shrinks_to_one_preemption() {
    let mut system = Interpreter::new(lost_update());
    for seed in 0..20 {
        let report = explore(&mut system, &mut Uniform::new(SampleSpec::new(1000, seed)));
        let finding = report.finding.expect("a lost update is likely");
        let shrunk =
            shrink(&mut system, &finding.schedule, 500, 100_000).expect("the schedule fails");
        assert_eq!(
            shrunk.preemptions, 1,
            "{} from {}",
            shrunk.schedule, finding.schedule
        );
        let again = replay(&mut system, &shrunk.schedule, Strictness::Exact);
        assert_eq!(again.ended(), Some(shrunk.end));
        // One execution is all that one choice allows.
        let hurried = shrink(&mut system, &finding.schedule, 500, 1).expect("the schedule fails");
        assert_eq!(hurried.executions, 1);
    }
    let passing = "s1:0".parse().unwrap();
    assert_eq!(
        shrink(&mut system, &passing, 500, 100_000),
        None,
        "a passing schedule does not shrink"
    );
}

#[test]
fn the_default_covers_all_if_it_can_and_says_what_it_covered_if_not() {
    let budget = StageBudget {
        early: 0,
        exhaustive: 1000,
        bounded: 1000,
        random: 10,
        seed: 7,
    };
    let covered = |budget: StageBudget, n: usize| {
        let mut system = Interpreter::new(lock_program(2, n));
        let report = explore(&mut system, &mut Gradual::new(budget));
        assert_eq!(report.finding, None);
        report.coverage
    };
    assert_eq!(covered(budget, 3), Coverage::All);
    let text = covered(
        StageBudget {
            exhaustive: 10,
            bounded: 300,
            ..budget
        },
        4,
    )
    .to_string();
    assert!(
        text.starts_with("all schedules with")
            && text.ends_with(", and 10 random schedules (mixed), seed 7"),
        "{text}"
    );
    assert_eq!(
        covered(
            StageBudget {
                exhaustive: 10,
                bounded: 100_000,
                ..budget
            },
            3
        ),
        Coverage::All,
        "no bound cuts"
    );
    let text = covered(
        StageBudget {
            exhaustive: 10,
            bounded: 0,
            ..budget
        },
        4,
    )
    .to_string();
    assert_eq!(
        text,
        "10 schedules, not all, and 10 random schedules (mixed), seed 7"
    );
}

#[test]
fn the_default_draws_early_and_counts_each_random_schedule_once() {
    let budget = StageBudget {
        early: 30,
        exhaustive: 20,
        bounded: 0,
        random: 10,
        seed: 7,
    };
    let mut numbers = Vec::new();
    let mut gradual = Gradual::new(budget);
    let mut system = Interpreter::new(lock_program(2, 6));
    explore_with(&mut system, &mut gradual, &mut |_, strategy| {
        numbers.push(strategy.progress().executions);
        ControlFlow::Continue(())
    });
    assert_eq!(numbers, (1..=60).collect::<Vec<_>>());
    assert_eq!(
        gradual.coverage().to_string(),
        "20 schedules, not all, and 40 random schedules (mixed), seed 7"
    );
    // A search that is over soon is all that counts.
    let mut small = Interpreter::new(lost_update());
    let passing = StageBudget {
        exhaustive: 1000,
        ..budget
    };
    let mut gradual = Gradual::new(passing);
    let report = explore_with(&mut small, &mut gradual, &mut |_, _| {
        ControlFlow::Continue(())
    });
    let mut alone = Exhaustive::new();
    let all = explore_with(
        &mut small,
        &mut alone,
        &mut |_, _| ControlFlow::Continue(()),
    );
    assert_eq!(report.coverage, Coverage::All);
    assert_eq!(report.progress.executions, all.progress.executions);
}

#[test]
fn a_preemption_bound_of_0_misses_the_lost_update_and_1_finds_it() {
    let mut system = Interpreter::new(lost_update());
    let report = explore(&mut system, &mut Search::chess(0));
    assert_eq!(report.finding, None);
    assert_eq!(report.coverage, Coverage::Preemptions(0));
    assert!(
        explore(&mut system, &mut Search::chess(1))
            .finding
            .is_some()
    );
}

#[test]
fn the_estimate_comes_close_while_the_search_runs() {
    let mut system = Interpreter::new(lock_program(2, 6));
    for mut strategy in [
        Box::new(Exhaustive::new()) as Box<dyn Strategy>,
        Box::new(Search::enumeration()),
    ] {
        let mut shares = Vec::new();
        explore_with(&mut system, &mut *strategy, &mut |_, strategy| {
            shares.push(strategy.progress().share);
            if shares.len() == 5000 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        assert!(shares.iter().all(|share| *share > 0.0 && *share <= 1.0));
        assert!(strategy.progress().estimate().is_some());
    }
    let mut strategy = Exhaustive::new();
    let mut estimates = Vec::new();
    explore_with(&mut system, &mut strategy, &mut |_, strategy| {
        estimates.extend(strategy.progress().estimate());
        ControlFlow::Continue(())
    });
    assert_eq!(strategy.progress().estimate(), Some(924.0));
    let halfway = estimates[estimates.len() / 2];
    assert!((200.0..4000.0).contains(&halfway), "{halfway}");
}

/// One thread yields once, the other does not; fails if the one that yields goes first, or if it does not.
struct YieldsOnce {
    fails_if_it_goes_on: bool,
}

impl System for YieldsOnce {
    fn run(&mut self, guide: &mut dyn Guide) -> ExecutionEnd {
        let pending = |t: u32, op: Op| Pending {
            thread: Thread(t),
            op,
            ready: true,
        };
        let threads = [
            pending(0, Op::local().yielding()),
            pending(1, Op::universal()),
        ];
        let first = guide.choose(&SchedulingPoint {
            threads: &threads,
            fingerprint: None,
            phase: ExecutionPhase::Running,
        });
        let Some(first) = first else {
            return ExecutionEnd::Stopped;
        };
        guide.choose(&SchedulingPoint {
            threads: &threads,
            fingerprint: None,
            phase: ExecutionPhase::CutShort,
        });
        match (first == Thread(0)) == self.fails_if_it_goes_on {
            true => ExecutionEnd::Failed(0),
            false => ExecutionEnd::Passed(0),
        }
    }
}

#[test]
fn every_sampling_strategy_lets_a_thread_go_on_after_a_yield_and_lets_others_go_first() {
    for fails_if_it_goes_on in [true, false] {
        for mut strategy in strategies(100, 7) {
            let mut system = YieldsOnce {
                fails_if_it_goes_on,
            };
            let report = explore(&mut system, &mut *strategy);
            assert!(report.finding.is_some(), "{}", report.coverage);
        }
    }
}

/// A system that is not what it was the time before.
struct Moody {
    runs: u32,
}

impl System for Moody {
    fn run(&mut self, guide: &mut dyn Guide) -> ExecutionEnd {
        self.runs += 1;
        for step in 0..6 {
            let code = if self.runs == 2 && step == 3 { 9 } else { 1 };
            let pending = |t: u32| Pending {
                thread: Thread(t),
                op: Op::universal().coded(code),
                ready: true,
            };
            let threads = [pending(0), pending(1)];
            let phase = if step == 5 {
                ExecutionPhase::CutShort
            } else {
                ExecutionPhase::Running
            };
            match guide.choose(&SchedulingPoint {
                threads: &threads,
                fingerprint: None,
                phase,
            }) {
                _ if step == 5 => break,
                None => return ExecutionEnd::Stopped,
                Some(_) => guide.observe(u64::from(self.runs)),
            }
        }
        ExecutionEnd::Passed(0)
    }
}

#[test]
fn a_system_that_is_not_deterministic_is_told_so_with_the_place() {
    let report = explore(&mut Moody { runs: 0 }, &mut Exhaustive::new());
    let divergence = report.divergence.expect("the second run differs");
    assert_eq!(divergence.at, 3);
    assert!(
        divergence.to_string().contains("part at choice 3"),
        "{divergence}"
    );
    // The default goes on with random schedules.
    let mut gradual = Gradual::new(StageBudget {
        early: 30,
        exhaustive: 100,
        bounded: 100,
        random: 10,
        seed: 7,
    });
    let report = explore(&mut Moody { runs: 0 }, &mut gradual);
    assert_eq!(report.divergence, None);
    assert_eq!(gradual.diverged().map(|divergence| divergence.at), Some(3));
    let text = report.coverage.to_string();
    assert!(
        text.ends_with("40 random schedules (mixed), seed 7"),
        "{text}"
    );
    let schedule = "s1:0*5".parse().unwrap();
    let divergence =
        check_determinism(&mut Moody { runs: 0 }, &schedule).expect("the second run differs");
    assert_eq!(divergence.at, 0, "another value is seen at once");
    let schedule = "s1:0*5,7".parse().unwrap();
    let divergence =
        check_determinism(&mut Moody { runs: 5 }, &schedule).expect("there is no such choice");
    assert_eq!(divergence.at, 5);
}

/// Many threads that each take a few steps on one of a few objects.
struct Crowd {
    left: Vec<u32>,
    threads: Vec<Pending>,
    steps: u32,
}

impl System for Crowd {
    fn run(&mut self, guide: &mut dyn Guide) -> ExecutionEnd {
        let count = self.threads.len();
        self.left.clear();
        self.left.resize(count, self.steps);
        self.threads
            .iter_mut()
            .for_each(|pending| pending.ready = true);
        for _ in 0..count * self.steps as usize {
            let point = SchedulingPoint {
                threads: &self.threads,
                fingerprint: None,
                phase: ExecutionPhase::Running,
            };
            let Some(Thread(t)) = guide.choose(&point) else {
                return ExecutionEnd::Stopped;
            };
            self.left[t as usize] -= 1;
            self.threads[t as usize].ready = self.left[t as usize] > 0;
        }
        guide.choose(&SchedulingPoint {
            threads: &self.threads,
            fingerprint: None,
            phase: ExecutionPhase::Finished,
        });
        ExecutionEnd::Passed(0)
    }
}

fn crowd(threads: u32, steps: u32) -> Crowd {
    let op = |t: u32| match t % 2 {
        0 => Op::local(),
        _ => Op::on(
            atropos_search::SharedObject(u64::from(t)),
            atropos_search::OpKind::Write,
        ),
    };
    let pending = |t: u32| Pending {
        thread: Thread(t),
        op: op(t),
        ready: true,
    };
    Crowd {
        left: Vec::new(),
        threads: (0..threads).map(pending).collect(),
        steps,
    }
}

#[test]
fn a_hundred_threads_and_a_million_steps_work() {
    let mut strategy = Uniform::new(SampleSpec::new(1, 7));
    explore(&mut crowd(100, 10_000), &mut strategy);
    assert_eq!(strategy.schedule().choices.len(), 1_000_000);
    for mut strategy in strategies(1, 7) {
        explore(&mut crowd(100, 200), &mut *strategy);
        assert_eq!(strategy.schedule().choices.len(), 20_000);
    }
    let report = explore(&mut crowd(100, 5), &mut Exhaustive::new());
    assert_eq!(
        (report.coverage, report.progress.executions),
        (Coverage::All, 1)
    );
}
