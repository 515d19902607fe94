//! UML's pseudostates: `[else]`, choices, junctions, forks and joins become ordinary states and transitions.
//!
//! A junction, and a choice behind an event with parameters, is joined with the arrows that lead to it; any other choice is a
//! state that is left at once. A fork enters several regions of a parallel state. Drawn without regions (as in most published
//! diagrams), the branches between a fork and its join become the regions of a parallel state that the drawing leaves out. A
//! join of explicit regions leaves their parallel state as soon as all its sources are active.

use super::chart::{
    ChartAction, ChartSpan, ChartStart, ChartText, ChartTransition, Machine, StateId, StateKind,
    TransitionReach, Trigger,
};
use super::problem::Collector;
use super::scxml::blank;
use std::collections::BTreeSet;

/// Leaves no fork, join, junction or choice in the machine.
pub fn resolve(machine: &mut Machine, collector: &mut Collector) {
    let all = |machine: &Machine, kind: StateKind| -> Vec<StateId> {
        let ids = machine.ids();
        ids.filter(|&id| machine.state(id).kind == kind).collect()
    };
    for id in machine.ids() {
        if is_passed(machine, id) {
            check_arrows(machine, id, collector);
        }
    }
    if !collector.is_empty() {
        return;
    }
    settle_guards(machine, collector);
    for fork in all(machine, StateKind::Fork) {
        settle_fork(machine, fork, collector);
    }
    for join in all(machine, StateKind::Join) {
        settle_join(machine, join, collector);
    }
    if collector.is_empty() {
        settle_choices(machine, collector);
        machine.renumber();
    }
}

fn is_passed(machine: &Machine, id: StateId) -> bool {
    use StateKind::{Choice, Fork, Join, Junction};
    matches!(machine.state(id).kind, Choice | Junction | Fork | Join)
}

fn word(kind: &StateKind) -> &'static str {
    match kind {
        StateKind::Choice => "choice",
        StateKind::Junction => "junction",
        StateKind::Fork => "fork",
        _ => "join",
    }
}

/// What is passed at once waits for nothing and leads somewhere.
fn check_arrows(machine: &Machine, id: StateId, collector: &mut Collector) {
    let state = machine.state(id);
    let (name, word) = (&state.name, word(&state.kind));
    let waits = |transition: &&ChartTransition| transition.trigger != Trigger::Eventless;
    if let Some(waits) = state.transitions.iter().find(waits) {
        collector.advise(
            waits.span.clone(),
            format!("the {word} `{}` waits for nothing", name.text),
            "leave the event out: `X --> A : [guard]`",
        );
    } else if state.transitions.is_empty() {
        collector.advise(
            name.span.clone(),
            format!("the {word} `{}` leads nowhere", name.text),
            "add arrows that leave it",
        );
    } else if state.kind == StateKind::Join && state.transitions.len() > 1 {
        collector.advise(
            state.transitions[1].span.clone(),
            format!("the join `{}` is left by several arrows", name.text),
            "let it lead to a choice, or to a fork",
        );
    }
    let guarded = state.transitions.iter().find(|t| t.guard.is_some());
    if let (Some(guarded), StateKind::Fork) = (guarded, &state.kind) {
        collector.advise(
            guarded.span.clone(),
            format!(
                "the fork `{}` takes all its arrows: they have no guards",
                name.text
            ),
            "use a `<<choice>>` to take one of them",
        );
    }
}

