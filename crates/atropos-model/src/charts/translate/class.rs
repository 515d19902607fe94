//! The class of a machine: its variables, methods, actions and the loop that drives it.
//!
//! The loop ranks what can happen, so that a step runs to its completion before the next input is taken: entering the first state, transitions
//! without a trigger, raised events, timers that have run out and events from other objects, and only then inputs and the passing of time.

use super::code::CodeText;
use super::layout::done_event;
use super::scope::mark;
use super::writer::{ClassWriter, MethodText, all_of, any_of};
use crate::charts::chart::{ChartAction, ChartText, Signature, StateId, StateKind, Trigger};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Where the machine stands in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassRole {
    /// The only object: makes itself, and lets time pass.
    Alone,
    /// One of a network's objects: made and wired by the network, which also lets time pass if anything in it waits.
    Member {
        /// Some machine of the network has timers.
        timed: bool,
    },
}

/// An action of the translated class.
struct Act {
    remark: String,
    /// `ctr `, `obs ` or nothing.
    label: &'static str,
    name: String,
    parameters: Vec<String>,
    locals: Vec<String>,
    body: CodeText,
}

impl ClassWriter<'_> {
    /// The whole class as text, from its name to the closing bracket.
    pub fn class(mut self, role: ClassRole) -> String {
        let start = self.static_start();
        let mut ranks: Vec<Vec<String>> = Vec::new();
        let mut acts = Vec::new();
        if start.is_none() {
            let act = self.start_act(role);
            ranks.push(vec![format!("{}()", act.name)]);
            acts.push(act);
        }
        if let Some(act) = self.step_act() {
            ranks.push(vec![format!("{}()", act.name)]);
            acts.push(act);
        }
        let handlers = self.handlers();
        let mut waiting = Vec::new();
        if self.layout.raises {
            let act = self.queue_act("next_event", &self.words.queue.clone(), &handlers, "raised");
            ranks.push(vec![format!("{}()", act.name)]);
            acts.push(act);
        }
        if !self.layout.timers.is_empty() {
            let act = self.time_out_act();
            waiting.push(format!("{}()", act.name));
            acts.push(act);
            if !self.layout.receives {
                // A timer runs out only where nothing waits, so that its event is older than any that the machine sends itself.
                ranks.push(std::mem::take(&mut waiting));
            }
        }
        if self.layout.has_inbox() {
            let act = self.queue_act("next_message", &self.words.inbox.clone(), &handlers, "sent");
            waiting.push(format!("{}()", act.name));
            acts.push(act);
        }
        if !waiting.is_empty() {
            ranks.push(waiting);
        }
        let mut outside = self.input_acts(&mut acts);
        acts.extend(self.observation_acts());
        self.role_methods(role, start.is_none());
        if role == ClassRole::Alone && !self.layout.timers.is_empty() {
            let act = self.after_act();
            outside.push(format!("{}({}())", act.name, self.words.next_timeout));
            acts.push(act);
        }
        if !outside.is_empty() {
            ranks.push(outside);
        }
        self.text(role, start, &acts, &ranks)
    }

    fn start_act(&mut self, role: ClassRole) -> Act {
        let root = self.layout.regions[&StateId::ROOT].clone();
        let mut conditions = vec![format!(
            "{} = {}.{}",
            root.variable, root.kind, root.inactive
        )];
        if self.is_wired(role) {
            conditions.push(self.words.wired.clone());
        }
        let (enter, locals) = self.with_locals(|writer| writer.enter_inside(StateId::ROOT, &[]));
        Act {
            remark: "Enters the first state.".to_owned(),
            label: "",
            name: self.scope.fresh("start"),
            parameters: Vec::new(),
            locals,
            body: CodeText::when(all_of(&conditions), enter),
        }
    }

    fn step_act(&mut self) -> Option<Act> {
        let (reaction, locals) = self.with_locals(|writer| writer.reaction(&Trigger::Eventless));
        Some(Act {
            remark: "Transitions without a trigger.".to_owned(),
            label: "",
            name: self.scope.fresh("step"),
            parameters: Vec::new(),
            locals,
            body: as_guarded(reaction?),
        })
    }

    /// Handles the first event of a queue; one that no state waits for is dropped.
    fn queue_act(
        &mut self,
        wanted: &str,
        queue: &str,
        handlers: &BTreeMap<String, String>,
        how: &str,
    ) -> Act {
        let kind = self.words.event.clone();
        let (body, locals) = self.with_locals(|writer| {
            let event = writer.local("event", &kind);
            let cases: Vec<CodeText> = handlers
                .iter()
                .filter(|(name, _)| writer.layout.queued.contains(*name))
                .map(|(name, handler)| {
                    let call = CodeText::noticed(format!("{handler}()"));
                    CodeText::when(format!("{event} = {kind}.{name}"), call)
                })
                .collect();
            let handle = if cases.is_empty() {
                CodeText::skip()
            } else {
                CodeText::ranked(vec![CodeText::choice(cases), CodeText::quiet("skip")])
            };
            CodeText::sequence([
                CodeText::quiet(format!("{event} := hd {queue}")),
                CodeText::quiet(format!("{queue} := tl {queue}")),
                handle,
            ])
        });
        Act {
            remark: format!(
                "Takes the next {how} event; one that no active state waits for is dropped."
            ),
            label: "",
            name: self.scope.fresh(wanted),
            parameters: Vec::new(),
            locals,
            body: CodeText::when(format!("len {queue} > 0"), body),
        }
    }

    fn time_out_act(&mut self) -> Act {
        let (body, locals) = self.with_locals(Self::time_out);
        Act {
            remark: "Timers that have run out.".to_owned(),
            label: "",
            name: self.scope.fresh("time_out"),
            parameters: Vec::new(),
            locals,
            body: as_guarded(body),
        }
    }

    fn after_act(&mut self) -> Act {
        let time = &self.words.time;
        Act {
            remark: "Time passes until the next timer runs out.".to_owned(),
            label: "obs ",
            name: self.words.after.clone(),
            parameters: vec![format!("passed: {time}")],
            locals: Vec::new(),
            body: CodeText::when(
                "passed > 0",
                CodeText::noticed(format!("{}(passed)", self.words.advance)),
            ),
        }
    }

    /// The inputs; gives what the loop calls.
    fn input_acts(&mut self, acts: &mut Vec<Act>) -> Vec<String> {
        let mut calls = Vec::new();
        for event in self.layout.inputs.clone() {
            let trigger = Trigger::Event(ChartText::new(event.clone(), 0..0));
            let (parameters, arguments) = self.parameters_of(&trigger);
            let called_from_elsewhere = self.handled(&event);
            let (body, locals) = self.with_locals(|writer| {
                if called_from_elsewhere {
                    let handler = writer.handler(&event);
                    return CodeText::noticed(format!("{handler}({})", arguments.join(", ")));
                }
                writer.reaction(&trigger).unwrap_or_else(CodeText::skip)
            });
            let call = format!("{event}({})", arguments.join(", "));
            calls.push(if parameters.is_empty() {
                call
            } else {
                format!("var {}: {call}", parameters.join("; "))
            });
            acts.push(Act {
                remark: format!("The input {event}."),
                label: "ctr ",
                name: event,
                parameters,
                locals,
                body: as_guarded(body),
            });
        }
        calls
    }

    fn observation_acts(&mut self) -> Vec<Act> {
        let mut names: Vec<String> = Vec::new();
        for action in self.machine.actions() {
            if let ChartAction::Observe { name, .. } = action
                && !names.contains(&name.text)
            {
                names.push(name.text.clone());
            }
        }
        names
            .into_iter()
            .map(|name| Act {
                remark: String::new(),
                label: "obs ",
                parameters: parameters(&self.machine.outputs, &name),
                name,
                locals: Vec::new(),
                body: CodeText::when("true", CodeText::quiet("skip")),
            })
            .collect()
    }

    /// Methods for events that are raised, sent or delayed: (event, method).
    fn handlers(&mut self) -> BTreeMap<String, String> {
        let mut handlers = BTreeMap::new();
        for (_, transition) in self.machine.transitions() {
            let (event, trigger) = match &transition.trigger {
                Trigger::Event(event) if self.handled(&event.text) => {
                    (event.text.clone(), transition.trigger.clone())
                }
                Trigger::Done(state) => {
                    (done_event(self.machine, *state), transition.trigger.clone())
                }
                _ => continue,
            };
            if handlers.contains_key(&event) {
                continue;
            }
            let name = self.handler(&event);
            let (reaction, locals) = self.with_locals(|writer| writer.reaction(&trigger));
            self.methods.push(MethodText {
                remark: format!("Reacts to {event}; disabled where no active state waits for it."),
                name: name.clone(),
                parameters: self.parameters_of(&trigger).0,
                result: None,
                locals,
                body: reaction.unwrap_or_else(CodeText::skip),
            });
            handlers.insert(event, name);
        }
        handlers
    }

    /// Whether the event comes from a queue or a timer, so that its reaction is a method.
    fn handled(&self, event: &str) -> bool {
        self.layout.queued.contains(event)
            || self.layout.timers.iter().any(|timer| {
                matches!(&timer.usage, super::layout::TimerUse::Delayed { event: e, .. } if e == event)
            })
    }

    /// The method that reacts to an event.
    pub fn handler(&self, event: &str) -> String {
        format!("on_{event}")
    }

    /// Declarations and names of an event's parameters.
    pub fn parameters_of(&self, trigger: &Trigger) -> (Vec<String>, Vec<String>) {
        let Trigger::Event(event) = trigger else {
            return (Vec::new(), Vec::new());
        };
        let declarations = parameters(&self.machine.inputs, &event.text);
        let names = self
            .machine
            .inputs
            .iter()
            .filter(|input| input.name.text == event.text)
            .flat_map(|input| input.parameters.iter().map(|(name, _)| name.text.clone()))
            .collect();
        (declarations, names)
    }

    fn is_wired(&self, role: ClassRole) -> bool {
        role != ClassRole::Alone && super::network::needs_wire(self.chart, self.machine)
    }

    /// What others call: receiving, wiring, and what the network's clock asks.
    fn role_methods(&mut self, role: ClassRole, has_start: bool) {
        let words = self.words.clone();
        if self.layout.receives {
            self.methods.push(MethodText {
                remark: "An event comes from another object.".to_owned(),
                name: words.receive.clone(),
                parameters: vec![format!("event: {}", words.event)],
                result: None,
                locals: Vec::new(),
                body: CodeText::quiet(format!("{inbox} := {inbox} + [event]", inbox = words.inbox)),
            });
        }
        if self.is_wired(role) {
            let wire = super::network::wire_method(self.chart, self.machine, &words);
            self.methods.push(wire);
        }
        if !self.layout.timers.is_empty() {
            let clock = self.clock_methods();
            self.methods.extend(clock);
        }
        if role == (ClassRole::Member { timed: true }) {
            let idle = self.idle_method(has_start);
            self.methods.push(idle);
        }
    }

    fn idle_method(&self, has_start: bool) -> MethodText {
        let words = &self.words;
        let mut conditions = Vec::new();
        if has_start {
            let root = &self.layout.regions[&StateId::ROOT];
            conditions.push(format!(
                "{} <> {}.{}",
                root.variable, root.kind, root.inactive
            ));
        }
        if self.layout.raises {
            conditions.push(format!("len {} = 0", words.queue));
        }
        if self.layout.has_inbox() {
            conditions.push(format!("len {} = 0", words.inbox));
        }
        if !self.layout.timers.is_empty() {
            conditions.push(format!(
                "(forall i: {}: ({}[i] <> 0))",
                words.timer_index, words.timers
            ));
        }
        let mut enabled = Vec::new();
        for (source, transition) in self.machine.transitions() {
            if transition.trigger == Trigger::Eventless {
                let mut needs: Vec<String> = Vec::new();
                needs.extend(self.layout.active(self.machine, source));
                needs.extend(transition.guard.as_ref().map(|guard| self.guard(guard)));
                enabled.push(format!("({})", all_of(&needs)));
            }
        }
        if !enabled.is_empty() {
            conditions.push(format!("not {}", any_of(&enabled)));
        }
        MethodText {
            remark: "Nothing is left to do without an input or time.".to_owned(),
            name: words.idle.clone(),
            parameters: Vec::new(),
            result: Some("bool".to_owned()),
            locals: Vec::new(),
            body: CodeText::quiet(format!("result := {}", all_of(&conditions))),
        }
    }

    /// The active children at the start, if entering them does nothing but set variables.
    fn static_start(&self) -> Option<BTreeMap<StateId, StateId>> {
        let mut active = BTreeMap::new();
        let free = self.chart.instances.is_empty()
            || !super::network::needs_wire(self.chart, self.machine);
        // Where a machine starts can't be changed in a variable's first value.
        let free = free && self.variants.starts.is_empty();
        (free && self.walk_start(StateId::ROOT, &mut active)).then_some(active)
    }

    fn walk_start(&self, id: StateId, active: &mut BTreeMap<StateId, StateId>) -> bool {
        let state = self.machine.state(id);
        let timed = state
            .transitions
            .iter()
            .any(|transition| matches!(transition.trigger, Trigger::After(..)));
        if !state.entry.is_empty() || timed {
            return false;
        }
        match state.kind {
            StateKind::Atomic => true,
            StateKind::Parallel => self
                .machine
                .active_children(id)
                .all(|region| self.walk_start(region, active)),
            StateKind::Compound => {
                let start = self.machine.start(id);
                let [target] = start.targets.as_slice() else {
                    return false;
                };
                let child = self.machine.state(*target).parent == Some(id);
                active.insert(id, *target);
                child && start.actions.is_empty() && self.walk_start(*target, active)
            }
            // The rest needs more than variables, or is gone by now.
            _ => false,
        }
    }

    fn text(
        &self,
        role: ClassRole,
        start: Option<BTreeMap<StateId, StateId>>,
        acts: &[Act],
        ranks: &[Vec<String>],
    ) -> String {
        let mut out = String::new();
        let system = if role == ClassRole::Alone {
            "autocons system"
        } else {
            "system"
        };
        let _ = writeln!(out, "  {} = {system}\n  |[", mark(&self.machine.name));
        let variables = self.variables(role, &start.unwrap_or_default());
        let _ = writeln!(
            out,
            "    var\n      {}",
            variables
                .iter()
                .map(|(remark, line)| if remark.is_empty() {
                    line.clone()
                } else {
                    format!("# {remark}\n      {line}")
                })
                .collect::<Vec<_>>()
                .join(";\n      ")
        );
        if !self.methods.is_empty() {
            let methods: Vec<String> = self.methods.iter().map(print_method).collect();
            let _ = writeln!(out, "    methods\n{}", methods.join(";\n"));
        }
        if !acts.is_empty() {
            let acts: Vec<String> = acts.iter().map(print_act).collect();
            let _ = writeln!(out, "    actions\n{}", acts.join(";\n"));
        }
        let ranks: Vec<String> = ranks
            .iter()
            .map(|rank| format!("      {}", rank.join(" []\n      ")))
            .collect();
        let _ = write!(out, "    do\n{}\n    od\n  ]|", ranks.join("\n      //\n"));
        out
    }

    fn variables(
        &self,
        role: ClassRole,
        start: &BTreeMap<StateId, StateId>,
    ) -> Vec<(String, String)> {
        let words = &self.words;
        let mut lines = Vec::new();
        for (id, region) in &self.layout.regions {
            let value = start
                .get(id)
                .map_or(region.inactive.as_str(), |&child| self.name(child));
            lines.push((
                format!("Which state of {} is active.", self.name(*id)),
                format!("{} : {k} = {k}.{value}", region.variable, k = region.kind),
            ));
            if let Some(last) = &region.last {
                lines.push((
                    format!("Which state of {} was active last.", self.name(*id)),
                    format!("{last} : {k} = {k}.{}", region.inactive, k = region.kind),
                ));
            }
        }
        if !self.layout.timers.is_empty() {
            let count = self.layout.timers.len();
            lines.push((
                "What is left of each timer: -1 stands, 0 has run out.".to_owned(),
                format!(
                    "{} : list[{count}] of {} = [{}]",
                    words.timers,
                    words.time,
                    vec!["-1"; count].join(", ")
                ),
            ));
        }
        let queue = self.machine.queue;
        if self.layout.raises {
            lines.push((
                "Events raised and not yet handled.".to_owned(),
                format!("{} : list[{queue}] of {} = []", words.queue, words.event),
            ));
        }
        if self.layout.has_inbox() {
            lines.push((
                "Events that were sent to the machine.".to_owned(),
                format!("{} : list[{queue}] of {} = []", words.inbox, words.event),
            ));
        }
        for data in &self.machine.data {
            let value = data.value.as_ref().map_or(String::new(), |value| {
                format!(" = {}", self.expression(value))
            });
            let line = format!("{} : {}{value}", mark(&data.name), mark(&data.kind));
            lines.push((String::new(), line));
        }
        for reference in &self.machine.references {
            let line = format!(
                "{} : {} = nil",
                mark(&reference.name),
                mark(&reference.class)
            );
            lines.push((String::new(), line));
        }
        if self.is_wired(role) {
            lines.push((
                "Whether references and first values were set.".to_owned(),
                format!("{} : bool = false", words.wired),
            ));
        }
        lines
    }
}

