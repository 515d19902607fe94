//! What can be explored by several processes, and the pieces that it is divided into: always the same, however many
//! processes there are.

use atropos_protocol::exploration::{Explored, Response};
use atropos_search::{Coverage, Exhaustive, Round, RoundResult, SampleSpec, Sampling, Search};
use atropos_search::{Strategy, WaitingTransition, WorkItem, split};

use crate::subject::Subject;

/// Parts of an exhaustive search; more than anybody has processors, within so many decisions from the start.
const PARTS: usize = 16;
const DEPTH: usize = 60;
/// Random schedules that a process takes on at a time.
const DRAWN: u64 = 500;
/// Transitions of a round, likewise.
const TRANSITIONS: usize = 64;

/// Something to explore that can be divided.
pub enum Task<'a> {
    /// All schedules.
    Exhaustive(Vec<WorkItem>),
    /// So many random schedules, drawn this way. (PCT learns how long executions are in each piece anew.)
    Drawn {
        /// The number of the first.
        first: u64,
        schedules: u64,
        seed: u64,
        how: Sampling,
    },
    /// A round of a search that remembers states.
    Round {
        search: &'a mut Search,
        waiting: Vec<WaitingTransition>,
    },
}

impl Task<'_> {
    /// All schedules of a test, in enough pieces for so many shards.
    pub fn exhaustive(subject: &mut Subject<'_>, shards: u64) -> Task<'static> {
        let parts = PARTS * shards.max(1) as usize;
        Task::Exhaustive(split(subject, parts, DEPTH))
    }

    pub fn pieces(&self) -> u64 {
        match self {
            Task::Exhaustive(parts) => parts.len() as u64,
            Task::Drawn { schedules, .. } => schedules.div_ceil(DRAWN),
            Task::Round { waiting, .. } => of_round(waiting).len() as u64,
        }
    }

    /// Has a piece explored; also what a search has to know of it.
    pub fn carry_out(
        &mut self,
        number: u64,
        explore: &mut dyn FnMut(&mut dyn Strategy) -> Explored,
    ) -> (Explored, RoundResult) {
        let mut strategy: Box<dyn Strategy> = match self {
            Task::Exhaustive(parts) => {
                Box::new(Exhaustive::of_part(parts[number as usize].clone()))
            }
            Task::Drawn {
                first,
                schedules,
                seed,
                how,
            } => {
                let before = number * DRAWN;
                let draw = SampleSpec {
                    schedules: DRAWN.min(*schedules - before),
                    seed: *seed,
                    first: *first + before,
                    stride: 1,
                };
                how.strategy(draw, None)
            }
            Task::Round { search, waiting } => {
                let piece = of_round(waiting).nth(number as usize);
                let mut round = Round::new(search, piece.unwrap_or_default());
                let explored = explore(&mut round);
                return (explored, round.found());
            }
        };
        (explore(&mut *strategy), RoundResult::default())
    }

    /// What so many executions have covered.
    pub fn coverage(&self, executions: u64, is_complete: bool) -> Coverage {
        match self {
            Task::Exhaustive(_) if is_complete => Coverage::All,
            Task::Exhaustive(_) | Task::Round { .. } => Coverage::Part {
                schedules: executions,
            },
            Task::Drawn { seed, how, .. } => Coverage::Sample {
                schedules: executions,
                seed: *seed,
                how: *how,
            },
        }
    }

    /// How far it is after so many executions and this share of the pieces.
    pub fn progress(&self, executions: u64, share: f64) -> Response {
        match self {
            // What a round finds is taken in at its end: the share of the tree is that from before it.
            Task::Round { search, .. } => {
                let before = search.progress();
                let executions = before.executions + executions;
                let at_least = |estimate: f64| estimate.max(executions as f64);
                Response::Progress {
                    executions,
                    estimate: before.estimate().map(at_least),
                }
            }
            Task::Exhaustive(_) | Task::Drawn { .. } => Response::Progress {
                executions,
                estimate: (share > 0.0).then(|| executions as f64 / share),
            },
        }
    }
}

/// The pieces of a round.
pub fn of_round(waiting: &[WaitingTransition]) -> std::slice::Chunks<'_, WaitingTransition> {
    waiting.chunks(TRANSITIONS)
}

#[cfg(test)]
mod tests {
    use atropos_search::{
        ExecutionEnd, ExecutionPhase, Guide, Op, Pending, SchedulingPoint, System, Thread,
    };

    use super::*;

    /// One thread that makes four choices between two.
    struct Tosses;

    impl System for Tosses {
        fn run(&mut self, guide: &mut dyn Guide) -> ExecutionEnd {
            let threads = [Pending {
                thread: Thread(0),
                op: Op::local(),
                ready: true,
            }];
            let point = |threads, phase| SchedulingPoint {
                threads,
                fingerprint: None,
                phase,
            };
            for _ in 0..4 {
                if guide
                    .choose(&point(&threads[..], ExecutionPhase::Running))
                    .is_none()
                {
                    return ExecutionEnd::Stopped;
                }
                guide.data(2);
            }
            guide.choose(&point(&threads[..0], ExecutionPhase::Finished));
            ExecutionEnd::Passed(0)
        }
    }

    #[test]
    fn a_search_in_rounds_says_how_much_there_seems_to_be() {
        let mut search = Search::enumeration();
        for _ in 0..5 {
            assert!(search.begin());
            let end = Tosses.run(&mut search);
            search.end(end);
        }
        let waiting = search.begin_round();
        let task = Task::Round {
            search: &mut search,
            waiting,
        };
        let progress = |executions, estimate| Response::Progress {
            executions,
            estimate: Some(estimate),
        };
        assert_eq!(task.progress(3, 0.0), progress(8, 16.0));
        assert_eq!(task.progress(20, 0.0), progress(25, 25.0));
    }

    #[test]
    fn random_schedules_are_divided_without_gap_or_overlap() {
        let mut task = Task::Drawn {
            first: 0,
            schedules: 1201,
            seed: 7,
            how: Sampling::Random,
        };
        let mut sizes = Vec::new();
        for number in 0..task.pieces() {
            task.carry_out(number, &mut |strategy| {
                sizes.push((0..).take_while(|_| strategy.begin()).count());
                Explored::default()
            });
        }
        assert_eq!(sizes, [500, 500, 201]);
    }
}
