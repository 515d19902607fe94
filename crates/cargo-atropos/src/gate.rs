//! The gate: which verdicts make a run fail, with which exit code, and the sentence that says why.

use atropos_report::number_text::count;
use atropos_report::outcomes::{Outcomes, Totals};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::exit_code::ExitCode;
use crate::terminal::Terminal;

pub const GATE_HEADING: &str = "When to fail";

/// What the user allows.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = GATE_HEADING)]
pub struct GateOptions {
    /// Fail if less than this percentage of the mutants is killed
    ///
    /// Of the mutants that this run tests. Once it or --max-survivors is given, no verdict fails the run by itself, unless
    /// --fail-on names it.
    #[arg(long, value_name = "PERCENT", value_parser = parse_percentage)]
    pub min_score: Option<f64>,

    /// Fail if more than N mutants are not killed
    ///
    /// Survived, uninfected and unreached mutants, or those of them that --fail-on names.
    #[arg(long, value_name = "N")]
    pub max_survivors: Option<usize>,

    /// The verdicts that fail the run [default: all of these]
    #[arg(long, value_name = "VERDICTS", value_enum, value_delimiter = ',')]
    pub fail_on: Vec<FailOn>,
}

/// A verdict that may fail a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// Tests ran the change and still passed (exit code 2)
    Survived,
    /// No test runs the code (exit code 2)
    Unreached,
    /// The change never made a difference (exit code 2)
    Uninfected,
    /// Killed only by a limit on time or steps (exit code 3)
    Limit,
    /// It can't be told what the tests would say (exit code 3)
    Undecided,
}

impl FailOn {
    fn number(self, totals: &Totals) -> usize {
        match self {
            FailOn::Survived => totals.survived,
            FailOn::Unreached => totals.unreached,
            FailOn::Uninfected => totals.uninfected,
            FailOn::Limit => totals.cut_off(),
            FailOn::Undecided => totals.undecided,
        }
    }

    fn words(self) -> &'static str {
        match self {
            FailOn::Survived => "survived",
            FailOn::Unreached => "unreached",
            FailOn::Uninfected => "uninfected",
            FailOn::Limit => "killed only by a limit on time or steps",
            FailOn::Undecided => "undecided",
        }
    }

    /// Whether nothing killed the mutant.
    fn is_missed(self) -> bool {
        match self {
            FailOn::Survived | FailOn::Unreached | FailOn::Uninfected => true,
            FailOn::Limit | FailOn::Undecided => false,
        }
    }
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    pub code: ExitCode,
    /// Why the code is not 0.
    pub why: Option<String>,
}

impl Judgement {
    pub const PASSED: Judgement = Judgement {
        code: ExitCode::Success,
        why: None,
    };

    pub fn failed(code: ExitCode, why: String) -> Judgement {
        let why = Some(why);
        Judgement { code, why }
    }

    /// Says as the last thing why the code is not 0.
    pub fn told(self, terminal: Terminal) -> ExitCode {
        if let Some(why) = self.why {
            terminal.error(format!("exit code {}: {why}", self.code as u8));
        }
        self.code
    }

    /// The first that failed; an interruption goes before everything.
    pub fn or(self, other: Judgement) -> Judgement {
        match (self.code, other.code) {
            (_, ExitCode::Interrupted) | (ExitCode::Success, _) => other,
            _ => self,
        }
    }
}

impl GateOptions {
    fn has_threshold(&self) -> bool {
        self.min_score.is_some() || self.max_survivors.is_some()
    }

    /// The verdicts that fail a run, whatever their number.
    fn failing(&self) -> &[FailOn] {
        match (&self.fail_on[..], self.has_threshold()) {
            ([], true) => &[],
            ([], false) => FailOn::value_variants(),
            (named, _) => named,
        }
    }

    /// Judges a run that came to its end.
    pub fn judge(&self, outcomes: &Outcomes) -> Judgement {
        let totals = &outcomes.totals;
        let too_low = self.too_low_a_score(totals);
        if let Some(why) = too_low.or_else(|| self.too_many_survivors(totals)) {
            return Judgement::failed(ExitCode::Survivors, why);
        }
        let missed = |kind: &&FailOn| kind.is_missed() && self.max_survivors.is_none();
        let of_limits = |kind: &&FailOn| !kind.is_missed();
        if let Some(why) = listed(self.failing().iter().filter(missed), totals) {
            return Judgement::failed(ExitCode::Survivors, why);
        }
        match listed(self.failing().iter().filter(of_limits), totals) {
            Some(why) => Judgement::failed(ExitCode::Limits, why),
            None => Judgement::PASSED,
        }
    }

    fn too_low_a_score(&self, totals: &Totals) -> Option<String> {
        let wanted = self.min_score?;
        let score = totals.score()? * 100.0;
        // The quotient of two whole numbers may miss the whole percentage that it is by a hair.
        let is_less = score < wanted - 1e-9;
        is_less.then(|| format!("the score is {score:.2} %, and at least {wanted} % is wanted"))
    }

    fn too_many_survivors(&self, totals: &Totals) -> Option<String> {
        let most = self.max_survivors?;
        let named: Vec<FailOn> = self
            .fail_on
            .iter()
            .copied()
            .filter(|kind| kind.is_missed())
            .collect();
        let number: usize = match named.is_empty() {
            true => totals.missed(),
            false => named.iter().map(|kind| kind.number(totals)).sum(),
        };
        let mutants = count(number, "mutant");
        (number > most)
            .then(|| format!("{mutants} were not killed, and at most {most} are allowed"))
    }
}