/// `[else]` holds where no other arrow with the same trigger does.
fn settle_guards(machine: &mut Machine, collector: &mut Collector) {
    for state in &mut machine.states {
        for at in 0..state.transitions.len() {
            let arrow = &state.transitions[at];
            let Some(guard) = arrow.guard.clone().filter(|guard| guard.text == "else") else {
                continue;
            };
            let others = state.transitions.iter().enumerate();
            let others = others.filter(|(other, transition)| {
                *other != at && same_trigger(&transition.trigger, &arrow.trigger)
            });
            let guards: Vec<Option<&ChartText>> =
                others.map(|(_, other)| other.guard.as_ref()).collect();
            let decided = |guard: &Option<&ChartText>| guard.is_none_or(|g| g.text == "else");
            if guards.is_empty() || guards.iter().any(decided) {
                collector.advise(
                    guard.span,
                    "there is nothing else",
                    "`else` needs other arrows from the same state with the same event, each with a guard",
                );
                return;
            }
            let not = guards.iter().flatten().map(|g| format!("not ({})", g.text));
            let text = not.collect::<Vec<_>>().join(" and ");
            state.transitions[at].guard = Some(ChartText::new(text, guard.span));
        }
    }
}

/// Whether two arrows wait for the same, wherever that is written.
fn same_trigger(one: &Trigger, other: &Trigger) -> bool {
    match (one, other) {
        (Trigger::Event(one), Trigger::Event(other)) => one.text == other.text,
        (Trigger::After(one, _), Trigger::After(other, _)) => one == other,
        _ => one == other,
    }
}

/// Takes what is passed at once out of its parent's children.
fn remove(machine: &mut Machine, id: StateId) {
    if let Some(parent) = machine.state(id).parent {
        machine.states[parent.0]
            .children
            .retain(|&child| child != id);
    }
}

/// Lets all that leads to `from` lead to `to`, doing `actions` on the way.
fn redirect(machine: &mut Machine, from: StateId, to: &[StateId], actions: &[ChartAction]) {
    let renew = |targets: &mut Vec<StateId>, done: &mut Vec<ChartAction>| {
        if let Some(at) = targets.iter().position(|&target| target == from) {
            targets.splice(at..=at, to.iter().copied());
            done.extend(actions.iter().cloned());
        }
    };
    for state in &mut machine.states {
        if let Some(start) = &mut state.initial {
            renew(&mut start.targets, &mut start.actions);
        }
        for transition in &mut state.transitions {
            renew(&mut transition.targets, &mut transition.actions);
        }
    }
}

fn settle_fork(machine: &mut Machine, fork: StateId, collector: &mut Collector) {
    let arrows = machine.state(fork).transitions.clone();
    let targets: Vec<StateId> = arrows.iter().flat_map(|t| t.targets.clone()).collect();
    let apart = targets.iter().enumerate().all(|(at, &one)| {
        let mut others = targets[at + 1..].iter();
        others.all(|&other| machine.parallel_of(one, other).is_some())
    });
    if apart {
        let actions: Vec<ChartAction> = arrows.into_iter().flat_map(|t| t.actions).collect();
        redirect(machine, fork, &targets, &actions);
        remove(machine, fork);
        return;
    }
    match branches(machine, fork, &targets) {
        Ok((branches, join)) => make_regions(machine, fork, &branches, join),
        Err((span, message)) => collector.advise(
            span,
            message,
            "let the branches of a fork meet at one `<<join>>` only, or draw them as the regions of a state (`--`)",
        ),
    }
}

/// The states of each branch between a fork and its join, beside each other in one state.
type Branches = Vec<(ChartTransition, BTreeSet<StateId>)>;

/// The child of the fork's parent that is `id` or holds it.
fn beside(machine: &Machine, fork: StateId, id: StateId) -> Option<StateId> {
    let holder = machine.state(fork).parent;
    let mut line = machine.line(id);
    line.find(|&id| machine.state(id).parent == holder)
}

