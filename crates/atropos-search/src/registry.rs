//! The registry of strategies: the names that users give them, how their text is read, and how several processes
//! share one.
//!
//! A new strategy is a variant of [`StrategySpec`] and a row of `strategies!`. The matches here, and the one that the
//! macro makes of its rows, have no wildcard arm, so rustc names every place that has to know the variant.

use std::fmt;
use std::str::FromStr;

use crate::exhaustive::Exhaustive;
use crate::replay::{Replay, Strictness};
use crate::sampling::SampleSpec;
use crate::schedule::Schedule;
use crate::search::{Search, SearchOrder};
use crate::strategy::{Sampling, Strategy};

/// A strategy to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StrategySpec {
    Exhaustive,
    Stateful(SearchOrder),
    /// Every schedule without any reduction: a reference.
    Enumerate,
    /// At most so many preemptions.
    Chess(u32),
    Random(u64),
    Pct {
        schedules: u64,
        depth: u32,
    },
    Pos(u64),
    Surw(u64),
    Mixed(u64),
    Replay(Schedule),
}

/// An entry of the registry.
#[derive(Clone, Copy, Debug)]
pub struct StrategyEntry {
    /// What stands before the colon.
    pub name: &'static str,
    /// How it is written, for messages and documents.
    pub syntax: &'static str,
    /// What it covers, in a sentence.
    pub summary: &'static str,
    /// Reads what stands behind the colon, if there is one.
    parse: fn(Option<&str>) -> Option<StrategySpec>,
}

/// The table of strategies. A variant without a row does not compile.
macro_rules! strategies {
    ($($variant:ident: $entry:expr,)*) => {
        /// All strategies that a user can name.
        pub const STRATEGIES: &[StrategyEntry] = &[$($entry),*];

        impl StrategySpec {
            /// The name of its entry.
            fn name(&self) -> &'static str {
                match self {
                    $(StrategySpec::$variant { .. } => const { $entry.name },)*
                }
            }
        }
    };
}

strategies! {
    Exhaustive: StrategyEntry {
        name: "exhaustive",
        syntax: "exhaustive",
        summary: "One schedule of each class of equivalent ones.",
        parse: |rest| rest.is_none().then_some(StrategySpec::Exhaustive),
    },
    Stateful: StrategyEntry {
        name: "stateful",
        syntax: "stateful[:breadth]",
        summary: "Every state once, depth first or breadth first.",
        parse: |rest| match rest {
            None | Some("depth") => Some(StrategySpec::Stateful(SearchOrder::DepthFirst)),
            Some("breadth") => Some(StrategySpec::Stateful(SearchOrder::BreadthFirst)),
            Some(_) => None,
        },
    },
    Enumerate: StrategyEntry {
        name: "enumerate",
        syntax: "enumerate",
        summary: "Every schedule, without any reduction.",
        parse: |rest| rest.is_none().then_some(StrategySpec::Enumerate),
    },
    Chess: StrategyEntry {
        name: "chess",
        syntax: "chess:K",
        summary: "Every schedule with at most K preemptions.",
        parse: |rest| rest?.parse().ok().map(StrategySpec::Chess),
    },
    Random: StrategyEntry {
        name: "random",
        syntax: "random:N",
        summary: "N schedules; at each step every ready thread is equally likely.",
        parse: |rest| rest?.parse().ok().map(StrategySpec::Random),
    },
    Pct: StrategyEntry {
        name: "pct",
        syntax: "pct:N,D",
        summary: "N schedules by probabilistic concurrency testing of depth D.",
        parse: |rest| {
            let (schedules, depth) = rest?.split_once(',')?;
            Some(StrategySpec::Pct {
                schedules: schedules.trim().parse().ok()?,
                depth: depth.trim().parse().ok().filter(|&depth| depth > 0)?,
            })
        },
    },
    Pos: StrategyEntry {
        name: "pos",
        syntax: "pos:N",
        summary: "N schedules by partial-order sampling.",
        parse: |rest| rest?.parse().ok().map(StrategySpec::Pos),
    },
    Surw: StrategyEntry {
        name: "surw",
        syntax: "surw:N",
        summary: "N schedules by selectively uniform random walk.",
        parse: |rest| rest?.parse().ok().map(StrategySpec::Surw),
    },
    Mixed: StrategyEntry {
        name: "mixed",
        syntax: "mixed:N",
        summary: "N schedules, drawn in each of these ways in turn.",
        parse: |rest| rest?.parse().ok().map(StrategySpec::Mixed),
    },
    Replay: StrategyEntry {
        name: "replay",
        syntax: "replay:SCHEDULE",
        summary: "One schedule.",
        parse: |rest| rest?.parse().ok().map(StrategySpec::Replay),
    },
}

/// How several processes share the executions of a strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Division {
    /// The search tree is split near its root ([`split()`](crate::split())).
    Tree,
    /// The search remembers states, and goes in rounds ([`Round`](crate::Round)).
    Rounds,
    /// The schedules are drawn one by one, and cut into runs of some hundred.
    Sample { schedules: u64, how: Sampling },
    /// Not at all.
    Whole,
}

impl StrategySpec {
    /// The search over states that this is, if it is one.
    pub fn search(&self) -> Option<Search> {
        match self {
            StrategySpec::Stateful(order) => Some(Search::stateful(*order)),
            StrategySpec::Enumerate => Some(Search::enumeration()),
            StrategySpec::Chess(bound) => Some(Search::chess(*bound)),
            StrategySpec::Exhaustive
            | StrategySpec::Random(_)
            | StrategySpec::Pct { .. }
            | StrategySpec::Pos(_)
            | StrategySpec::Surw(_)
            | StrategySpec::Mixed(_)
            | StrategySpec::Replay(_) => None,
        }
    }