/// `2 mutants survived, 1 unreached`; none if there are no such mutants.
fn listed<'k>(kinds: impl Iterator<Item = &'k FailOn>, totals: &Totals) -> Option<String> {
    let mut kinds: Vec<FailOn> = kinds.copied().collect();
    kinds.dedup();
    let numbers: Vec<String> = kinds
        .iter()
        .filter(|kind| kind.number(totals) > 0)
        .map(|kind| format!("{} {}", kind.number(totals), kind.words()))
        .collect();
    (!numbers.is_empty()).then(|| {
        format!(
            "of {}: {}",
            count(totals.mutants, "mutant"),
            numbers.join(", ")
        )
    })
}

pub fn parse_percentage(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').trim().parse::<f64>() {
        Ok(number) if (0.0..=100.0).contains(&number) => Ok(number),
        _ => Err("a percentage from 0 to 100 is needed, for example 80".into()),
    }
}

#[cfg(test)]
mod tests {
    use atropos_protocol::FailureKind;
    use atropos_report::verdict::Verdict;

    use super::*;

    const KILLED: Verdict = Verdict::Killed(FailureKind::Panicked);
    const LIMIT: Verdict = Verdict::Killed(FailureKind::StepLimit);

    fn judged(options: &GateOptions, verdicts: &[Option<Verdict>]) -> Judgement {
        let mut outcomes = Outcomes::new(Default::default(), Vec::new(), Vec::new());
        outcomes.totals = Totals::count(verdicts.iter().copied());
        options.judge(&outcomes)
    }

    fn code(options: &GateOptions, verdicts: &[Option<Verdict>]) -> u8 {
        let judgement = judged(options, verdicts);
        assert_eq!(judgement.why.is_none(), judgement.code == ExitCode::Success);
        judgement.code as u8
    }

    #[test]
    fn without_options_the_worst_verdict_decides() {
        let gate = GateOptions::default();
        let codes = |verdicts: &[Verdict]| {
            let verdicts: Vec<_> = verdicts.iter().copied().map(Some).collect();
            code(&gate, &verdicts)
        };
        assert_eq!(codes(&[]), 0);
        assert_eq!(codes(&[KILLED, Verdict::Unviable, Verdict::NotBuilt]), 0);
        assert_eq!(
            codes(&[KILLED, Verdict::Killed(FailureKind::MemoryLimit)]),
            0
        );
        assert_eq!(codes(&[KILLED, LIMIT]), 3);
        assert_eq!(codes(&[KILLED, Verdict::Killed(FailureKind::TimeLimit)]), 3);
        assert_eq!(codes(&[LIMIT, Verdict::Survived]), 2);
        assert_eq!(codes(&[Verdict::Uninfected]), 2);
        assert_eq!(codes(&[Verdict::Unreached]), 2);
        assert_eq!(code(&gate, &[Some(KILLED), Some(Verdict::Undecided)]), 3);
    }

    #[test]
    fn a_threshold_alone_decides_unless_verdicts_are_named() {
        let verdicts = [KILLED, KILLED, KILLED, Verdict::Survived].map(Some);
        let gate = |min_score, max_survivors, fail_on: &[FailOn]| GateOptions {
            min_score,
            max_survivors,
            fail_on: fail_on.to_vec(),
        };
        assert_eq!(code(&gate(Some(75.0), None, &[]), &verdicts), 0);
        assert_eq!(code(&gate(Some(75.1), None, &[]), &verdicts), 2);
        assert_eq!(code(&gate(None, Some(1), &[]), &verdicts), 0);
        assert_eq!(code(&gate(None, Some(0), &[]), &verdicts), 2);
        assert_eq!(
            code(&gate(None, Some(0), &[FailOn::Unreached]), &verdicts),
            0
        );
        assert_eq!(
            code(&gate(Some(75.0), None, &[FailOn::Survived]), &verdicts),
            2
        );
        assert_eq!(code(&gate(None, None, &[FailOn::Unreached]), &verdicts), 0);
        assert_eq!(code(&gate(None, None, &[FailOn::Limit]), &[Some(LIMIT)]), 3);
        assert_eq!(
            code(&gate(Some(0.0), None, &[]), &[Some(Verdict::Undecided)]),
            0
        );
        assert_eq!(
            code(
                &gate(Some(0.0), None, &[FailOn::Undecided]),
                &[Some(Verdict::Undecided)]
            ),
            3
        );
        // Nothing was tested, so no score is too low.
        assert_eq!(code(&gate(Some(100.0), None, &[]), &[]), 0);
    }

    #[test]
    fn the_reason_names_the_figures() {
        let verdicts = [
            KILLED,
            Verdict::Survived,
            Verdict::Survived,
            Verdict::Unreached,
        ]
        .map(Some);
        let why = |gate: GateOptions| judged(&gate, &verdicts).why.unwrap();
        assert_eq!(
            why(GateOptions::default()),
            "of 4 mutants: 2 survived, 1 unreached"
        );
        let gate = GateOptions {
            min_score: Some(80.0),
            ..GateOptions::default()
        };
        assert_eq!(
            why(gate),
            "the score is 25.00 %, and at least 80 % is wanted"
        );
        let gate = GateOptions {
            max_survivors: Some(2),
            ..GateOptions::default()
        };
        assert_eq!(
            why(gate),
            "3 mutants were not killed, and at most 2 are allowed"
        );
    }
}
