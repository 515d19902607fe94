//! What both front ends leave to be checked on the finished chart: names, starts, targets, events, observations, references, instances.

use super::chart::{
    Chart, ChartAction, ChartStart, ChartText, ChartTransition, Data, Machine, StateId, StateKind,
    Trigger,
};
use super::names;
use super::problem::Collector;
use super::translate::in_predicates;
use std::collections::{BTreeMap, BTreeSet};

/// Notes everything that is wrong with the chart.
pub fn check(chart: &Chart, collector: &mut Collector) {
    let mut classes = BTreeMap::new();
    for machine in &chart.machines {
        unique(&machine.name, "class", &mut classes, collector);
        check_machine(chart, machine, collector);
    }
    check_instances(chart, collector);
}

/// A good name that was not used before among `seen`.
fn unique<'a>(
    name: &'a ChartText,
    what: &str,
    seen: &mut BTreeMap<&'a str, ()>,
    collector: &mut Collector,
) {
    good_name(name, what, collector);
    if seen.insert(&name.text, ()).is_some() {
        collector.advise(
            name.span.clone(),
            format!("there are two {what}s called `{}`", name.text),
            "rename one of them",
        );
    }
}

fn good_name(name: &ChartText, what: &str, collector: &mut Collector) {
    if !name.text.is_empty() && !names::is_name(&name.text) {
        collector.advise(
            name.span.clone(),
            format!(
                "`{}` cannot be the name of {} {what}",
                name.text,
                article(what)
            ),
            names::name_advice(&name.text),
        );
    }
}

fn article(noun: &str) -> &'static str {
    match noun.starts_with(['a', 'e', 'i', 'o', 'u']) {
        true => "an",
        false => "a",
    }
}

fn check_machine(chart: &Chart, machine: &Machine, collector: &mut Collector) {
    if machine.state(StateId::ROOT).children.is_empty() {
        collector.advise(
            machine.name.span.clone(),
            format!("the machine `{}` has no states", machine.name.text),
            "declare at least one",
        );
    }
    let mut names = BTreeMap::new();
    for state in &machine.states[1..] {
        unique(&state.name, "state", &mut names, collector);
    }
    let mut variables = BTreeMap::new();
    let data = machine.data.iter().map(|data: &Data| &data.name);
    let references = machine.references.iter().map(|reference| &reference.name);
    for name in data.chain(references) {
        unique(name, "variable", &mut variables, collector);
    }
    for signature in machine.inputs.iter().chain(&machine.outputs) {
        let mut parameters = BTreeMap::new();
        for (name, _) in &signature.parameters {
            unique(name, "parameter", &mut parameters, collector);
        }
    }
    for id in machine.ids() {
        check_state(machine, id, collector);
    }
    for (source, transition) in machine.transitions() {
        check_transition(machine, source, transition, collector);
    }
    check_events(chart, machine, collector);
    for text in expressions(machine) {
        check_in(machine, text, collector);
    }
}

fn check_state(machine: &Machine, id: StateId, collector: &mut Collector) {
    let state = machine.state(id);
    if let Some(start) = &state.initial {
        check_start(machine, id, start, collector);
    }
    let bad = match state.kind {
        StateKind::Parallel => match machine.active_children(id).count() {
            0 => Some(("a parallel state needs regions", "put states into it")),
            _ => None,
        },
        StateKind::History(_) => {
            let parent = state.parent.unwrap_or(StateId::ROOT);
            match machine.active_children(parent).count() {
                0 => Some((
                    "this history has nothing to remember",
                    "put it beside the states it is to remember",
                )),
                _ => None,
            }
        }
        _ => None,
    };
    if let Some((message, advice)) = bad {
        collector.advise(state.name.span.clone(), message, advice);
    }
    let final_region = state.kind == StateKind::Final
        && state
            .parent
            .is_some_and(|parent| machine.state(parent).kind == StateKind::Parallel);
    if final_region {
        collector.advise(
            state.name.span.clone(),
            "a region of a parallel state cannot be a final state",
            "put the final state into the region that it ends",
        );
    }
}

