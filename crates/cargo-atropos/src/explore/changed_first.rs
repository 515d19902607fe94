//! `explore --since REV`: the tests that reach what has changed since a git revision come first.
//!
//! What has changed are functions: those whose bodies hold a changed line, and all of a file of which a line outside of its
//! functions has changed. Each test is run once, under one schedule, to see whether it enters one of them.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, anyhow};
use atropos_protocol::exploration::{Request, RequestedAction, Response};
use atropos_report::lines::Lines;

use super::{Explorer, GRACE, ListedTest};
use crate::changed_lines::ChangedLines;
use crate::prepare::Prepared;

/// The numbers of the functions that have changed since a revision.
pub fn changed_functions(revision: &str, prepared: &Prepared) -> Result<Vec<u32>> {
    let plan = &prepared.plan;
    let changed = ChangedLines::since(revision, &plan.workspace_root, &plan.target_directory)?;
    let mut numbers = BTreeSet::new();
    for file in plan.packages.iter().flat_map(|package| &package.files) {
        let Some(text) = prepared.texts.get(file.path.as_str()) else {
            continue;
        };
        let Some(lines) = changed.of(&plan.workspace_root, &file.path, text)? else {
            continue;
        };
        let of_text = Lines::of(text);
        let line_of = |offset: usize| of_text.position(offset).0;
        let bodies: Vec<(u32, u32)> = file
            .functions()
            .map(|function| (line_of(function.span.start), line_of(function.span.end)))
            .collect();
        let holds = |(first, last): &(u32, u32), line: &u32| first <= line && line <= last;
        let is_outside = |line: &u32| !bodies.iter().any(|body| holds(body, line));
        let all = lines.iter().any(is_outside);
        let touched = (0..).zip(&bodies).filter(|(_, body)| {
            let mut lines = lines.iter();
            all || lines.any(|line| holds(body, line))
        });
        numbers.extend(touched.map(|(number, _): (u32, _)| file.first_function + number));
    }
    Ok(numbers.into_iter().collect())
}

impl Explorer<'_> {
    /// Puts the tests first that enter one of these functions; says in words how many they are.
    pub(super) fn put_changed_first(
        &self,
        listed: &mut [ListedTest],
        functions: &[u32],
        request: &Request,
        jobs: usize,
    ) -> Result<String> {
        let next = AtomicUsize::new(0);
        let reaching = Mutex::new(BTreeSet::new());
        let tests = &*listed;
        std::thread::scope(|scope| -> Result<()> {
            let look = || -> Result<()> {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(listed_test) = tests.get(number) else {
                        return Ok(());
                    };
                    if self.interrupt.is_requested() {
                        return Ok(());
                    }
                    if self.reaches(listed_test, functions, request)? {
                        reaching.lock().expect("no worker panics").insert(number);
                    }
                }
            };
            let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(look)).collect();
            workers
                .into_iter()
                .try_for_each(|worker| worker.join().expect("a worker does not panic"))
        })?;
        let reaching = reaching.into_inner().expect("no worker panics");
        let mut numbered: Vec<(usize, ListedTest)> = listed.iter().cloned().enumerate().collect();
        numbered.sort_by_key(|(number, _)| (!reaching.contains(number), *number));
        for (place, (_, test)) in listed.iter_mut().zip(numbered) {
            *place = test;
        }
        let (count, all) = (reaching.len(), listed.len());
        Ok(format!("{count} of {all} tests reach what changed"))
    }

    /// Whether a test enters one of the functions. Of one that can't say, it is assumed.
    fn reaches(&self, test: &ListedTest, functions: &[u32], request: &Request) -> Result<bool> {
        let file = self
            .scratch
            .join(format!("reaches-{}-{}", test.binary, test.index));
        let request = Request {
            action: RequestedAction::Reaches,
            test: test.index,
            functions: functions.to_vec(),
            ..request.clone()
        };
        let mut reaches = true;
        let binary = self
            .binaries
            .get(test.binary)
            .ok_or_else(|| anyhow!("no binary {}", test.binary))?;
        self.process(binary, &file, GRACE).carry_out(
            &request,
            self.interrupt,
            &mut |response| {
                if let Response::Reaches(said) = response {
                    reaches = said;
                }
            },
        )?;
        let _ = std::fs::remove_file(&file);
        Ok(reaches)
    }
}
