//! Runs that nobody hopes for: texts that are markup elsewhere, spans that are in no file, numbers that
//! lead nowhere. No report may fall over them.

use atropos_mutants::{MutantId, Span};
use atropos_report::outcomes::{Exploration, FailingOriginal, Outcomes, Tool};
use atropos_report::verdict::Verdict;

use crate::example::outcomes;

/// What must not end a script, a tag, an attribute, a line or a command.
pub const NASTY: &str =
    "</script><img src=x onerror=alert(1)>&amp;\"'`|%\u{2028}\u{0}\u{1b}[31m\r\n::error::x\u{202e}";

pub fn empty() -> Outcomes {
    Outcomes::new(Tool::default(), Vec::new(), Vec::new())
}

/// The usual run with nasty words wherever words can be.
pub fn nasty() -> Outcomes {
    let mut outcomes = outcomes();
    for test in &mut outcomes.tests {
        test.name += NASTY;
        test.package += NASTY;
        test.target += NASTY;
    }
    for record in &mut outcomes.mutants {
        record.info.function += NASTY;
        record.info.summary += NASTY;
        record.info.package += NASTY;
        record.info.key += NASTY;
        record.info.replacement += NASTY;
        record.note = Some(NASTY.into());
        for kill in &mut record.killed_by {
            kill.message = Some(NASTY.into());
            kill.location = Some(NASTY.into());
            kill.schedule = Some(NASTY.into());
            kill.trace = Some(NASTY.into());
        }
        record.explored_by = vec![Exploration {
            test: 0,
            coverage: NASTY.into(),
            schedules: 1,
            unseen: Vec::new(),
        }];
    }
    outcomes.options.insert(NASTY.into(), NASTY.into());
    outcomes.tool.toolchain += NASTY;
    outcomes.findings = vec![finding(0)];
    outcomes.warnings = vec![NASTY.into()];
    outcomes
}

pub fn finding(test: usize) -> FailingOriginal {
    FailingOriginal {
        test,
        title: format!("deadlock {NASTY}"),
        message: format!("thread 0 waits at src/account.rs:4:9 {NASTY}"),
        location: None,
        schedule: Some(format!("s1:0*2,1 {NASTY}")),
        trace: format!("thread 0 locks {NASTY}"),
        undecided: vec![MutantId(3)],
    }
}

/// Spans, lines and tests that are not there.
pub fn astray() -> Outcomes {
    let mut outcomes = outcomes();
    let last = usize::MAX;
    let spans = [(0, last), (last, last), (5, 2), (200, 201), (0, 0)];
    for (record, (start, end)) in outcomes.mutants.iter_mut().zip(spans.into_iter().cycle()) {
        record.info.span = Span { start, end };
        record.reached_by = vec![7, last];
        for kill in &mut record.killed_by {
            kill.test = 99;
        }
    }
    outcomes.mutants[0].info.line = 0;
    outcomes.mutants[1].info.column = 0;
    outcomes.mutants[2].info.line = u32::MAX;
    outcomes.mutants[3].info.column = u32::MAX;
    outcomes.mutants[4].info.file = "../gone/é b.rs".into();
    outcomes.mutants[5].verdict = None;
    outcomes.findings = vec![finding(99)];
    outcomes
}

/// One mutant alone, with any verdict or none.
pub fn alone(verdict: Option<Verdict>) -> Outcomes {
    let mut mutants = outcomes().mutants;
    mutants.truncate(1);
    mutants[0].verdict = verdict;
    Outcomes::new(Tool::default(), Vec::new(), mutants)
}

/// All of them, each with texts that fit, that don't, and that are not there.
pub fn every(check: impl Fn(&Outcomes, &dyn Fn(&str) -> Option<String>)) {
    let mut runs = vec![empty(), nasty(), astray(), outcomes(), alone(None)];
    runs.extend(Verdict::UNKILLED.map(|verdict| alone(Some(verdict))));
    for run in &runs {
        for text in [
            None,
            Some(""),
            Some("é\u{2028}x"),
            Some(crate::example::ACCOUNT),
        ] {
            check(run, &|_| text.map(str::to_owned));
        }
    }
}
