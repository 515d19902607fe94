//! The programs under Atropos; the first argument says which memory they have: `sc` (as under Shuttle) or `weak` (as under Loom).

#[path = "../programs/mod.rs"]
mod programs;
#[path = "../questions.rs"]
mod questions;

/// What the programs are written against.
mod under {
    pub use atropos_threads::thread;
    pub mod sync {
        pub use atropos_threads::atomic;
        pub use atropos_threads::sync::*;
    }
}

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use atropos_search::{Coverage, Exhaustive, Pct, SampleSpec, Uniform, explore, explore_with};
use atropos_threads::{ControlOptions, MemoryOrder, ThreadedTest};
use programs::Version;
use questions::{Counted, End, Library, Strategy};

struct Atropos {
    memory: MemoryOrder,
}

impl Atropos {
    fn options(&self) -> ControlOptions {
        ControlOptions {
            memory: self.memory,
            ..ControlOptions::default()
        }
    }
}

impl Library for Atropos {
    fn count(&self, program: fn(Version), most: u64, time: Duration) -> Counted {
        let body = || program(Version::Right);
        let mut test = ThreadedTest::new(&body, &self.options());
        let start = Instant::now();
        let report = explore_with(&mut test, &mut Exhaustive::new(), &mut |end, strategy| {
            let progress = strategy.progress();
            let is_enough =
                progress.executions + progress.abandoned >= most || start.elapsed() > time;
            match end.is_failure() || is_enough {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        Counted {
            schedules: report.progress.executions,
            abandoned: report.progress.abandoned,
            end: match (report.finding, report.coverage) {
                (Some(_), _) => End::Failed,
                (None, Coverage::All) => End::All,
                (None, _) => End::Part,
            },
        }
    }

    fn draw(&self, program: fn(Version), schedules: u64) {
        let body = || program(Version::Right);
        let mut test = ThreadedTest::new(&body, &self.options());
        let report = explore(&mut test, &mut Uniform::new(SampleSpec::new(schedules, 7)));
        assert!(report.finding.is_none(), "the program is right");
    }

    fn first_bug(
        &self,
        program: fn(Version),
        strategy: Strategy,
        most: u64,
        seed: u64,
    ) -> Option<u64> {
        let body = || program(Version::Broken);
        let mut test = ThreadedTest::new(&body, &self.options());
        let draw = SampleSpec::new(most, seed);
        let mut drawing: Box<dyn atropos_search::Strategy> = match strategy {
            Strategy::Random => Box::new(Uniform::new(draw)),
            Strategy::Pct(depth) => Box::new(Pct::new(draw, depth as u32)),
            Strategy::Systematic => Box::new(Exhaustive::new()),
        };
        let report = explore(&mut test, &mut *drawing);
        let progress = drawing.progress();
        report
            .finding
            .map(|_| progress.executions + progress.abandoned)
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let memory = match arguments.next().as_deref() {
        Some("sc") => MemoryOrder::SequentiallyConsistent,
        Some("weak") => MemoryOrder::Weak,
        other => panic!("expected `sc` or `weak`, not {other:?}"),
    };
    questions::answer(&Atropos { memory }, &arguments.collect::<Vec<_>>());
}