fn branches(
    machine: &Machine,
    fork: StateId,
    targets: &[StateId],
) -> Result<(Branches, Option<StateId>), (ChartSpan, String)> {
    let name = &machine.state(fork).name;
    let mut found: Branches = Vec::new();
    let mut joins = BTreeSet::new();
    for (arrow, &target) in machine.state(fork).transitions.iter().zip(targets) {
        let Some(branch) = branch_from(machine, fork, target, &mut joins) else {
            let message = format!(
                "a branch of the fork `{}` leads out of what it forks",
                name.text
            );
            return Err((arrow.span.clone(), message));
        };
        let mut others = found
            .iter()
            .flat_map(|(_, other)| other.intersection(&branch));
        if let Some(shared) = others.next() {
            let place = &machine.state(*shared).name;
            let message = format!(
                "branches of the fork `{}` meet at `{}`, which is no join",
                name.text, place.text
            );
            return Err((place.span.clone(), message));
        }
        found.push((arrow.clone(), branch));
    }
    if let Some(foreign_arrow) = foreign_arrow(machine, fork, &found) {
        return Err(foreign_arrow);
    }
    match joins.len() {
        0 | 1 => Ok((found, joins.into_iter().next())),
        _ => Err((
            name.span.clone(),
            format!(
                "the branches of the fork `{}` end in different places",
                name.text
            ),
        )),
    }
}

/// All that can be reached from `target` without passing a join or an end; `None` if that leaves the fork's parent.
fn branch_from(
    machine: &Machine,
    fork: StateId,
    target: StateId,
    joins: &mut BTreeSet<StateId>,
) -> Option<BTreeSet<StateId>> {
    let mut branch = BTreeSet::new();
    let mut waiting = vec![target];
    while let Some(id) = waiting.pop() {
        let outer = beside(machine, fork, id)?;
        let kind = &machine.state(outer).kind;
        if *kind == StateKind::Join || *kind == StateKind::Final {
            joins.insert(outer);
        } else if branch.insert(outer) {
            for id in machine.ids().filter(|&id| machine.within(id, outer)) {
                let arrows = &machine.state(id).transitions;
                waiting.extend(arrows.iter().flat_map(|t| t.targets.iter().copied()));
            }
        }
    }
    Some(branch)
}

/// An arrow into a branch that does not come from the fork.
fn foreign_arrow(
    machine: &Machine,
    fork: StateId,
    branches: &Branches,
) -> Option<(ChartSpan, String)> {
    let inside = |id: StateId| branches.iter().any(|(_, branch)| branch.contains(&id));
    let message = |id: StateId| {
        format!(
            "`{}` stands behind the fork `{}`, but is entered from elsewhere too",
            machine.state(id).name.text,
            machine.state(fork).name.text
        )
    };
    let holder = machine.state(fork).parent.unwrap_or(StateId::ROOT);
    let start = machine.state(holder).initial.as_ref();
    let mut started = start.into_iter().flat_map(|start| &start.targets);
    if let Some(&id) = started.find(|&&id| inside(id)) {
        return Some((machine.state(id).name.span.clone(), message(id)));
    }
    machine.transitions().find_map(|(source, transition)| {
        let mut into = transition
            .targets
            .iter()
            .filter_map(|&id| beside(machine, fork, id));
        let id = into.find(|&id| inside(id))?;
        let from = beside(machine, fork, source);
        let intrudes = from != Some(fork) && from.is_none_or(|from| !inside(from));
        intrudes.then(|| (transition.span.clone(), message(id)))
    })
}

