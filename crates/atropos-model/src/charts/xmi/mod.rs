//! UML 2 in XMI, as Eclipse UML2 (Papyrus) and others write it: classes with state machines, signals, instance specifications.
//!
//! Each class with a state machine is a machine of the chart, each instance of such a class an object. What the UML metamodel
//! leaves to a language (guards, effects, values) is read as OOAS, or in the part of C, Java and JavaScript that
//! [`super::json`]'s readers know. Elements that mean something and are not read are problems; diagrams, comments, profiles and
//! what tools keep for themselves are passed over.

mod behaviour;
mod class;
mod document;
mod machine;

use super::chart::{Chart, Notation};
use super::problem::{Collector, Problems};
use document::{Element, Ids};
use std::collections::HashMap;

/// What is needed all along: the model's elements and the complaints.
struct Reader<'a, 'c> {
    ids: Ids<'a>,
    collector: &'c mut Collector,
    /// Enumerations, by id, with the names of their OOAS types.
    types: HashMap<&'a str, String>,
    /// ChartState machines, by their class's id (or their own).
    classes: Vec<(Element<'a>, Element<'a>)>,
}

impl Reader<'_, '_> {
    fn advise(&mut self, element: Element, message: impl Into<String>, advice: &str) {
        self.collector.advise(element.head(), message, advice);
    }
}

/// Whether the text is an XMI document with a UML model.
pub fn is_model(source: &str) -> bool {
    source.contains("xmlns:uml=")
}

/// Reads a model.
pub fn read(file: &str, source: &str) -> Result<Chart, Problems> {
    let mut collector = Collector::default();
    let chart = match roxmltree::Document::parse(source) {
        Ok(document) => {
            let root = Element {
                node: document.root_element(),
            };
            let mut reader = Reader {
                ids: Ids::of(&document),
                collector: &mut collector,
                types: HashMap::new(),
                classes: Vec::new(),
            };
            let chart = chart(root, &mut reader);
            chart.map(|mut chart| {
                super::complete(&mut chart, &mut collector);
                chart
            })
        }
        Err(error) => {
            super::scxml::not_well_formed(source, &error, &mut collector);
            None
        }
    };
    collector.finish(file, source, chart)
}

/// The elements of all packages that concern behaviour.
#[derive(Default)]
struct Members<'a> {
    enumerations: Vec<Element<'a>>,
    instances: Vec<Element<'a>>,
}

fn chart<'a>(root: Element<'a>, reader: &mut Reader<'a, '_>) -> Option<Chart> {
    let mut members = Members::default();
    collect(root, 0, &mut members, reader);
    if reader.classes.is_empty() {
        reader.advise(
            root,
            "there is no state machine in this model",
            "give a class an owned behaviour of the type `uml:StateMachine`",
        );
        return None;
    }
    let mut chart = Chart {
        name: String::new(),
        notation: Notation::Uml,
        types: Vec::new(),
        machines: Vec::new(),
        unit: 1,
        instances: Vec::new(),
    };
    for enumeration in members.enumerations {
        class::enumeration(enumeration, &mut chart, reader);
    }
    for (class, behaviour) in reader.classes.clone() {
        let machine = machine::machine(class, behaviour, reader);
        chart.machines.push(machine);
    }
    for &instance in &members.instances {
        class::instance(instance, &mut chart, reader);
    }
    for &instance in &members.instances {
        class::link(instance, &mut chart, reader);
    }
    // One object that knows nobody needs no network around it.
    if let ([_], [only]) = (chart.machines.as_slice(), chart.instances.as_slice())
        && only.bindings.is_empty()
        && only.values.is_empty()
    {
        chart.instances.clear();
    }
    let single = chart.instances.is_empty();
    let model = if root.kind() == "Model" || root.tag() == "Model" {
        Some(root)
    } else {
        root.children().find(|child| child.tag() == "Model")
    };
    let model = model.and_then(Element::name);
    chart.name = match (single, model) {
        (true, _) => chart.machines[0].name.text.clone(),
        (false, Some(name)) => name.text,
        (false, None) => "Network".to_owned(),
    };
    Some(chart)
}

/// Packages may be nested; nobody nests them deeper.
const MOST_PACKAGES: usize = 50;

fn collect<'a>(
    holder: Element<'a>,
    depth: usize,
    members: &mut Members<'a>,
    reader: &mut Reader<'a, '_>,
) {
    if depth > MOST_PACKAGES {
        let message = format!("packages are nested more than {MOST_PACKAGES} deep");
        reader.advise(holder, message, "models are read up to that depth");
        return;
    }
    for member in holder.children() {
        let kind = match member.tag() {
            "Model" | "Package" => "Package",
            "packagedElement" | "ownedMember" | "nestedClassifier" => member.kind(),
            _ => continue,
        };
        match kind {
            "Package" | "Model" => collect(member, depth + 1, members, reader),
            "Class" | "Component" => {
                let machines = member.named("ownedBehavior");
                let machines: Vec<Element> =
                    machines.filter(|b| b.kind() == "StateMachine").collect();
                let chosen = reader.ids.referred(member, "classifierBehavior");
                let chosen = chosen.filter(|chosen| machines.contains(chosen));
                if let Some(machine) = chosen.or(machines.first().copied()) {
                    reader.classes.push((member, machine));
                }
                if let (Some(second), None) = (machines.get(1), chosen) {
                    reader.advise(
                        *second,
                        "a class behaves as one state machine",
                        "name it: `classifierBehavior=\"…\"`",
                    );
                }
                collect(member, depth + 1, members, reader);
            }
            "StateMachine" => reader.classes.push((member, member)),
            "Enumeration" => members.enumerations.push(member),
            "InstanceSpecification" => members.instances.push(member),
            _ => {}
        }
    }
}
