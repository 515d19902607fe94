//! Measures the search itself: executions per second of the exhaustive strategy on the program of n
//! lock/unlock pairs, with a system that costs next to nothing. An argument gives the largest n.

use std::ops::ControlFlow;
use std::time::Instant;

use atropos_search::{
    ExecutionEnd, ExecutionPhase, Exhaustive, Guide, Op, OpKind, Pending, SchedulingPoint,
    SharedObject, System, Thread, explore_with,
};

/// Two threads that each lock and unlock `n` times.
struct Locks {
    n: usize,
    threads: [Pending; 2],
    place: [usize; 2],
    owner: Option<usize>,
}

impl Locks {
    fn announce(&mut self) -> ExecutionPhase {
        let mut phase = ExecutionPhase::Finished;
        for t in 0..2 {
            let unlocks = self.place[t] % 2 == 1;
            let lock = Op::on(SharedObject(1), OpKind::Acquire).blocking();
            let op = if unlocks {
                Op::on(SharedObject(1), OpKind::Release)
            } else {
                lock
            };
            let ready = self.place[t] < 2 * self.n && (unlocks || self.owner.is_none());
            self.threads[t] = Pending {
                thread: Thread(t as u32),
                op,
                ready,
            };
            if ready {
                phase = ExecutionPhase::Running;
            }
        }
        phase
    }
}

impl System for Locks {
    fn run(&mut self, guide: &mut dyn Guide) -> ExecutionEnd {
        self.place = [0; 2];
        self.owner = None;
        loop {
            let phase = self.announce();
            let chosen = guide.choose(&SchedulingPoint {
                threads: &self.threads,
                fingerprint: None,
                phase,
            });
            match (phase, chosen) {
                (ExecutionPhase::Running, Some(thread)) => {
                    let t = thread.index();
                    self.owner = if self.place[t].is_multiple_of(2) {
                        Some(t)
                    } else {
                        None
                    };
                    self.place[t] += 1;
                }
                (ExecutionPhase::Running, None) => return ExecutionEnd::Stopped,
                _ => return ExecutionEnd::Passed(0),
            }
        }
    }
}

fn main() {
    let idle = Pending {
        thread: Thread(0),
        op: Op::local(),
        ready: false,
    };
    let most = std::env::args()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(8);
    for n in 2..=most {
        let mut system = Locks {
            n,
            threads: [idle; 2],
            place: [0; 2],
            owner: None,
        };
        let start = Instant::now();
        let mut executions = 0;
        let mut rounds = 0;
        while start.elapsed().as_millis() < 300 {
            rounds += 1;
            explore_with(&mut system, &mut Exhaustive::new(), &mut |_, _| {
                executions += 1;
                ControlFlow::Continue(())
            });
        }
        let rate = executions as f64 / start.elapsed().as_secs_f64();
        println!(
            "n = {n}: {} schedules, {rate:.0} schedules/s",
            executions / rounds
        );
    }
}
