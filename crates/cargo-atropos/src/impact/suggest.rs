//! From what was observed to what people read: broken invariants in words, and for each survivor
//! one assertion that would catch it.
//!
//! The assertion is about what a test can get hold of: what a function returns or leaves behind,
//! of those broken the one nearest to the tests, public functions first.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use atropos_invariants::{EntryOrExit, Invariant, ObservedValue, ValueKind, Variable, Violation};
use atropos_mutants::Category;
use atropos_report::communication::CommunicationRecord;
use atropos_report::impact::{BrokenInvariant, DisturbedFunction, Impact, Suggestion};
use atropos_report::mutant::MutantInfo;
use atropos_report::outcomes::{Exploration, TestRecord};
use atropos_weave::observe::{Function, Returned};

use super::learning::ObservedOriginal;
use super::measuring::ObservedMutantRun;
use super::program::ObservedProgram;
use super::{assertion, assertion::AssertedExpression, communication};
use crate::source::SourceTexts;

/// All that is said of a mutant is made of this.
pub struct SuggestionFacts<'a> {
    pub program: &'a ObservedProgram,
    pub original: &'a ObservedOriginal,
    pub texts: &'a SourceTexts,
    /// The workspace's.
    pub root: &'a Path,
    pub tests: &'a [TestRecord],
}

/// Where a function is, seen from another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FunctionRelation {
    /// It is that function.
    Itself,
    /// A closure or function in its body.
    Inside,
    Elsewhere,
}

fn is_within(name: &str, function: &str) -> FunctionRelation {
    match name.strip_prefix(function) {
        Some("") => FunctionRelation::Itself,
        Some(rest) if rest.starts_with("::") => FunctionRelation::Inside,
        _ => FunctionRelation::Elsewhere,
    }
}