fn check_start(machine: &Machine, id: StateId, start: &ChartStart, collector: &mut Collector) {
    let state = machine.state(id);
    let (holder, what) = match state.kind {
        StateKind::History(_) => (state.parent.unwrap_or(StateId::ROOT), "history"),
        _ => (id, "state"),
    };
    for &target in &start.targets {
        if target == holder || !machine.within(target, holder) {
            collector.advise(
                state.name.span.clone(),
                format!(
                    "the {what} `{}` cannot start in `{}`, which is not inside `{}`",
                    state.name.text,
                    machine.state(target).name.text,
                    machine.state(holder).name.text
                ),
                "name a state inside it",
            );
        }
    }
    check_active_at_once(machine, &start.targets, &state.name.span, collector);
}

/// Several targets must be able to be active at once.
fn check_active_at_once(
    machine: &Machine,
    targets: &[StateId],
    span: &super::chart::ChartSpan,
    collector: &mut Collector,
) {
    for (at, &one) in targets.iter().enumerate() {
        for &other in &targets[at + 1..] {
            let start = machine
                .line(one)
                .find(|&id| machine.within(other, id))
                .unwrap_or(StateId::ROOT);
            let nested = start == one || start == other;
            if nested || machine.state(start).kind != StateKind::Parallel {
                collector.advise(
                    span.clone(),
                    format!(
                        "`{}` and `{}` are never active together",
                        machine.state(one).name.text,
                        machine.state(other).name.text
                    ),
                    "several targets must lie in different regions of one parallel state",
                );
            }
        }
    }
}

fn check_transition(
    machine: &Machine,
    source: StateId,
    transition: &ChartTransition,
    collector: &mut Collector,
) {
    check_active_at_once(machine, &transition.targets, &transition.span, collector);
    match machine.state(source).kind {
        StateKind::Final | StateKind::History(_) => collector.advise(
            transition.span.clone(),
            format!("nothing leaves from `{}`", machine.state(source).name.text),
            "let the transition leave from an ordinary state",
        ),
        _ => {}
    }
    if transition.trigger == Trigger::Eventless
        && transition.guard.is_none()
        && (transition.targets.is_empty() || transition.targets == [source])
    {
        collector.advise(
            transition.span.clone(),
            "this transition without trigger and guard would be taken for ever",
            "give it an event, a time or a condition",
        );
    }
    if let Trigger::Done(state) = transition.trigger
        && !can_end(machine, state)
    {
        collector.advise(
            transition.span.clone(),
            format!(
                "`{}` never comes to its end",
                machine.state(state).name.text
            ),
            "give it (or each of its regions) a final state, or the transition a trigger",
        );
    }
}

fn can_end(machine: &Machine, state: StateId) -> bool {
    let has_final = |id: StateId| {
        machine
            .active_children(id)
            .any(|child| machine.state(child).kind == StateKind::Final)
    };
    match machine.state(state).kind {
        StateKind::Parallel => machine.active_children(state).all(has_final),
        _ => has_final(state),
    }
}

/// The events that the machine waits for.
fn awaited(machine: &Machine) -> BTreeSet<&str> {
    machine
        .transitions()
        .filter_map(|(_, transition)| match &transition.trigger {
            Trigger::Event(event) => Some(event.text.as_str()),
            _ => None,
        })
        .collect()
}

