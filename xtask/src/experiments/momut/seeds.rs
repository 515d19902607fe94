//! The strategies compared over several seeds: what holds for one seed may be luck.

use super::document::Section;
use super::run::{Figures, STRATEGIES};
use std::fmt::Write as _;

/// One of the paper's strategies against ours on one model, seed by seed.
struct SeedComparison<'f> {
    pairs: Vec<(&'f Figures, &'f Figures)>,
}

impl SeedComparison<'_> {
    fn mean(&self, of: impl Fn(&Figures, &Figures) -> f64) -> f64 {
        let sum: f64 = self
            .pairs
            .iter()
            .map(|(theirs, ours)| of(theirs, ours))
            .sum();
        sum / self.pairs.len() as f64
    }

    fn count(&self, won: impl Fn(&Figures, &Figures) -> bool) -> usize {
        let pairs = self.pairs.iter();
        pairs.filter(|(theirs, ours)| won(theirs, ours)).count()
    }
}

/// Kills per test, as three tests are made by every run.
fn killed(figures: &Figures) -> usize {
    figures.report.table.killed
}

/// Processor time until the last kill.
fn spent(figures: &Figures) -> f64 {
    let last = figures.report.when(killed(figures));
    last.map_or(0.0, |moment| moment.cpu_seconds)
}

/// Processor time until ours has killed as many as theirs did in the end.
fn caught_up(theirs: &Figures, ours: &Figures) -> Option<f64> {
    let moment = ours.report.when(killed(theirs))?;
    Some(moment.cpu_seconds)
}

/// Kills per second up to where the one that kills fewer has its last kill; both get so far.
fn rates(theirs: &Figures, ours: &Figures) -> (f64, f64) {
    let goal = killed(theirs).min(killed(ours));
    let rate = |figures: &Figures| {
        let moment = figures.report.when(goal);
        goal as f64 / moment.map_or(0.0, |m| m.cpu_seconds).max(0.01)
    };
    (rate(theirs), rate(ours))
}

pub fn section(all: &[Figures], seeds: &[u64]) -> Section {
    let mut out = String::from(
        "| model | against | seeds | killed per test: theirs | ours | ours more in | CPU s to the last kill: theirs | ours | kills per CPU s, as far as both get: theirs | ours | ours faster in |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut models: Vec<&str> = all.iter().map(|figures| figures.model.as_str()).collect();
    models.dedup();
    for model in models {
        for strategy in &STRATEGIES[..2] {
            let find = |strategy: &str, seed: u64| {
                all.iter()
                    .find(|f| f.model == model && f.strategy == strategy && f.seed == seed)
            };
            let pairs: Vec<_> = seeds
                .iter()
                .filter_map(|seed| Some((find(strategy, *seed)?, find(STRATEGIES[2], *seed)?)))
                .collect();
            if pairs.is_empty() {
                continue;
            }
            row(&mut out, model, strategy, &SeedComparison { pairs });
        }
    }
    Section::new("seeds", out)
}

fn row(out: &mut String, model: &str, strategy: &str, duel: &SeedComparison) {
    let seeds = duel.pairs.len();
    let _ = writeln!(
        out,
        "| {model} | {strategy} | {seeds} | {:.1} | {:.1} | {} | {:.2} | {:.2} | {:.0} | {:.0} | {} |",
        duel.mean(|theirs, _| theirs.report.killed_per_test()),
        duel.mean(|_, ours| ours.report.killed_per_test()),
        duel.count(|theirs, ours| ours.report.killed_per_test() > theirs.report.killed_per_test()),
        duel.mean(|theirs, _| spent(theirs)),
        duel.mean(|_, ours| spent(ours)),
        duel.mean(|theirs, ours| rates(theirs, ours).0),
        duel.mean(|theirs, ours| rates(theirs, ours).1),
        duel.count(|theirs, ours| {
            caught_up(theirs, ours).is_some_and(|ours| ours < spent(theirs))
        }),
    );
}