impl SuggestionFacts<'_> {
    /// What a mutant disturbs in the runs that pass.
    pub fn impact(
        &self,
        mutant: &MutantInfo,
        own: Option<&u32>,
        runs: &[ObservedMutantRun],
        explored: &[Exploration],
    ) -> Impact {
        let runs: Vec<&ObservedMutantRun> = runs.iter().filter(|run| !run.is_killed).collect();
        let distances = own.map(|&own| self.original.calls.distances(own));
        let distances = distances.unwrap_or_default();
        let mut broken: BTreeMap<(u32, Invariant), Option<ObservedValue>> = BTreeMap::new();
        let mut returns = BTreeSet::new();
        let mut executions = BTreeSet::new();
        for run in &runs {
            for (function, violation) in &run.broken {
                let seen = broken.entry((*function, violation.invariant)).or_default();
                *seen = seen.or(violation.seen);
            }
            returns.extend(&run.difference.returns);
            executions.extend(&run.difference.executions);
        }
        let communications = communication::gather(explored, self.texts, self.root);
        let is_about_threads = mutant.operator.category() == Category::Concurrency;
        if is_about_threads {
            // Such a mutant may be a copy of the code around it, in which nothing is observed: what seems to be
            // missing within its own function says nothing.
            let within = |function: u32| is_within(&self.function(function).name, &mutant.function);
            executions.retain(|&function| within(function) == FunctionRelation::Elsewhere);
            returns.retain(|&function| within(function) != FunctionRelation::Inside);
        }
        let disturbed = |function: &u32| DisturbedFunction {
            function: self.function(*function).name.clone(),
            distance: distances.get(function).copied(),
        };
        let mut broken: Vec<(u32, Violation)> = broken
            .into_iter()
            .map(|((function, invariant), seen)| (function, Violation { invariant, seen }))
            .collect();
        broken.sort_by_key(|(function, _)| distances.get(function).copied());
        let invariants = broken
            .iter()
            .map(|(function, violation)| BrokenInvariant {
                at: disturbed(function),
                invariant: self.words(*function, &violation.invariant),
                seen: violation.seen.map(|seen| seen.to_string()),
            })
            .collect();
        let observed = runs.iter().map(|run| run.test);
        let tests: BTreeSet<usize> = observed
            .chain(explored.iter().map(|explored| explored.test))
            .collect();
        let suggestion = match is_about_threads {
            true => self.about_threads(mutant, &communications, explored),
            false => None,
        };
        let suggestion = suggestion
            .or_else(|| self.about_values(&broken, &returns))
            .or_else(|| communication::suggest(mutant, &communications, self.program))
            .or_else(|| self.about_executions(&executions))
            .unwrap_or_else(|| about_nothing(mutant));
        let impact = Impact {
            tests: tests.len(),
            invariants,
            returns: returns.iter().map(disturbed).collect(),
            executions: executions.iter().map(disturbed).collect(),
            communications,
            suggestion: Some(suggestion),
            ..Impact::default()
        };
        impact.scored()
    }

    fn function(&self, number: u32) -> &Function {
        &self.program.functions[number as usize]
    }

    /// The kind of a variable's values.
    fn kind(&self, function: u32, variable: Variable) -> ValueKind {
        let state = self.original.states.get(&function);
        let kind = state.and_then(|state| state.slot(variable)?.kind());
        kind.unwrap_or(ValueKind::Number)
    }

    /// An invariant with the names of the function's variables.
    fn words(&self, number: u32, invariant: &Invariant) -> String {
        let function = self.function(number);
        let name = |variable: Variable| {
            let name = name_of(function, variable);
            match self.kind(number, variable) {
                ValueKind::Length => format!("{name}.len()"),
                _ => name,
            }
        };
        let kind = self.kind(number, invariant.variable());
        invariant.describe_as(&name, kind)
    }

    /// What to write for a concurrency mutant: the interleaving that no test checks.
    fn about_threads(
        &self,
        mutant: &MutantInfo,
        communications: &[CommunicationRecord],
        explored: &[Exploration],
    ) -> Option<Suggestion> {
        communication::suggest(mutant, communications, self.program)
            .or_else(|| communication::nothing_new(mutant, explored, self.tests))
    }

    /// What to write about broken invariants or returned values.
    fn about_values(
        &self,
        broken: &[(u32, Violation)],
        returns: &BTreeSet<u32>,
    ) -> Option<Suggestion> {
        let best = broken.iter().min_by_key(|(function, violation)| {
            let is_exit = violation.invariant.variable().when == EntryOrExit::Exit;
            (!is_exit, self.remoteness(*function))
        });
        if let Some((function, violation)) = best {
            return Some(self.about_invariant(*function, violation));
        }
        self.nearest(returns)
            .map(|function| self.about_return(function))
    }

    fn about_executions(&self, executions: &BTreeSet<u32>) -> Option<Suggestion> {
        self.nearest(executions)
            .map(|function| self.about_execution(function))
    }

    /// Of some functions the one nearest to the tests.
    fn nearest(&self, functions: &BTreeSet<u32>) -> Option<u32> {
        let functions = functions.iter().copied();
        functions.min_by_key(|&function| self.remoteness(function))
    }

    /// Public functions before others, closures last, then those nearest to the tests.
    fn remoteness(&self, function: u32) -> (bool, bool, usize) {
        let depth = self.original.calls.depth(function).unwrap_or(usize::MAX);
        let Function {
            name,
            is_public,
            is_closure,
            ..
        } = self.function(function);
        // Nobody calls `drop` to look at what it does.
        (
            *is_closure || name.ends_with("Drop>::drop"),
            !is_public,
            depth,
        )
    }

    fn about_invariant(&self, number: u32, violation: &Violation) -> Suggestion {
        let function = self.function(number);
        let variable = violation.invariant.variable();
        let held = self.words(number, &violation.invariant);
        let name = name_of(function, variable);
        let (verb, name) = match (variable.when, name.strip_prefix("result.")) {
            (EntryOrExit::Exit, Some(field)) if variable.index > 0 => {
                ("returned", field.to_owned())
            }
            (EntryOrExit::Exit, _) if variable.index == 0 => ("returned", name),
            (EntryOrExit::Exit, _) => ("left", name),
            (EntryOrExit::Entry, _) => ("was called with", name),
        };
        let kind = self.kind(number, variable);
        let what = match violation.seen {
            Some(seen) if (variable.when, variable.index) == (EntryOrExit::Exit, 0) => match kind {
                ValueKind::Length => format!("{verb} something of length {seen}"),
                _ => format!("{verb} {seen}"),
            },
            Some(seen) => format!("{verb} {name} = {seen}"),
            None => String::new(),
        };
        let words = match violation.seen {
            Some(_) => format!(
                "`{}` {what} where every test saw {held}; no test asserts it",
                function.name
            ),
            None => {
                let when = match variable.when {
                    EntryOrExit::Entry => "is called",
                    EntryOrExit::Exit => "returns",
                };
                format!(
                    "when `{}` {when}, {held} no longer holds, as it did in every test; no test \
                     asserts it",
                    function.name
                )
            }
        };
        let kind_of = |variable: Variable| self.kind(number, variable);
        let subject = AssertedExpression {
            function,
            getters: &|field| self.getter(function, field),
        };
        Suggestion {
            words,
            code: assertion::of(&subject, &violation.invariant, &kind_of),
        }
    }

    /// A public method without parameters that is called like a field.
    fn getter(&self, function: &Function, field: &str) -> bool {
        let owner = match &function.returned {
            Returned::Typed(ty) if ty != "Self" && function.is_method => ty.clone(),
            _ => match function.name.rsplit_once("::") {
                Some((owner, _)) => owner.to_owned(),
                None => return false,
            },
        };
        let wanted = format!("{owner}::{field}");
        self.program.functions.iter().any(|other| {
            let takes_nothing = other
                .entry
                .iter()
                .all(|variable| variable.name.starts_with("self."));
            other.name == wanted && other.is_public && other.is_method && takes_nothing
        })
    }

    fn about_return(&self, number: u32) -> Suggestion {
        let function = self.function(number);
        let changes = function.returned == Returned::Unit;
        let words = match changes {
            true => format!(
                "`{}` leaves something else behind, and no test looks at it: assert on what it \
                 changes",
                function.name
            ),
            false => format!(
                "`{}` returns something else, and no test asserts on it",
                function.name
            ),
        };
        Suggestion {
            words,
            code: match (assertion::call(function), changes) {
                (None, _) => String::new(),
                (Some(call), true) => format!("{call};\n// and then assert what it changes"),
                (Some(call), false) => {
                    format!("let result = {call};\n// and then assert what `result` is now")
                }
            },
        }
    }

    fn about_execution(&self, number: u32) -> Suggestion {
        let function = self.function(number);
        Suggestion {
            words: format!(
                "`{}` runs another number of times or takes another way, but returns the same: \
                 assert on what else it does, or on how often",
                function.name
            ),
            code: String::new(),
        }
    }
}