fn check_events(chart: &Chart, machine: &Machine, collector: &mut Collector) {
    let awaited_here = awaited(machine);
    for (_, transition) in machine.transitions() {
        if let Trigger::Event(event) = &transition.trigger {
            good_name(event, "event", collector);
        }
    }
    let own = |event: &ChartText, collector: &mut Collector| {
        expect_event(event, &awaited_here, "this machine", collector);
        let with_parameters = machine
            .inputs
            .iter()
            .any(|input| input.name.text == event.text && !input.parameters.is_empty());
        if with_parameters {
            collector.advise(
                event.span.clone(),
                format!(
                    "`{}` has parameters, which only the tester can give",
                    event.text
                ),
                "use an event without parameters inside the model",
            );
        }
    };
    let mut delays: BTreeMap<&str, &str> = BTreeMap::new();
    for action in machine.actions() {
        match action {
            ChartAction::Raise(event) | ChartAction::SendSelf(event) => own(event, collector),
            ChartAction::Delay { event, id, .. } => {
                own(event, collector);
                good_name(id, "delayed send", collector);
                let first = *delays.entry(&id.text).or_insert(&event.text);
                if first != event.text {
                    collector.advise(
                        id.span.clone(),
                        format!("`{}` already stands for the delayed `{first}`", id.text),
                        "give each delayed event an id of its own",
                    );
                }
            }
            ChartAction::Send { event, to } => check_send(chart, machine, event, to, collector),
            ChartAction::Observe { name, arguments } => {
                check_observation(machine, name, arguments, &awaited_here, collector);
            }
            _ => {}
        }
    }
    for action in machine.actions() {
        if let ChartAction::Cancel(id) = action
            && !delays.contains_key(id.text.as_str())
        {
            collector.advise(
                id.span.clone(),
                format!("no delayed `<send>` is called `{}`", id.text),
                names::meant(&id.text, delays.keys().copied(), "there is none at all"),
            );
        }
    }
    for input in &machine.inputs {
        expect_event(&input.name, &awaited_here, "this machine", collector);
    }
}

fn expect_event(event: &ChartText, awaited: &BTreeSet<&str>, who: &str, collector: &mut Collector) {
    good_name(event, "event", collector);
    if !awaited.contains(event.text.as_str()) {
        collector.advise(
            event.span.clone(),
            format!("no transition of {who} waits for `{}`", event.text),
            names::meant(
                &event.text,
                awaited.iter().copied(),
                "it waits for no event",
            ),
        );
    }
}

fn check_send(
    chart: &Chart,
    machine: &Machine,
    event: &ChartText,
    to: &ChartText,
    collector: &mut Collector,
) {
    let reference = machine.references.iter().find(|r| r.name.text == to.text);
    let Some(reference) = reference else {
        let known = machine.references.iter().map(|r| r.name.text.as_str());
        collector.advise(
            to.span.clone(),
            format!("`{}` refers to no other object", to.text),
            names::meant(
                &to.text,
                known,
                "declare a reference to the other object first",
            ),
        );
        return;
    };
    let receiver = chart
        .machines
        .iter()
        .find(|m| m.name.text == reference.class.text);
    if let Some(receiver) = receiver {
        let who = format!("`{}`", receiver.name.text);
        expect_event(event, &awaited(receiver), &who, collector);
    }
}

fn check_observation(
    machine: &Machine,
    name: &ChartText,
    arguments: &[ChartText],
    awaited: &BTreeSet<&str>,
    collector: &mut Collector,
) {
    good_name(name, "observation", collector);
    if awaited.contains(name.text.as_str()) {
        collector.advise(
            name.span.clone(),
            format!(
                "`{}` is shown to the tester, but this machine waits for it too",
                name.text
            ),
            "raise it if it is meant for the machine itself, else rename one of the two",
        );
    }
    let declared = machine
        .outputs
        .iter()
        .find(|output| output.name.text == name.text);
    let wanted = declared.map_or(0, |output| output.parameters.len());
    if wanted != arguments.len() {
        collector.advise(
            name.span.clone(),
            format!(
                "`{}` is shown with {} values but declared with {wanted}",
                name.text,
                arguments.len()
            ),
            "declare the observation with its parameters and give a value for each",
        );
    }
}

