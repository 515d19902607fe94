//! What a machine does when something happens: which transitions are taken.
//!
//! Inner states come before outer ones (`//`). Where several regions of a parallel state react to the same event, all guards are looked at
//! first. In SCXML the chosen transitions are then taken in document order, in W3C's three phases; in UML in any order. A transition that
//! leaves the parallel state excludes those of the other regions that leave something.

use super::code::CodeText;
use super::writer::{ClassWriter, MethodText, any_of};
use crate::charts::chart::{ChartTransition, Notation, StateId, StateKind, Trigger};

/// A variable that holds which transition a region has chosen, and the transitions by number.
struct Chosen {
    region: StateId,
    variable: String,
    /// (number, source, transition).
    transitions: Vec<(usize, StateId, ChartTransition)>,
}

impl ClassWriter<'_> {
    /// The reaction to `trigger`; `None` if no transition waits for it. Disabled where none is enabled.
    pub fn reaction(&mut self, trigger: &Trigger) -> Option<CodeText> {
        self.react(StateId::ROOT, trigger)
    }

    fn react(&mut self, id: StateId, trigger: &Trigger) -> Option<CodeText> {
        let inner = match self.machine.state(id).kind {
            StateKind::Compound => {
                let mut cases = Vec::new();
                let children: Vec<StateId> = self.machine.active_children(id).collect();
                for child in children {
                    if let Some(code) = self.react(child, trigger) {
                        let case = guarded(&self.layout.is(self.machine, id, child), code);
                        cases.push(CodeText::remarked(format!("in {}", self.name(child)), case));
                    }
                }
                (!cases.is_empty()).then(|| CodeText::choice(cases))
            }
            StateKind::Parallel => {
                let regions = self.reacting_regions(id, trigger);
                match regions.as_slice() {
                    [] => None,
                    [one] => self.react(*one, trigger),
                    _ => Some(self.choose_and_take(id, trigger)),
                }
            }
            _ => None,
        };
        let mut own = Vec::new();
        for transition in self.own(id, trigger) {
            let body = self.take(id, &transition);
            own.push(self.when_guard(&transition, body));
        }
        self.inner_first(inner, own)
    }

    /// Inner reactions before the state's own; those among each other as the notation has it.
    fn inner_first(&self, inner: Option<CodeText>, own: Vec<CodeText>) -> Option<CodeText> {
        let own = match own.len() {
            0 => return inner,
            _ if self.chart.notation == Notation::Scxml => CodeText::ranked(own),
            _ => CodeText::choice(own),
        };
        Some(CodeText::ranked(inner.into_iter().chain([own]).collect()))
    }

    fn when_guard(&self, transition: &ChartTransition, body: CodeText) -> CodeText {
        match &transition.guard {
            Some(guard) => CodeText::when(self.guard(guard), body),
            None => body,
        }
    }

    fn own(&self, id: StateId, trigger: &Trigger) -> Vec<ChartTransition> {
        self.machine
            .state(id)
            .transitions
            .iter()
            .filter(|transition| same(&transition.trigger, trigger))
            .cloned()
            .collect()
    }

    fn reacts(&self, id: StateId, trigger: &Trigger) -> bool {
        !self.own(id, trigger).is_empty()
            || self
                .machine
                .active_children(id)
                .any(|child| self.reacts(child, trigger))
    }

    fn reacting_regions(&self, parallel: StateId, trigger: &Trigger) -> Vec<StateId> {
        self.machine
            .active_children(parallel)
            .filter(|&region| self.reacts(region, trigger))
            .collect()
    }

    /// Chooses a transition per region, then takes the chosen ones.
    fn choose_and_take(&mut self, parallel: StateId, trigger: &Trigger) -> CodeText {
        let mut chosen = Vec::new();
        self.declare(parallel, trigger, &mut chosen);
        let reset = CodeText::sequence(
            chosen
                .iter()
                .map(|choice| CodeText::quiet(format!("{} := 0", choice.variable))),
        );
        let choose = self.choose_regions(parallel, trigger, &mut chosen);
        self.set_bounds(&chosen);
        let (remark, take) = match self.moves_in_any_order(parallel) {
            true => (
                "the chosen transitions, regions in any order",
                self.take_regions(parallel, trigger, &chosen),
            ),
            false => (
                "the chosen transitions: all are left, act, and are entered",
                self.take_in_document_order(&chosen),
            ),
        };
        CodeText::sequence([
            CodeText::remarked("every region chooses before any moves", reset),
            choose,
            CodeText::remarked(remark, take),
        ])
    }

    /// W3C's microstep: of transitions that would leave the same states the first in document order stays; then all states
    /// are left, the last first, all actions are done, and all states are entered.
    fn take_in_document_order(&mut self, chosen: &[Chosen]) -> CodeText {
        let mut parts = Vec::new();
        for (at, first) in chosen.iter().enumerate() {
            for second in &chosen[at + 1..] {
                parts.extend(self.preempt(first, second));
            }
        }
        let mut phases: [Vec<CodeText>; 3] = Default::default();
        for choice in chosen {
            let mut cases: [Vec<CodeText>; 3] = Default::default();
            for (number, source, transition) in &choice.transitions {
                let condition = format!("{} = {number}", choice.variable);
                for (cases, code) in cases.iter_mut().zip(self.phases(*source, transition)) {
                    if !code.is_skip() {
                        cases.push(CodeText::when(condition.clone(), code));
                    }
                }
            }
            for (phase, cases) in phases.iter_mut().zip(cases) {
                if !cases.is_empty() {
                    phase.push(CodeText::ranked(vec![
                        CodeText::choice(cases),
                        CodeText::quiet("skip"),
                    ]));
                }
            }
        }
        phases[0].reverse();
        CodeText::sequence(parts.into_iter().chain(phases.into_iter().flatten()))
    }

    /// Drops the second choice where the first would leave the same states. Without a target nothing is left.
    fn preempt(&self, first: &Chosen, second: &Chosen) -> Option<CodeText> {
        let mut conflicts = Vec::new();
        for (one, source, transition) in &first.transitions {
            let Some(domain) = self.machine.domain(*source, transition) else {
                continue;
            };
            for (other, source, transition) in &second.transitions {
                let also = self.machine.domain(*source, transition);
                let same = also.is_some_and(|also| {
                    self.machine.within(domain, also) || self.machine.within(also, domain)
                });
                if same {
                    let (v, w) = (&first.variable, &second.variable);
                    conflicts.push(format!("({v} = {one} and {w} = {other})"));
                }
            }
        }
        let drop = CodeText::quiet(format!("{} := 0", second.variable));
        let when = (!conflicts.is_empty()).then(|| CodeText::when(any_of(&conflicts), drop));
        when.map(|when| CodeText::ranked(vec![when, CodeText::quiet("skip")]))
    }

    /// A variable for each region that chooses, also in parallel states further inside.
    fn declare(&mut self, parallel: StateId, trigger: &Trigger, chosen: &mut Vec<Chosen>) {
        for region in self.reacting_regions(parallel, trigger) {
            let variable = self.local(&format!("choice_{}", self.name(region)), "int[0..?]");
            chosen.push(Chosen {
                region,
                variable,
                transitions: Vec::new(),
            });
            for inner in self.inner_parallels(region, trigger) {
                self.declare(inner, trigger, chosen);
            }
        }
    }

    /// Parallel states inside `id` in which several regions react, none of them inside another.
    fn inner_parallels(&self, id: StateId, trigger: &Trigger) -> Vec<StateId> {
        let mut found = Vec::new();
        let children = if self.machine.state(id).kind == StateKind::Parallel {
            let regions = self.reacting_regions(id, trigger);
            if regions.len() > 1 {
                return vec![id];
            }
            regions
        } else {
            self.machine.active_children(id).collect()
        };
        for child in children {
            found.extend(self.inner_parallels(child, trigger));
        }
        found
    }

    fn choose_regions(
        &mut self,
        parallel: StateId,
        trigger: &Trigger,
        chosen: &mut Vec<Chosen>,
    ) -> CodeText {
        let mut parts = Vec::new();
        for region in self.reacting_regions(parallel, trigger) {
            if let Some(code) = self.choose(region, region, trigger, chosen) {
                parts.push(CodeText::ranked(vec![code, CodeText::quiet("skip")]));
            }
        }
        let some = any_of(&self.choices_below(parallel, trigger, chosen));
        parts.push(CodeText::when(some, CodeText::quiet("skip")));
        CodeText::sequence(parts)
    }

    /// Like `react`, but only notes the transition in the variable of `owner`.
    fn choose(
        &mut self,
        id: StateId,
        owner: StateId,
        trigger: &Trigger,
        chosen: &mut Vec<Chosen>,
    ) -> Option<CodeText> {
        let inner = match self.machine.state(id).kind {
            StateKind::Compound => {
                let mut cases = Vec::new();
                let children: Vec<StateId> = self.machine.active_children(id).collect();
                for child in children {
                    if let Some(code) = self.choose(child, owner, trigger, chosen) {
                        cases.push(guarded(&self.layout.is(self.machine, id, child), code));
                    }
                }
                (!cases.is_empty()).then(|| CodeText::choice(cases))
            }
            StateKind::Parallel => match self.reacting_regions(id, trigger).as_slice() {
                [] => None,
                [one] => self.choose(*one, owner, trigger, chosen),
                _ => Some(self.choose_regions(id, trigger, chosen)),
            },
            _ => None,
        };
        let mut own = Vec::new();
        for transition in self.own(id, trigger) {
            let Some(choice) = chosen.iter_mut().find(|choice| choice.region == owner) else {
                continue;
            };
            let number = choice.transitions.len() + 1;
            let note = CodeText::quiet(format!("{} := {number}", choice.variable));
            choice.transitions.push((number, id, transition.clone()));
            own.push(self.when_guard(&transition, note));
        }
        self.inner_first(inner, own)
    }

    /// `variable <> 0` for every region inside `parallel` that may have chosen.
    fn choices_below(
        &self,
        parallel: StateId,
        trigger: &Trigger,
        chosen: &[Chosen],
    ) -> Vec<String> {
        self.reacting_regions(parallel, trigger)
            .iter()
            .flat_map(|&region| self.choices_of(region, chosen))
            .collect()
    }

    fn choices_of(&self, region: StateId, chosen: &[Chosen]) -> Vec<String> {
        chosen
            .iter()
            .filter(|choice| self.machine.within(choice.region, region))
            .filter(|choice| !choice.transitions.is_empty())
            .map(|choice| format!("{} <> 0", choice.variable))
            .collect()
    }

    /// `variable = number` for every transition chosen inside `region` that leaves `region`'s parallel state.
    fn leaving(&self, region: StateId, chosen: &[Chosen]) -> Vec<String> {
        let mut found = Vec::new();
        for choice in chosen {
            if !self.machine.within(choice.region, region) {
                continue;
            }
            for (number, source, transition) in &choice.transitions {
                let stays = match self.machine.domain(*source, transition) {
                    None => true,
                    Some(domain) => self.machine.within(domain, region),
                };
                if !stays {
                    found.push(format!("{} = {number}", choice.variable));
                }
            }
        }
        found
    }

    fn take_regions(
        &mut self,
        parallel: StateId,
        trigger: &Trigger,
        chosen: &[Chosen],
    ) -> CodeText {
        let regions = self.reacting_regions(parallel, trigger);
        let mut together = Vec::new();
        let mut alone = Vec::new();
        let mut stay = Vec::new();
        let mut earlier: Vec<String> = Vec::new();
        for &region in &regions {
            let take = self.take_region(region, trigger, chosen);
            let leaving = self.leaving(region, chosen);
            let picked = self.choices_of(region, chosen);
            if leaving.is_empty() {
                let nothing = CodeText::when(
                    format!("not {}", bracketed(&picked)),
                    CodeText::quiet("skip"),
                );
                together.push(CodeText::choice(vec![take.clone(), nothing]));
                stay.push(any_of(&picked));
            } else {
                let leaves = any_of(&leaving);
                let stays = format!("({} and not {})", any_of(&picked), bracketed(&leaving));
                let first = if self.chart.notation == Notation::Scxml && !earlier.is_empty() {
                    format!("{leaves} and not {}", bracketed(&earlier))
                } else {
                    leaves
                };
                alone.push(CodeText::when(first, take.clone()));
                let nothing = CodeText::when(format!("not {stays}"), CodeText::quiet("skip"));
                together.push(CodeText::choice(vec![
                    CodeText::when(stays.clone(), take),
                    nothing,
                ]));
                stay.push(stays);
            }
            earlier.extend(picked);
        }
        let all = self.any_order(together);
        if alone.is_empty() {
            return all;
        }
        if self.chart.notation == Notation::Scxml {
            return CodeText::ranked(vec![CodeText::choice(alone), all]);
        }
        alone.push(CodeText::when(any_of(&stay), all));
        CodeText::choice(alone)
    }

    /// Takes what was chosen inside `region`; disabled where nothing was.
    fn take_region(&mut self, region: StateId, trigger: &Trigger, chosen: &[Chosen]) -> CodeText {
        let mut cases = Vec::new();
        if let Some(choice) = chosen.iter().find(|choice| choice.region == region) {
            for (number, source, transition) in &choice.transitions {
                let body = self.take_in_method(*source, trigger, transition);
                cases.push(CodeText::when(
                    format!("{} = {number}", choice.variable),
                    body,
                ));
            }
        }
        for inner in self.inner_parallels(region, trigger) {
            let some = any_of(&self.choices_below(inner, trigger, chosen));
            let take = self.take_regions(inner, trigger, chosen);
            cases.push(CodeText::when(some, take));
        }
        CodeText::choice(cases)
    }

    /// Long transitions become methods, since several orders repeat them.
    fn take_in_method(
        &mut self,
        source: StateId,
        trigger: &Trigger,
        transition: &ChartTransition,
    ) -> CodeText {
        let (body, locals) = self.with_locals(|writer| writer.take(source, transition));
        if body.size() <= 1 && locals.is_empty() {
            return body;
        }
        let effect = body.effect();
        let (parameters, arguments) = self.parameters_of(trigger);
        let name = self.scope.fresh(&format!("leave_{}", self.name(source)));
        self.methods.push(MethodText {
            remark: format!("A transition from {}.", self.name(source)),
            name: name.clone(),
            parameters,
            result: None,
            locals,
            body,
        });
        CodeText::Line(format!("{name}({})", arguments.join(", ")), effect)
    }

    fn set_bounds(&mut self, chosen: &[Chosen]) {
        for choice in chosen {
            self.bound_local(&choice.variable, choice.transitions.len());
        }
    }

    /// The reaction to a timer of `state`: its own `after`-transitions of that time.
    pub fn timeout_reaction(&mut self, state: StateId, time: u32) -> CodeText {
        let mut own = Vec::new();
        for transition in self.own(state, &Trigger::After(time, 0..0)) {
            let body = self.take(state, &transition);
            own.push(self.when_guard(&transition, body));
        }
        self.inner_first(None, own).unwrap_or_else(CodeText::skip)
    }
}

/// `condition` before a reaction: joined with the reaction's own guard where it has just one.
fn guarded(condition: &str, code: CodeText) -> CodeText {
    match code {
        CodeText::When(inner, body) => CodeText::When(format!("{condition} and {inner}"), body),
        other => CodeText::when(condition, other),
    }
}

fn bracketed(conditions: &[String]) -> String {
    match conditions {
        [one] => format!("({one})"),
        many => any_of(many),
    }
}

/// The same cause, wherever it is written.
fn same(left: &Trigger, right: &Trigger) -> bool {
    match (left, right) {
        (Trigger::Event(left), Trigger::Event(right)) => left.text == right.text,
        (Trigger::After(left, _), Trigger::After(right, _)) => left == right,
        (left, right) => left == right,
    }
}