/// `name: type` for each parameter of a declared input or observation.
fn parameters(signatures: &[Signature], wanted: &str) -> Vec<String> {
    signatures
        .iter()
        .filter(|signature| signature.name.text == wanted)
        .flat_map(|signature| &signature.parameters)
        .map(|(name, kind)| format!("{}: {}", mark(name), mark(kind)))
        .collect()
}

/// An action's body must be one guarded command.
fn as_guarded(code: CodeText) -> CodeText {
    match code {
        when @ CodeText::When(..) => when,
        CodeText::Remark(remark, inner) if matches!(*inner, CodeText::When(..)) => {
            CodeText::Remark(remark, inner)
        }
        other => CodeText::when("true", other),
    }
}

/// A method as text.
pub fn print_method(method: &MethodText) -> String {
    let parameters = match method.parameters.is_empty() {
        true => String::new(),
        false => format!("({})", method.parameters.join("; ")),
    };
    let result = method
        .result
        .as_ref()
        .map_or(String::new(), |kind| format!(": {kind}"));
    format!(
        "      # {}\n      {}{parameters}{result} =\n{}{}\n      end",
        method.remark,
        method.name,
        print_locals(&method.locals),
        method.body.print(4)
    )
}

fn print_act(act: &Act) -> String {
    let remark = match act.remark.is_empty() {
        true => String::new(),
        false => format!("      # {}\n", act.remark),
    };
    let parameters = match act.parameters.is_empty() {
        true => String::new(),
        false => format!("({})", act.parameters.join("; ")),
    };
    let head = format!("{remark}      {}{}{parameters} =", act.label, act.name);
    match &act.body {
        CodeText::When(condition, body)
            if act.locals.is_empty() && condition == "true" && body.print(0) == "skip" =>
        {
            format!("{head} requires true: skip end")
        }
        body => format!("{head}\n{}{}", print_locals(&act.locals), body.print(4)),
    }
}

fn print_locals(locals: &[String]) -> String {
    match locals.is_empty() {
        true => String::new(),
        false => format!("        var {} begin\n", locals.join("; ")),
    }
}
