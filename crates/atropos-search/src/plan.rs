//! The strategies by the names that users give them: `exhaustive`, `stateful`, `stateful:breadth`,
//! `enumerate`, `chess:K`, `random:N`, `pct:N,D`, `pos:N`, `replay:SCHEDULE`.

use std::fmt;
use std::str::FromStr;

use crate::exhaustive::Exhaustive;
use crate::replay::{Replay, Strictness};
use crate::sampling::{Draw, Pct, Pos, Uniform};
use crate::schedule::Schedule;
use crate::search::{Order, Search};
use crate::strategy::Strategy;

/// A strategy to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Plan {
    Exhaustive,
    Stateful(Order),
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
    Replay(Schedule),
}

impl Plan {
    /// The search over states that this is, if it is one.
    pub fn search(&self) -> Option<Search> {
        match self {
            Plan::Stateful(order) => Some(Search::stateful(*order)),
            Plan::Enumerate => Some(Search::enumeration()),
            Plan::Chess(bound) => Some(Search::chess(*bound)),
            _ => None,
        }
    }

    /// The strategy; the seed serves those that draw at random.
    pub fn strategy(&self, seed: u64) -> Box<dyn Strategy> {
        if let Some(search) = self.search() {
            return Box::new(search);
        }
        match self {
            Plan::Exhaustive => Box::new(Exhaustive::new()),
            Plan::Stateful(_) | Plan::Enumerate | Plan::Chess(_) => {
                unreachable!("these are searches")
            }
            Plan::Random(schedules) => Box::new(Uniform::new(Draw::new(*schedules, seed))),
            Plan::Pct { schedules, depth } => {
                Box::new(Pct::new(Draw::new(*schedules, seed), *depth))
            }
            Plan::Pos(schedules) => Box::new(Pos::new(Draw::new(*schedules, seed))),
            Plan::Replay(schedule) => Box::new(Replay::new(schedule, Strictness::Exact)),
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Plan::Exhaustive => f.write_str("exhaustive"),
            Plan::Stateful(Order::DepthFirst) => f.write_str("stateful"),
            Plan::Stateful(Order::BreadthFirst) => f.write_str("stateful:breadth"),
            Plan::Enumerate => f.write_str("enumerate"),
            Plan::Chess(bound) => write!(f, "chess:{bound}"),
            Plan::Random(schedules) => write!(f, "random:{schedules}"),
            Plan::Pct { schedules, depth } => write!(f, "pct:{schedules},{depth}"),
            Plan::Pos(schedules) => write!(f, "pos:{schedules}"),
            Plan::Replay(schedule) => write!(f, "replay:{schedule}"),
        }
    }
}

/// The text names no strategy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownPlan(pub String);

impl fmt::Display for UnknownPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = "exhaustive, stateful, stateful:breadth, enumerate, chess:K, random:N, pct:N,D, pos:N, replay:SCHEDULE";
        write!(f, "`{}` is no strategy; expected one of {known}", self.0)
    }
}

impl std::error::Error for UnknownPlan {}

impl FromStr for Plan {
    type Err = UnknownPlan;

    fn from_str(text: &str) -> Result<Plan, UnknownPlan> {
        let (name, rest) = text
            .split_once(':')
            .map_or((text, None), |(name, rest)| (name, Some(rest)));
        let plan = match (name, rest) {
            ("exhaustive", None) => Some(Plan::Exhaustive),
            ("stateful", None | Some("depth")) => Some(Plan::Stateful(Order::DepthFirst)),
            ("stateful", Some("breadth")) => Some(Plan::Stateful(Order::BreadthFirst)),
            ("enumerate", None) => Some(Plan::Enumerate),
            ("chess", Some(bound)) => bound.parse().ok().map(Plan::Chess),
            ("random", Some(count)) => count.parse().ok().map(Plan::Random),
            ("pos", Some(count)) => count.parse().ok().map(Plan::Pos),
            ("pct", Some(rest)) => rest.split_once(',').and_then(|(schedules, depth)| {
                let depth = depth.trim().parse().ok().filter(|&depth| depth > 0)?;
                Some(Plan::Pct {
                    schedules: schedules.trim().parse().ok()?,
                    depth,
                })
            }),
            ("replay", Some(schedule)) => schedule.parse().ok().map(Plan::Replay),
            _ => None,
        };
        plan.ok_or_else(|| UnknownPlan(text.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_survives_text_and_back() {
        let names = "exhaustive stateful stateful:breadth enumerate chess:2 random:1000 pct:1000,3 pos:7 replay:s1:0*3,1";
        for name in names.split(' ') {
            let plan: Plan = name.parse().unwrap();
            assert_eq!(plan.to_string(), name);
            assert!(plan.strategy(7).begin(), "{name} has a first execution");
        }
    }

    #[test]
    fn what_is_no_plan_is_refused() {
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
            assert_eq!(name.parse::<Plan>(), Err(UnknownPlan(name.to_string())));
        }
    }
}
