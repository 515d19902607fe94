//! An exhaustive search shared by threads, each with a system of its own. The result is the same
//! however many there are: parts are begun in order, and what counts is all up to the first part
//! that fails.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::exhaustive::Exhaustive;
use crate::split::WorkItem;
use crate::strategy::{Coverage, Progress, Report, explore};
use crate::system::System;

/// Explores the given parts with so many threads; `make` makes the system of each. Stops at the
/// first failure.
pub fn explore_parts<S: System>(
    parts: &[WorkItem],
    workers: usize,
    make: &(dyn Fn() -> S + Sync),
) -> Report {
    let next = AtomicUsize::new(0);
    let first_failing = AtomicUsize::new(usize::MAX);
    let reports: Mutex<Vec<Option<Report>>> = Mutex::new(vec![None; parts.len()]);
    std::thread::scope(|scope| {
        for _ in 0..workers.max(1) {
            scope.spawn(|| {
                let mut system = make();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= parts.len() || number > first_failing.load(Ordering::Relaxed) {
                        break;
                    }
                    let mut strategy = Exhaustive::of_part(parts[number].clone());
                    let report = explore(&mut system, &mut strategy);
                    if report.finding.is_some() || report.divergence.is_some() {
                        first_failing.fetch_min(number, Ordering::Relaxed);
                    }
                    reports.lock().expect("no worker panics")[number] = Some(report);
                }
            });
        }
    });
    merge(reports.into_inner().expect("no worker panics"))
}

/// One report from those of the parts, in their order: also for workers in other processes.
pub fn merge(reports: Vec<Option<Report>>) -> Report {
    let mut merged = Report {
        finding: None,
        coverage: Coverage::All,
        progress: Progress {
            share: 1.0,
            ..Progress::default()
        },
        divergence: None,
    };
    for report in reports {
        let Some(report) = report else {
            merged.coverage = Coverage::Part {
                schedules: merged.progress.executions,
            };
            continue;
        };
        merged.progress.executions += report.progress.executions;
        merged.progress.abandoned += report.progress.abandoned;
        if report.coverage != Coverage::All {
            merged.coverage = Coverage::Part {
                schedules: merged.progress.executions,
            };
        }
        merged.divergence = merged.divergence.or(report.divergence);
        merged.finding = merged.finding.or(report.finding);
        if merged.finding.is_some() || merged.divergence.is_some() {
            merged.coverage = Coverage::Part {
                schedules: merged.progress.executions,
            };
            break;
        }
    }
    merged
}