fn check_instances(chart: &Chart, collector: &mut Collector) {
    if chart.instances.is_empty() {
        for machine in &chart.machines {
            for reference in &machine.references {
                collector.advise(
                    reference.name.span.clone(),
                    format!(
                        "`{}` can refer to nothing: there are no instances",
                        reference.name.text
                    ),
                    "list the objects of the network",
                );
            }
        }
        if let [_, second, ..] = chart.machines.as_slice() {
            collector.advise(
                second.name.span.clone(),
                "several machines need a list of their instances",
                "list the objects of the network",
            );
        }
    }
    for machine in &chart.machines {
        for reference in &machine.references {
            class_of(chart, &reference.class, collector);
        }
    }
    let mut names = BTreeMap::new();
    for instance in &chart.instances {
        unique(&instance.name, "instance", &mut names, collector);
        let Some(machine) = class_of(chart, &instance.class, collector) else {
            continue;
        };
        for reference in &machine.references {
            let bound = instance
                .bindings
                .iter()
                .any(|(name, _)| name.text == reference.name.text);
            if !bound {
                collector.advise(
                    instance.name.span.clone(),
                    format!(
                        "`{}` is not told whom `{}` refers to",
                        instance.name.text, reference.name.text
                    ),
                    format!(
                        "bind `{}` to an instance of `{}`",
                        reference.name.text, reference.class.text
                    ),
                );
            }
        }
        for (name, object) in &instance.bindings {
            check_binding(chart, machine, name, object, collector);
        }
        for (name, _) in &instance.values {
            if !machine.data.iter().any(|data| data.name.text == name.text) {
                let known = machine.data.iter().map(|data| data.name.text.as_str());
                collector.advise(
                    name.span.clone(),
                    format!("`{}` has no variable `{}`", machine.name.text, name.text),
                    names::meant(&name.text, known, "it has no variables"),
                );
            }
        }
    }
}

fn check_binding(
    chart: &Chart,
    machine: &Machine,
    name: &ChartText,
    object: &ChartText,
    collector: &mut Collector,
) {
    let reference = machine.references.iter().find(|r| r.name.text == name.text);
    let Some(reference) = reference else {
        let known = machine.references.iter().map(|r| r.name.text.as_str());
        collector.advise(
            name.span.clone(),
            format!("`{}` has no reference `{}`", machine.name.text, name.text),
            names::meant(&name.text, known, "it has no references"),
        );
        return;
    };
    let bound = chart.instances.iter().find(|i| i.name.text == object.text);
    match bound {
        None => {
            let known = chart.instances.iter().map(|i| i.name.text.as_str());
            collector.advise(
                object.span.clone(),
                format!("there is no instance `{}`", object.text),
                names::meant(&object.text, known, "there are no instances"),
            );
        }
        Some(bound) if bound.class.text != reference.class.text => collector.advise(
            object.span.clone(),
            format!(
                "`{}` is a `{}`, but `{}` refers to a `{}`",
                object.text, bound.class.text, name.text, reference.class.text
            ),
            format!("bind it to an instance of `{}`", reference.class.text),
        ),
        Some(_) => {}
    }
}

fn class_of<'a>(
    chart: &'a Chart,
    class: &ChartText,
    collector: &mut Collector,
) -> Option<&'a Machine> {
    let found = chart.machines.iter().find(|m| m.name.text == class.text);
    if found.is_none() {
        let known = chart.machines.iter().map(|m| m.name.text.as_str());
        collector.advise(
            class.span.clone(),
            format!("there is no class `{}`", class.text),
            names::meant(&class.text, known, "there are no classes"),
        );
    }
    found
}

/// Every expression in which `In(State)` may stand.
fn expressions(machine: &Machine) -> Vec<&ChartText> {
    let mut found: Vec<&ChartText> = Vec::new();
    for (_, transition) in machine.transitions() {
        found.extend(&transition.guard);
    }
    for action in machine.actions() {
        match action {
            ChartAction::Assign { value, .. } => found.push(value),
            ChartAction::If(branches) => {
                found.extend(branches.iter().filter_map(|(guard, _)| guard.as_ref()));
            }
            ChartAction::Observe { arguments, .. } => found.extend(arguments),
            _ => {}
        }
    }
    found
}

fn check_in(machine: &Machine, text: &ChartText, collector: &mut Collector) {
    for (_, name) in in_predicates(&text.text) {
        if machine.find(&name).is_none() {
            let known = machine.states.iter().skip(1).map(|s| s.name.text.as_str());
            collector.advise(
                text.span.clone(),
                format!("`In({name})` asks for a state that does not exist"),
                names::meant(&name, known, "no states are declared"),
            );
        }
    }
}
