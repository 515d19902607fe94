//! The network: the object that makes all others, wires them to each other, and lets time pass for all of them at once.

use super::class::print_method;
use super::code::CodeText;
use super::scope::mark;
use super::writer::{FixedNames, MethodText};
use crate::charts::chart::{Chart, Instance, Machine};
use std::fmt::Write as _;

/// Whether objects of the class get references or first values from outside.
pub fn needs_wire(chart: &Chart, machine: &Machine) -> bool {
    !machine.references.is_empty() || !set_values(chart, machine).is_empty()
}

/// Variables that some instance of the class starts with a value of its own.
fn set_values<'a>(chart: &Chart, machine: &'a Machine) -> Vec<&'a crate::charts::chart::Data> {
    let of_class = |instance: &&Instance| instance.class.text == machine.name.text;
    machine
        .data
        .iter()
        .filter(|data| {
            chart.instances.iter().filter(of_class).any(|instance| {
                instance
                    .values
                    .iter()
                    .any(|(name, _)| name.text == data.name.text)
            })
        })
        .collect()
}

/// The method that gives an object its references and first values.
pub fn wire_method(chart: &Chart, machine: &Machine, words: &FixedNames) -> MethodText {
    let mut parameters = Vec::new();
    let mut parts = Vec::new();
    let references = machine.references.iter().map(|r| (&r.name, &r.class));
    let values = set_values(chart, machine);
    let values = values.iter().map(|data| (&data.name, &data.kind));
    for (name, kind) in references.chain(values) {
        parameters.push(format!("its_{}: {}", name.text, mark(kind)));
        parts.push(CodeText::quiet(format!("{} := its_{0}", name.text)));
    }
    parts.push(CodeText::quiet(format!("{} := true", words.wired)));
    MethodText {
        remark: "The network says whom the object knows and how it starts.".to_owned(),
        name: words.wire.clone(),
        parameters,
        result: None,
        locals: Vec::new(),
        body: CodeText::sequence(parts),
    }
}

/// The network's class as text. `members` are the machines with their fixed names.
pub fn class(chart: &Chart, name: &str, members: &[(&Machine, FixedNames, bool)]) -> String {
    let mut out = String::new();
    let wired = chart
        .machines
        .iter()
        .any(|machine| needs_wire(chart, machine));
    let timed = members.iter().any(|(_, _, timed)| *timed);
    let _ = writeln!(
        out,
        "  # Makes the objects{}{}.",
        if wired {
            ", wires them to each other"
        } else {
            ""
        },
        if timed {
            " and lets time pass for all of them at once"
        } else {
            ""
        }
    );
    let _ = writeln!(out, "  {name} = autocons system\n  |[\n    var");
    let mut variables: Vec<String> = chart
        .instances
        .iter()
        .map(|instance| {
            let (name, class) = (mark(&instance.name), mark(&instance.class));
            format!(
                "      {name} : {class} = new({class}, \"{}\")",
                instance.name.text
            )
        })
        .collect();
    if wired {
        variables.push("      wiring_done : bool = false".to_owned());
    }
    let _ = writeln!(out, "{}", variables.join(";\n"));
    if timed {
        let methods = clock_methods(chart, members);
        let printed: Vec<String> = methods.iter().map(print_method).collect();
        let _ = writeln!(out, "    methods\n{}", printed.join(";\n"));
    }
    let (actions, calls) = actions(chart, members, wired, timed);
    if !actions.is_empty() {
        let _ = writeln!(out, "    actions\n{}", actions.join(";\n"));
    }
    let _ = write!(
        out,
        "    do\n      {}\n    od\n  ]|",
        calls.join(" []\n      ")
    );
    out
}

fn words_of<'a>(
    members: &'a [(&Machine, FixedNames, bool)],
    instance: &Instance,
) -> Option<&'a (&'a Machine, FixedNames, bool)> {
    // The tuple's lifetime is the slice's: callers only read names from it.
    members
        .iter()
        .find(|(machine, _, _)| machine.name.text == instance.class.text)
}

