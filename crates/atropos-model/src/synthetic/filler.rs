//! The supervision code that brings a class to its size: counters, and rules that keep them.
//!
//! Real models of this size are full of such code: levels that rise and fall, thresholds, reports, traces of earlier values. A *rule* has guards
//! and arithmetic and so many places for mutants; a *trace* only copies values and has none. With the number of each, the statements and the
//! mutants of a model can be set apart from one another.

use super::class::ClassText;
use crate::random::SplitMix64;

/// How much supervision a class gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FillerShare {
    /// Further attributes.
    pub attributes: usize,
    /// Rules.
    pub rules: usize,
    /// Traces.
    pub traces: usize,
    /// How many of the attributes take eight bytes instead of one.
    pub wide: usize,
}

/// Rules and traces that one call of `supervise` goes through, at most.
const RULES_PER_TURN: usize = 3;
const TRACES_PER_TURN: usize = 30;

/// Adds supervision to a class and gives the type it needs; the class's own code calls `supervise()`.
pub fn supervise(class: &mut ClassText, share: FillerShare, random: &mut SplitMix64) -> String {
    // Two levels at least, so that rules have something to compare, and one for the turn.
    let levels = share.attributes.saturating_sub(1).max(2);
    for level in 0..levels {
        let kind = if level < share.wide {
            "t_Count"
        } else {
            "t_Level"
        };
        class
            .attributes
            .push(format!("level_{level} : {kind} = {}", random.remainder(4)));
    }
    let turns = share
        .rules
        .div_ceil(RULES_PER_TURN)
        .max(share.traces.div_ceil(TRACES_PER_TURN))
        .max(1);
    let kind = format!("t_{}Turn", class.name);
    class
        .attributes
        .push(format!("turn : {kind} = {kind}.Turn0"));
    let mut calls = Vec::new();
    for turn in 0..turns {
        let mut parts = Vec::new();
        for _ in part(share.rules, turns, turn) {
            parts.push(rule(class, levels, random));
        }
        for _ in part(share.traces, turns, turn) {
            let to = random.remainder(levels);
            let from = (to + 1 + random.remainder(levels - 1)) % levels;
            parts.push(format!("level_{to} := level_{from}"));
        }
        if parts.is_empty() {
            parts.push("skip".to_owned());
        }
        class.methods.push(format!(
            "rules_{turn} =\n  {}\nend",
            parts.join(";\n").replace('\n', "\n  ")
        ));
        let next = (turn + 1) % turns;
        calls.push(format!(
            "requires turn = {kind}.Turn{turn}: rules_{turn}(); turn := {kind}.Turn{next} end"
        ));
    }
    class.methods.push(format!(
        "# Goes through the rules, a few at a time.\nsupervise =\n  {}\nend",
        calls.join("\n  //\n  ")
    ));
    class.actions.push(format!(
        "obs {}Report(level: t_Level) = requires true: skip end",
        class.name
    ));
    let values: Vec<String> = (0..turns).map(|turn| format!("Turn{turn}")).collect();
    format!("{kind} = {{{}}}", values.join(", "))
}

/// The numbers of `whole` that fall to the `index`th of `parts`.
fn part(whole: usize, parts: usize, index: usize) -> std::ops::Range<usize> {
    index * whole / parts..(index + 1) * whole / parts
}

/// One rule: a level rises by another, or that one falls; some rules report.
fn rule(class: &ClassText, levels: usize, random: &mut SplitMix64) -> String {
    let up = random.remainder(levels);
    let down = (up + 1 + random.remainder(levels - 1)) % levels;
    let (weight, bound, step) = (
        2 + random.remainder(3),
        3 + random.remainder(9),
        1 + random.remainder(7),
    );
    let report = if random.remainder(2) == 0 {
        format!(";\n    {}Report(level_{up} mod 16)", class.name)
    } else {
        String::new()
    };
    format!(
        "(\n  requires level_{up} + {weight} * level_{down} > {bound} and not (level_{up} = level_{down}):\n    level_{up} := (level_{up} + level_{down} + {step}) mod 16{report}\n  end\n  //\n  requires level_{down} > 0: level_{down} := level_{down} - 1 end\n  //\n  skip\n)"
    )
}
