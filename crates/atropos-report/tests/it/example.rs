//! A run on a small bank, made by hand, with a mutant for each verdict.

use std::collections::BTreeMap;

use atropos_mutants::{MutantId, Operator, Span};
use atropos_protocol::FailureKind;
use atropos_report::lines::Lines;
use atropos_report::mutant::MutantInfo;
use atropos_report::outcomes::{Kill, MutantRecord, Outcomes, TestRecord, Timings, Tool, Totals};
use atropos_report::verdict::Verdict;

pub const ACCOUNT: &str = "\
impl Account {
    pub fn deposit(&mut self, amount: u64) -> u64 {
        self.balance = self.balance + amount * self.rate;
        if self.balance > 1_000 && amount > 0 {
            self.notify();
        }
        self.balance
    }

    fn notify(&self) {
\t\tlet größe = 1; if größe > self.limit { self.send() }
    }

    fn close(self) -> u64 {
        self.balance - self.fee
    }
}
";

/// Makes the mutant that replaces `original` within the text `around` it.
pub fn mutant(
    id: u32,
    operator: Operator,
    function: &str,
    (around, original): (&str, &str),
    replacement: &str,
) -> MutantInfo {
    let start = ACCOUNT.find(around).expect(around) + around.find(original).expect(original);
    let (line, column) = Lines::of(ACCOUNT).position(start);
    MutantInfo {
        id: MutantId(id),
        key: format!("{id:016x}"),
        package: "bank".into(),
        file: "src/account.rs".into(),
        line,
        column,
        span: Span::new(start, start + original.len()),
        function: function.into(),
        operator,
        original: original.into(),
        replacement: replacement.into(),
        summary: format!("replace {original} with {replacement}"),
        needs_exploration: false,
    }
}

pub fn record(info: MutantInfo, verdict: Option<Verdict>) -> MutantRecord {
    let killed_by = match verdict {
        Some(Verdict::Killed(how)) => vec![Kill {
            test: 0,
            how,
            message: Some("assertion failed".into()),
            location: Some("src/account.rs:30:9".into()),
            schedule: None,
            trace: None,
        }],
        _ => Vec::new(),
    };
    MutantRecord {
        info,
        verdict,
        reached_by: vec![0],
        killed_by,
        seconds: 0.002,
        reused: false,
        note: None,
        disagreement: Vec::new(),
        explored_by: Vec::new(),
        rank: None,
        impact: None,
    }
}

pub fn outcomes() -> Outcomes {
    use Operator::{Aor, Cor, Crp, Ror, Sdl};
    let deposit = "Account::deposit";
    let notify = "Account::notify";
    let close = "Account::close";
    let killed = |how| Some(Verdict::Killed(how));
    let plus = ["self.balance + amount * self.rate"; 2].into();
    let mut mutants = vec![
        record(
            mutant(1, Aor, deposit, ("amount *", "*"), "/"),
            killed(FailureKind::Panicked),
        ),
        record(
            mutant(2, Aor, deposit, plus, "self.balance"),
            Some(Verdict::Survived),
        ),
        record(
            mutant(3, Ror, deposit, ("> 1_000", ">"), ">="),
            Some(Verdict::Survived),
        ),
        record(
            mutant(4, Ror, deposit, ("> 1_000", ">"), "<"),
            Some(Verdict::Survived),
        ),
        record(
            mutant(5, Cor, deposit, ("&&", "&&"), "||"),
            Some(Verdict::Uninfected),
        ),
        record(
            mutant(6, Sdl, deposit, ("self.notify();", "self.notify();"), ""),
            killed(FailureKind::StepLimit),
        ),
        record(
            mutant(7, Ror, notify, ("größe > self", ">"), "=="),
            Some(Verdict::Survived),
        ),
        record(
            mutant(8, Crp, notify, ("= 1;", "1"), "2"),
            Some(Verdict::Unviable),
        ),
        record(
            mutant(9, Aor, close, ("- self.fee", "-"), "+"),
            Some(Verdict::Unreached),
        ),
        record(
            mutant(10, Aor, close, ("- self.fee", "-"), "/"),
            Some(Verdict::Unreached),
        ),
        record(
            mutant(11, Crp, deposit, ("1_000", "1_000"), "0"),
            Some(Verdict::NotBuilt),
        ),
        record(
            mutant(12, Crp, deposit, ("1_000", "1_000"), "1"),
            Some(Verdict::Skipped),
        ),
    ];
    // The operator alone is what people look for, though the edit is wider.
    mutants[1].info.column += 13;
    let tests = vec![TestRecord {
        name: "tests::deposit_adds".into(),
        package: "bank".into(),
        target: "lib".into(),
        seconds: 0.0005,
    }];
    let tool = Tool {
        name: "cargo-atropos".into(),
        version: "0.1.0".into(),
        toolchain: "rustc 1.95.0".into(),
        target: "x86_64-unknown-linux-gnu".into(),
    };
    let mut outcomes = Outcomes::new(tool, tests, mutants);
    outcomes.options = BTreeMap::from([("jobs".into(), 2.into())]);
    outcomes.timings = Timings {
        find: 0.01,
        check: 0.5,
        build: 2.25,
        baseline: 0.125,
        run: 1.5,
        impact: 0.0,
        observed: 0.25,
        total: 4.385,
    };
    outcomes
}

/// The same of a run that skipped nothing, and so has a score.
pub fn scored() -> Outcomes {
    let mut outcomes = outcomes();
    for record in &mut outcomes.mutants {
        if record.verdict == Some(Verdict::Skipped) {
            record.verdict = Some(Verdict::NotBuilt);
        }
    }
    outcomes.totals = Totals::count(outcomes.mutants.iter().map(|record| record.verdict));
    outcomes
}