/// A parallel state in place of a fork, with a region for each branch.
fn make_regions(machine: &mut Machine, fork: StateId, branches: &Branches, join: Option<StateId>) {
    let Some(holder) = machine.state(fork).parent else {
        return;
    };
    let name = machine.state(fork).name.clone();
    let add = |machine: &mut Machine, suffix: &str, parent: StateId, kind: StateKind| {
        let id = StateId(machine.states.len());
        let text = free(machine, &format!("{}_{suffix}", name.text));
        let state = blank(ChartText::new(text, name.span.clone()), Some(parent), kind);
        machine.states.push(state);
        machine.states[parent.0].children.push(id);
        id
    };
    let parallel = add(machine, "branches", holder, StateKind::Parallel);
    for (number, (arrow, branch)) in branches.iter().enumerate() {
        let suffix = format!("{}", number + 1);
        let region = add(machine, &suffix, parallel, StateKind::Compound);
        let targets = arrow.targets.clone();
        let actions = arrow.actions.clone();
        machine.states[region.0].initial = Some(ChartStart {
            span: arrow.span.clone(),
            targets,
            actions,
        });
        for &id in branch {
            remove(machine, id);
            machine.states[id.0].parent = Some(region);
            machine.states[region.0].children.push(id);
        }
        let Some(join) = join else { continue };
        let end = add(machine, &format!("{suffix}_end"), region, StateKind::Final);
        let inside: Vec<StateId> = machine
            .ids()
            .filter(|&id| machine.within(id, region))
            .collect();
        for id in inside {
            let transitions = &mut machine.states[id.0].transitions;
            for target in transitions.iter_mut().flat_map(|t| &mut t.targets) {
                if *target == join {
                    *target = end;
                }
            }
        }
    }
    redirect(machine, fork, &[parallel], &[]);
    remove(machine, fork);
    let Some(join) = join else { return };
    let passed = machine.state(join).transitions.first().cloned();
    let (targets, actions) = match passed {
        Some(passed) => (passed.targets, passed.actions),
        None => (vec![join], Vec::new()),
    };
    if machine.state(join).kind == StateKind::Join {
        remove(machine, join);
        machine.states[join.0].kind = StateKind::Atomic;
    }
    machine.states[parallel.0]
        .transitions
        .push(ChartTransition {
            span: name.span.clone(),
            trigger: Trigger::Done(parallel),
            guard: None,
            actions,
            targets,
            reach: TransitionReach::External,
        });
}

/// A name that no state has.
fn free(machine: &Machine, wanted: &str) -> String {
    let mut name = wanted.to_owned();
    while machine.find(&name).is_some() {
        name.push('_');
    }
    name
}

/// A join of regions: their parallel state is left once all sources are active.
fn settle_join(machine: &mut Machine, join: StateId, collector: &mut Collector) {
    if machine
        .state(join)
        .parent
        .is_some_and(|parent| !machine.state(parent).children.contains(&join))
    {
        // A fork took it.
        return;
    }
    let name = machine.state(join).name.clone();
    let mut sources: Vec<StateId> = Vec::new();
    let mut conditions = Vec::new();
    let mut actions = Vec::new();
    for (source, arrow) in machine.transitions().filter(|(_, t)| t.targets == [join]) {
        if !matches!(arrow.trigger, Trigger::Eventless | Trigger::Done(_)) {
            collector.advise(
                arrow.span.clone(),
                format!("an arrow to the join `{}` waits for an event", name.text),
                "lead the event's arrow to a state of its own, and that state to the join",
            );
        }
        let ends = machine.active_children(source);
        let ends = ends.filter(|&child| machine.state(child).kind == StateKind::Final);
        let mut active: Vec<String> = ends.map(|end| is_in(machine, end)).collect();
        if active.is_empty() && machine.active_children(source).next().is_some() {
            collector.advise(
                arrow.span.clone(),
                format!(
                    "`{}` never comes to its end",
                    machine.state(source).name.text
                ),
                "give it a final state, or lead the arrow from a state inside it",
            );
        }
        if active.is_empty() {
            active.push(is_in(machine, source));
        }
        conditions.push(format!("({})", active.join(" or ")));
        conditions.extend(
            arrow
                .guard
                .as_ref()
                .map(|guard| format!("({})", guard.text)),
        );
        actions.extend(arrow.actions.iter().cloned());
        sources.push(source);
    }
    let parallel = parallel_of_all(machine, &sources);
    let (Some(parallel), Some(passed)) =
        (parallel, machine.state(join).transitions.first().cloned())
    else {
        collector.advise(
            name.span.clone(),
            format!("the sources of the join `{}` are never active together", name.text),
            "a join has several sources, in different regions of one state or behind one `<<fork>>`",
        );
        return;
    };
    for source in sources {
        machine.states[source.0]
            .transitions
            .retain(|t| t.targets != [join]);
    }
    actions.extend(passed.actions);
    machine.states[parallel.0]
        .transitions
        .push(ChartTransition {
            span: passed.span,
            trigger: Trigger::Eventless,
            guard: Some(ChartText::new(conditions.join(" and "), name.span)),
            actions,
            targets: passed.targets,
            reach: TransitionReach::External,
        });
    remove(machine, join);
}