fn actions(
    chart: &Chart,
    members: &[(&Machine, FixedNames, bool)],
    wired: bool,
    timed: bool,
) -> (Vec<String>, Vec<String>) {
    let mut actions = Vec::new();
    let mut calls = Vec::new();
    if wired {
        let mut parts = Vec::new();
        for instance in &chart.instances {
            if let Some((machine, words, _)) = words_of(members, instance)
                && needs_wire(chart, machine)
            {
                let arguments = wire_arguments(chart, machine, instance);
                parts.push(CodeText::noticed(format!(
                    "{}.{}({})",
                    instance.name.text,
                    words.wire,
                    arguments.join(", ")
                )));
            }
        }
        parts.push(CodeText::quiet("wiring_done := true"));
        let body = CodeText::when("not wiring_done", CodeText::sequence(parts));
        actions.push(format!("      wire_up =\n{}", body.print(4)));
        calls.push("wire_up()".to_owned());
    }
    if timed && let Some((_, words, _)) = members.first() {
        let mut conditions: Vec<String> = chart
            .instances
            .iter()
            .filter_map(|instance| {
                let (_, words, _) = words_of(members, instance)?;
                Some(format!("{}.{}()", instance.name.text, words.idle))
            })
            .collect();
        conditions.insert(0, "passed > 0".to_owned());
        let advance = CodeText::sequence(
            timed_instances(chart, members)
                .into_iter()
                .map(|(name, words)| {
                    CodeText::noticed(format!("{name}.{}(passed)", words.advance))
                }),
        );
        let body = CodeText::when(conditions.join(" and "), advance);
        actions.push(format!(
            "      # Time passes once every object has come to rest.\n      obs {}(passed: {}) =\n{}",
            words.after,
            words.time,
            body.print(4)
        ));
        calls.push(format!("{}(next_timeout_of_all())", words.after));
    }
    if calls.is_empty() {
        calls.push("requires false: skip end".to_owned());
    }
    (actions, calls)
}

fn wire_arguments(chart: &Chart, machine: &Machine, instance: &Instance) -> Vec<String> {
    let bound = machine.references.iter().map(|reference| {
        instance
            .bindings
            .iter()
            .find(|(name, _)| name.text == reference.name.text)
            .map_or("nil".to_owned(), |(_, object)| mark(object))
    });
    let values = set_values(chart, machine);
    let values = values.iter().map(|data| {
        instance
            .values
            .iter()
            .find(|(name, _)| name.text == data.name.text)
            .map(|(_, value)| value)
            .or(data.value.as_ref())
            .map_or(String::new(), mark)
    });
    bound.chain(values).collect()
}

fn timed_instances<'a>(
    chart: &'a Chart,
    members: &'a [(&Machine, FixedNames, bool)],
) -> Vec<(&'a str, &'a FixedNames)> {
    chart
        .instances
        .iter()
        .filter_map(|instance| match words_of(members, instance) {
            Some((_, words, true)) => Some((instance.name.text.as_str(), words)),
            _ => None,
        })
        .collect()
}

fn clock_methods(chart: &Chart, members: &[(&Machine, FixedNames, bool)]) -> Vec<MethodText> {
    let timed = timed_instances(chart, members);
    let Some((_, words)) = timed.first() else {
        return Vec::new();
    };
    let time = words.time.clone();
    let asked: Vec<String> = timed
        .iter()
        .map(|(name, words)| format!("{name}.{}()", words.next_timeout))
        .collect();
    let sooner = CodeText::ranked(vec![
        CodeText::when(
            "running > 0 and (best < 0 or running < best)",
            CodeText::quiet("result := running"),
        ),
        CodeText::quiet("result := best"),
    ]);
    vec![
        MethodText {
            remark: "The shorter of two times; one that does not run does not count.".to_owned(),
            name: "sooner".to_owned(),
            parameters: vec![format!("running: {time}"), format!("best: {time}")],
            result: Some(time.clone()),
            locals: Vec::new(),
            body: sooner,
        },
        MethodText {
            remark: "How long until the next timer of any object runs out; -1 if none runs."
                .to_owned(),
            name: "next_timeout_of_all".to_owned(),
            parameters: Vec::new(),
            result: Some(time.clone()),
            locals: vec![format!("times: list[{}] of {time}", asked.len())],
            body: CodeText::sequence([
                CodeText::quiet(format!("times := [{}]", asked.join(", "))),
                CodeText::quiet("result := sooner(-1) :>: (times)"),
            ]),
        },
    ]
}