fn about_nothing(mutant: &MutantInfo) -> Suggestion {
    Suggestion {
        words: format!(
            "No function returned or did anything else. Either line {} makes no difference that \
             anyone can see, or its effect leaves the program in a way that is not observed \
             (output, I/O, user types): assert on that",
            mutant.line
        ),
        code: String::new(),
    }
}

/// A variable as people write it.
pub fn name_of(function: &Function, variable: Variable) -> String {
    let index = usize::from(variable.index);
    let name = match (variable.when, index) {
        (EntryOrExit::Entry, _) => function.entry.get(index).map(|known| known.name.clone()),
        (EntryOrExit::Exit, 0) => Some("result".to_owned()),
        (EntryOrExit::Exit, _) => {
            function
                .exit
                .get(index - 1)
                .map(|known| match known.name.strip_prefix('.') {
                    Some(field) => format!("result.{field}"),
                    None => known.name.clone(),
                })
        }
    };
    let name = name.unwrap_or_else(|| "?".to_owned());
    match variable.is_inner {
        true => format!("{name}.unwrap()"),
        false => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closures_are_within_their_function_and_namesakes_are_not() {
        assert_eq!(
            is_within("Ledger::write", "Ledger::write"),
            FunctionRelation::Itself
        );
        let closure = is_within("Ledger::write::{closure:33:45}", "Ledger::write");
        assert_eq!(closure, FunctionRelation::Inside);
        assert_eq!(
            is_within("Ledger::write_all", "Ledger::write"),
            FunctionRelation::Elsewhere
        );
    }
}