/// The parallel state whose regions hold one source each.
fn parallel_of_all(machine: &Machine, sources: &[StateId]) -> Option<StateId> {
    let (first, rest) = sources.split_first()?;
    let found = machine.parallel_of(*first, *rest.first()?)?;
    let apart = |one: StateId, other: StateId| machine.parallel_of(one, other) == Some(found);
    let pairs = sources.iter().enumerate();
    let mut pairs = pairs.flat_map(|(at, &one)| sources[at + 1..].iter().map(move |&o| (one, o)));
    pairs.all(|(one, other)| apart(one, other)).then_some(found)
}

fn is_in(machine: &Machine, id: StateId) -> String {
    format!("In({})", machine.state(id).name.text)
}

/// Arrows through junctions; more are a ring, or paths that nobody can follow.
const MOST_JOINED: usize = 2_000;

/// Junctions, and choices that need their event's parameters, are joined with the arrows that lead to them; other choices are
/// states that are left at once.
fn settle_choices(machine: &mut Machine, collector: &mut Collector) {
    // Each round joins one arrow with one choice; a ring of choices would never end.
    for _ in 0..MOST_JOINED {
        let Some((source, at, choice)) = next_to_join(machine) else {
            settle_kept_choices(machine);
            unreached_junctions(machine, collector);
            return;
        };
        if source == choice {
            break;
        }
        let arrow = machine.states[source.0].transitions.remove(at);
        if machine.state(choice).kind == StateKind::Choice && changes(machine, &arrow.actions) {
            collector.advise(
                arrow.span.clone(),
                format!(
                    "the choice `{}` asks for parameters of an event whose arrow changes variables first",
                    machine.state(choice).name.text
                ),
                "keep what the choice needs in a variable, or let the arrow behind the choice change it",
            );
            return;
        }
        let behind = machine.state(choice).transitions.clone();
        for (offset, next) in behind.into_iter().enumerate() {
            let guards = [&arrow.guard, &next.guard];
            let guards: Vec<&ChartText> = guards.into_iter().flatten().collect();
            let guard = match guards.as_slice() {
                [] => None,
                [one] => Some((*one).clone()),
                many => Some(ChartText::new(
                    format!("({}) and ({})", many[0].text, many[1].text),
                    many[1].span.clone(),
                )),
            };
            let joined = ChartTransition {
                span: next.span.clone(),
                trigger: arrow.trigger.clone(),
                guard,
                actions: [arrow.actions.clone(), next.actions].concat(),
                targets: next.targets,
                reach: arrow.reach,
            };
            machine.states[source.0]
                .transitions
                .insert(at + offset, joined);
        }
    }
    let ring = machine
        .ids()
        .find(|&id| machine.state(id).kind == StateKind::Junction);
    let name = machine.state(ring.unwrap_or(StateId::ROOT)).name.clone();
    collector.advise(
        name.span,
        format!(
            "`{}` leads back to itself without a state in between, or is on more than {MOST_JOINED} ways",
            name.text
        ),
        "let one of its arrows lead to a state",
    );
}

/// What no arrow leads to any more is gone; other choices are states.
fn settle_kept_choices(machine: &mut Machine) {
    let choices = |machine: &Machine| {
        let ids = machine.ids();
        ids.filter(|&id| machine.state(id).kind == StateKind::Choice)
            .collect::<Vec<_>>()
    };
    while let Some(id) = choices(machine)
        .into_iter()
        .find(|&id| !leads_to(machine, id))
    {
        remove(machine, id);
        machine.states[id.0].kind = StateKind::Atomic;
        machine.states[id.0].transitions.clear();
    }
    for id in choices(machine) {
        machine.states[id.0].kind = StateKind::Atomic;
    }
}