    /// The strategy; the seed serves those that draw at random.
    pub fn strategy(&self, seed: u64) -> Box<dyn Strategy> {
        match self {
            StrategySpec::Exhaustive => Box::new(Exhaustive::new()),
            StrategySpec::Stateful(order) => Box::new(Search::stateful(*order)),
            StrategySpec::Enumerate => Box::new(Search::enumeration()),
            StrategySpec::Chess(bound) => Box::new(Search::chess(*bound)),
            StrategySpec::Random(_)
            | StrategySpec::Pct { .. }
            | StrategySpec::Pos(_)
            | StrategySpec::Surw(_)
            | StrategySpec::Mixed(_) => match self.division() {
                Division::Sample { schedules, how } => {
                    how.strategy(SampleSpec::new(schedules, seed), None)
                }
                Division::Tree | Division::Rounds | Division::Whole => {
                    unreachable!("these draw their schedules")
                }
            },
            StrategySpec::Replay(schedule) => Box::new(Replay::new(schedule, Strictness::Exact)),
        }
    }

    /// How several processes share it.
    pub fn division(&self) -> Division {
        let sample = |&schedules: &u64, how| Division::Sample { schedules, how };
        match self {
            StrategySpec::Exhaustive => Division::Tree,
            StrategySpec::Stateful(_) | StrategySpec::Enumerate | StrategySpec::Chess(_) => {
                Division::Rounds
            }
            StrategySpec::Random(schedules) => sample(schedules, Sampling::Random),
            StrategySpec::Pct { schedules, depth } => {
                sample(schedules, Sampling::Pct { depth: *depth })
            }
            StrategySpec::Pos(schedules) => sample(schedules, Sampling::Pos),
            StrategySpec::Surw(schedules) => sample(schedules, Sampling::Surw),
            StrategySpec::Mixed(schedules) => sample(schedules, Sampling::Mixed),
            StrategySpec::Replay(_) => Division::Whole,
        }
    }
}

impl fmt::Display for StrategySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            StrategySpec::Exhaustive
            | StrategySpec::Enumerate
            | StrategySpec::Stateful(SearchOrder::DepthFirst) => Ok(()),
            StrategySpec::Stateful(SearchOrder::BreadthFirst) => f.write_str(":breadth"),
            StrategySpec::Chess(bound) => write!(f, ":{bound}"),
            StrategySpec::Pct { schedules, depth } => write!(f, ":{schedules},{depth}"),
            StrategySpec::Random(schedules)
            | StrategySpec::Pos(schedules)
            | StrategySpec::Surw(schedules)
            | StrategySpec::Mixed(schedules) => write!(f, ":{schedules}"),
            StrategySpec::Replay(schedule) => write!(f, ":{schedule}"),
        }
    }
}

/// The text names no strategy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownStrategy(pub String);

impl fmt::Display for UnknownStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<&str> = STRATEGIES.iter().map(|entry| entry.syntax).collect();
        let known = known.join(", ");
        write!(f, "`{}` is no strategy; expected one of {known}", self.0)
    }
}

impl std::error::Error for UnknownStrategy {}

impl FromStr for StrategySpec {
    type Err = UnknownStrategy;

    fn from_str(text: &str) -> Result<StrategySpec, UnknownStrategy> {
        let (name, rest) = text
            .split_once(':')
            .map_or((text, None), |(name, rest)| (name, Some(rest)));
        let entry = STRATEGIES.iter().find(|entry| entry.name == name);
        entry
            .and_then(|entry| (entry.parse)(rest))
            .ok_or_else(|| UnknownStrategy(text.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLES: &str = "exhaustive stateful stateful:breadth enumerate chess:2 random:1000 pct:1000,3 pos:7 surw:7 mixed:20 replay:s1:0*3,1";

    fn examples() -> impl Iterator<Item = (&'static str, StrategySpec)> {
        EXAMPLES
            .split(' ')
            .map(|text| (text, text.parse().unwrap()))
    }

    #[test]
    fn a_strategy_survives_text_and_back() {
        for (name, spec) in examples() {
            assert_eq!(spec.to_string(), name);
            assert!(spec.strategy(7).begin(), "{name} has a first execution");
        }
    }

    #[test]
    fn every_entry_of_the_registry_has_an_example_that_starts_with_its_name() {
        for entry in STRATEGIES {
            assert!(entry.syntax.starts_with(entry.name), "{}", entry.syntax);
            let own = |text: &str| text.split(':').next() == Some(entry.name);
            assert!(EXAMPLES.split(' ').any(own), "{}", entry.name);
        }
    }

    #[test]
    fn what_goes_in_rounds_is_a_search_and_what_is_cut_up_keeps_its_number_of_schedules() {
        for (name, spec) in examples() {
            let is_search = spec.search().is_some();
            assert_eq!(spec.division() == Division::Rounds, is_search, "{name}");
            if let Division::Sample { schedules, .. } = spec.division() {
                let mut strategy = spec.strategy(7);
                let drawn = (0..).take_while(|_| strategy.begin()).count() as u64;
                assert_eq!(drawn, schedules, "{name}");
            }
        }
    }

    #[test]
    fn what_is_no_strategy_is_refused() {
        for name in [
            "",
            "all",
            "chess",
            "chess:-1",
            "random:",
            "pct:5",
            "pct:5,0",
            "replay:0",
            "exhaustive:3",
        ] {
            let refused = Err(UnknownStrategy(name.to_string()));
            assert_eq!(name.parse::<StrategySpec>(), refused);
        }
    }
}
