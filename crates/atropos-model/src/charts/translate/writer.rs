//! The translation of one machine under way: its layout, the methods written so far, the local variables of the one being written.

use super::code::{CodeText, LineEffect};
use super::layout::ChartLayout;
use super::scope::{ChartScope, gate};
use crate::charts::chart::{Chart, ChartText, Machine, StateId};
use crate::charts::mutants::{Gate, Variants};
use std::collections::BTreeMap;

/// A method of the translated class.
#[derive(Clone, Debug)]
pub struct MethodText {
    /// What it is for, for the reader.
    pub remark: String,
    /// Its name.
    pub name: String,
    /// `name: type` each.
    pub parameters: Vec<String>,
    /// The type of its result.
    pub result: Option<String>,
    /// `name: type` each.
    pub locals: Vec<String>,
    /// What it does.
    pub body: CodeText,
}

/// What a remembered method does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RememberedMove {
    /// Enters a state where it starts.
    Enter,
    /// Enters a state as it was left, all the way down.
    Resume,
    /// Leaves a state.
    Exit,
}

/// The translation of one machine under way.
pub struct ClassWriter<'a> {
    /// The whole chart.
    pub chart: &'a Chart,
    /// The machine being translated.
    pub machine: &'a Machine,
    /// What it does under mutants.
    pub variants: &'a Variants,
    /// Its variables.
    pub layout: ChartLayout,
    /// Names taken in this class.
    pub scope: ChartScope,
    /// Methods written so far, callees before callers.
    pub methods: Vec<MethodText>,
    /// The names of the class's queue variables and types.
    pub words: FixedNames,
    /// Per class the type of the events that wait in its queues.
    pub event_types: BTreeMap<String, String>,
    moves: BTreeMap<(RememberedMove, StateId), CodeText>,
    locals: Vec<String>,
}

/// Names of the class's fixed parts.
#[derive(Clone, Debug)]
pub struct FixedNames {
    /// The list of running times.
    pub timers: String,
    /// The type of a running time, shared by the whole chart.
    pub time: String,
    /// Places in the list of timers.
    pub timer_index: String,
    /// Raised events.
    pub queue: String,
    /// Events from other objects.
    pub inbox: String,
    /// The type of queued events.
    pub event: String,
    /// The method that takes an event from another object.
    pub receive: String,
    /// The method that sets references and first values.
    pub wire: String,
    /// Whether they were set.
    pub wired: String,
    /// The observation that time has passed.
    pub after: String,
    /// The method that tells how long until the next timer runs out.
    pub next_timeout: String,
    /// The method that lets time pass.
    pub advance: String,
    /// The method that tells whether nothing is left to do without an input or time.
    pub idle: String,
}

impl<'a> ClassWriter<'a> {
    /// Starts the translation of `machine`.
    pub fn new(
        chart: &'a Chart,
        machine: &'a Machine,
        variants: &'a Variants,
        layout: ChartLayout,
        words: FixedNames,
        event_types: BTreeMap<String, String>,
        scope: ChartScope,
    ) -> Self {
        ClassWriter {
            chart,
            machine,
            variants,
            layout,
            scope,
            methods: Vec::new(),
            words,
            event_types,
            moves: BTreeMap::new(),
            locals: Vec::new(),
        }
    }