fn leads_to(machine: &Machine, id: StateId) -> bool {
    machine.states.iter().any(|state| {
        let starts = state.initial.iter().flat_map(|start| &start.targets);
        let arrows = state.transitions.iter().flat_map(|t| &t.targets);
        starts.chain(arrows).any(|&target| target == id)
    })
}

/// Junctions are gone once every arrow to them was joined; those in a start need an arrow without a guard.
fn unreached_junctions(machine: &mut Machine, collector: &mut Collector) {
    let junctions: Vec<StateId> = machine
        .ids()
        .filter(|&id| machine.state(id).kind == StateKind::Junction)
        .collect();
    for junction in junctions {
        let starts = machine
            .states
            .iter()
            .filter_map(|state| state.initial.as_ref());
        let starts = starts
            .filter(|start| start.targets.contains(&junction))
            .count();
        if starts == 0 {
            remove(machine, junction);
            continue;
        }
        match machine.state(junction).transitions.as_slice() {
            [one] if one.guard.is_none() => {
                let one = one.clone();
                redirect(machine, junction, &one.targets, &one.actions);
                remove(machine, junction);
            }
            // A start's guards are looked at with the state entered.
            _ if collector.is_empty() => machine.states[junction.0].kind = StateKind::Atomic,
            _ => {}
        }
    }
}

/// An arrow (by source and place) that is to be joined with the junction or choice that it leads to.
fn next_to_join(machine: &Machine) -> Option<(StateId, usize, StateId)> {
    for id in machine.ids() {
        for (at, arrow) in machine.state(id).transitions.iter().enumerate() {
            let [target] = arrow.targets.as_slice() else {
                continue;
            };
            let joined = match machine.state(*target).kind {
                StateKind::Junction => true,
                StateKind::Choice => needs_parameters(machine, arrow, *target),
                _ => false,
            };
            if joined {
                return Some((id, at, *target));
            }
        }
    }
    None
}

/// Whether the arrows behind a choice name parameters of the event that leads to it.
fn needs_parameters(machine: &Machine, arrow: &ChartTransition, choice: StateId) -> bool {
    let Trigger::Event(event) = &arrow.trigger else {
        return false;
    };
    let inputs = machine.inputs.iter();
    let parameters: Vec<&str> = inputs
        .filter(|input| input.name.text == event.text)
        .flat_map(|input| input.parameters.iter().map(|(name, _)| name.text.as_str()))
        .collect();
    let names = |text: &ChartText| {
        let mut words = text
            .text
            .split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.any(|word| parameters.contains(&word))
    };
    // Choices behind choices.
    let mut seen = BTreeSet::from([choice]);
    let mut waiting = vec![choice];
    while let Some(id) = waiting.pop() {
        for next in &machine.state(id).transitions {
            if next.guard.as_ref().is_some_and(names) || texts(&next.actions).into_iter().any(names)
            {
                return true;
            }
            let further = next.targets.iter().copied();
            let further = further.filter(|&id| machine.state(id).kind == StateKind::Choice);
            waiting.extend(further.filter(|&id| seen.insert(id)));
        }
    }
    false
}

fn texts(actions: &[ChartAction]) -> Vec<&ChartText> {
    let mut found = Vec::new();
    for action in actions {
        match action {
            ChartAction::Observe { arguments, .. } => found.extend(arguments),
            ChartAction::Assign { value, .. } => found.push(value),
            ChartAction::Statement(text) => found.push(text),
            ChartAction::If(branches) => {
                for (condition, inner) in branches {
                    found.extend(condition);
                    found.extend(texts(inner));
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether conditions may have other values after these actions, or after what is done on leaving a state.
fn changes(machine: &Machine, actions: &[ChartAction]) -> bool {
    let assigns = |action: &ChartAction| {
        matches!(
            action,
            ChartAction::Assign { .. } | ChartAction::Statement(_) | ChartAction::If(_)
        )
    };
    actions.iter().any(assigns) || machine.states.iter().any(|s| s.exit.iter().any(assigns))
}