    /// The name of a state.
    pub fn name(&self, id: StateId) -> &'a str {
        &self.machine.state(id).name.text
    }

    /// A call of a method that is written once for each (move, state); short code stands in place of the call.
    pub fn shared(
        &mut self,
        which: RememberedMove,
        state: StateId,
        write: impl FnOnce(&mut Self) -> CodeText,
    ) -> CodeText {
        if let Some(code) = self.moves.get(&(which, state)) {
            return code.clone();
        }
        let (body, locals) = self.with_locals(write);
        let code = if body.size() <= 1 && locals.is_empty() {
            body
        } else {
            let (verb, remark) = match which {
                RememberedMove::Enter => ("enter", "Enters"),
                RememberedMove::Resume => ("resume", "Enters as it was left"),
                RememberedMove::Exit => ("exit", "Leaves"),
            };
            let state_name = self.name(state);
            let name = self.scope.fresh(&format!("{verb}_{state_name}"));
            let effect = body.effect();
            self.methods.push(MethodText {
                remark: format!("{remark}: {state_name}."),
                name: name.clone(),
                parameters: Vec::new(),
                result: None,
                locals,
                body,
            });
            CodeText::Line(format!("{name}()"), effect)
        };
        self.moves.insert((which, state), code.clone());
        code
    }

    /// Runs `write` as for a new method or action and gives the local variables it asked for.
    pub fn with_locals<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> (T, Vec<String>) {
        let outer = std::mem::take(&mut self.locals);
        let value = write(self);
        (value, std::mem::replace(&mut self.locals, outer))
    }

    /// Asks for a local variable in the method being written.
    pub fn local(&mut self, wanted: &str, kind: &str) -> String {
        let name = self.scope.fresh(wanted);
        self.locals.push(format!("{name}: {kind}"));
        name
    }

    /// Gives a local integer variable its upper bound, once that is known.
    pub fn bound_local(&mut self, name: &str, bound: usize) {
        for local in &mut self.locals {
            if local.split(':').next() == Some(name) {
                *local = format!("{name}: int[0..{bound}]");
            }
        }
    }

    /// All of them in any order. Those whose order cannot be noticed go first, as they stand.
    pub fn any_order(&mut self, parts: Vec<CodeText>) -> CodeText {
        let (noticed, quiet): (Vec<CodeText>, Vec<CodeText>) = parts
            .into_iter()
            .filter(|part| !part.is_skip())
            .partition(|part| part.effect() == LineEffect::Noticed);
        let mixed = if noticed.len() <= 3 {
            let orders = orders(noticed.len());
            let sequences = orders
                .iter()
                .map(|order| CodeText::sequence(order.iter().map(|&at| noticed[at].clone())))
                .collect();
            CodeText::choice(sequences)
        } else {
            self.rounds(&noticed)
        };
        CodeText::sequence(quiet.into_iter().chain([mixed]))
    }

    /// Many parts in any order: as many rounds as there are parts, each doing one that was not done yet.
    fn rounds(&mut self, parts: &[CodeText]) -> CodeText {
        let done: Vec<String> = (1..=parts.len())
            .map(|number| self.local(&format!("done_{number}"), "bool"))
            .collect();
        let reset = done
            .iter()
            .map(|flag| CodeText::quiet(format!("{flag} := false")));
        let round = CodeText::choice(
            done.iter()
                .zip(parts)
                .map(|(flag, part)| {
                    let mark = CodeText::quiet(format!("{flag} := true"));
                    CodeText::when(
                        format!("not {flag}"),
                        CodeText::sequence([part.clone(), mark]),
                    )
                })
                .collect(),
        );
        CodeText::sequence(reset.chain((0..parts.len()).map(|_| round.clone())))
    }
}

/// All orders of the first `count` numbers.
fn orders(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for first in 0..count {
        for rest in orders(count - 1) {
            let skip_first = rest.iter().map(|&at| at + usize::from(at >= first));
            all.push(std::iter::once(first).chain(skip_first).collect());
        }
    }
    all
}

/// A condition made of others that must all hold.
pub fn all_of(conditions: &[String]) -> String {
    if conditions.is_empty() {
        return "true".to_owned();
    }
    conditions.join(" and ")
}

/// A condition made of others of which one must hold, in brackets if need be.
pub fn any_of(conditions: &[String]) -> String {
    match conditions {
        [] => "false".to_owned(),
        [one] => one.clone(),
        many => format!("({})", many.join(" or ")),
    }
}

/// Where the predicate `In(State)` occurs in a user's text: its bytes and the state's name.
pub fn in_predicates(text: &str) -> Vec<(std::ops::Range<usize>, String)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find("In(").map(|at| at + from) {
        from = at + 3;
        let word_before = text[..at]
            .chars()
            .next_back()
            .is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.');
        let Some(length) = text[from..].find(')') else {
            break;
        };
        if !word_before {
            let name = text[from..from + length]
                .trim()
                .trim_matches(['\'', '"'])
                .to_owned();
            found.push((at..from + length + 1, name));
        }
    }
    found
}

/// What is done unless a mutant acts, and what is done under each.
pub fn unless_mutated(original: CodeText, mutated: Vec<(Gate, CodeText)>) -> CodeText {
    if mutated.is_empty() {
        return original;
    }
    let gates: Vec<String> = mutated.iter().map(|(number, _)| gate(*number)).collect();
    let none = CodeText::when(format!("not ({})", gates.join(" or ")), original);
    let cases = mutated
        .into_iter()
        .map(|(number, code)| CodeText::when(gate(number), code));
    CodeText::choice(std::iter::once(none).chain(cases).collect())
}

impl ClassWriter<'_> {
    /// The user's expression with `In(State)` spelled out, marked with its place.
    pub fn expression(&self, text: &ChartText) -> String {
        let mut spelled = text.text.clone();
        for (bytes, name) in in_predicates(&text.text).into_iter().rev() {
            let active = self
                .machine
                .find(&name)
                .map(|state| self.layout.active(self.machine, state));
            let meaning = match active {
                Some(Some(condition)) => super::scope::ours(&format!("({condition})")),
                _ => super::scope::ours("true"),
            };
            spelled.replace_range(bytes, &meaning);
        }
        super::scope::place(&spelled, &text.span)
    }

    /// A guard, in brackets so that it can stand beside others.
    pub fn guard(&self, text: &ChartText) -> String {
        format!("({})", self.expression(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_things_have_six_orders() {
        let all = orders(3);
        assert_eq!(all.len(), 6);
        assert!(all.contains(&vec![2, 0, 1]));
    }

    #[test]
    fn in_predicates_are_found_and_other_words_are_not() {
        let found = in_predicates("In('A') and xIn(B) or In(C)");
        assert_eq!(found, [(0..7, "A".to_owned()), (22..27, "C".to_owned())]);
    }
}
