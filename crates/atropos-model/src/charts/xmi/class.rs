//! Classes' attributes, enumerations, signals' parameters, and the objects of instance diagrams.
//!
//! Attributes are variables where they are whole numbers, truth values or of an enumeration, and references where their type is
//! a class with a state machine. Others are passed over: who uses one is told that it is not declared.

use super::Reader;
use super::document::Element;
use crate::charts::chart::{Chart, ChartText, Data, Instance, Machine, Reference, Signature};
use crate::charts::names::identifier;

/// Whole numbers without bounds of their own.
const NUMBER: &str = "int[-32768..32767]";

/// `t = {A, B}`.
pub fn enumeration<'a>(element: Element<'a>, chart: &mut Chart, reader: &mut Reader<'a, '_>) {
    let (Some(id), Some(name)) = (element.id(), element.name()) else {
        return;
    };
    let literals = element.named("ownedLiteral").filter_map(Element::name);
    let literals: Vec<String> = literals.map(|name| identifier(&name.text)).collect();
    if literals.is_empty() {
        return;
    }
    let kind = identifier(&name.text);
    let definition = format!("{kind} = {{{}}}", literals.join(", "));
    chart.types.push(ChartText::new(definition, name.span));
    reader.types.insert(id, kind);
}

/// What an attribute or parameter can hold.
enum Typed {
    Value(ChartText),
    /// An object of the class of that name.
    Object(ChartText),
    Unread,
}

fn typed(element: Element, reader: &Reader) -> Typed {
    let value = |kind: &str| Typed::Value(ChartText::new(kind, element.head()));
    if element.attribute("type").is_none()
        && let Some(place) = element.foreign("type")
    {
        let name = place.text.rsplit(['#', '/']).next().unwrap_or("");
        return primitive(name).map_or(Typed::Unread, value);
    }
    let Some(kind) = reader.ids.referred(element, "type") else {
        return Typed::Unread;
    };
    if let Some(name) = kind.id().and_then(|id| reader.types.get(id)) {
        return value(name);
    }
    if reader.classes.iter().any(|(class, _)| *class == kind) {
        return kind.name().map_or(Typed::Unread, Typed::Object);
    }
    let comment = kind
        .child("ownedComment")
        .and_then(|comment| comment.value("body"));
    let said = comment
        .as_ref()
        .and_then(|text| primitive(text.text.trim()));
    let name = kind
        .name()
        .unwrap_or_else(|| ChartText::new("", kind.head()));
    said.or_else(|| primitive(&name.text))
        .map_or(Typed::Unread, value)
}

/// UML's primitive types and those of common languages; types of OOAS as they stand.
fn primitive(name: &str) -> Option<&str> {
    Some(match name {
        "Integer" | "int" | "Int" | "long" | "short" | "EInt" => NUMBER,
        "UnlimitedNatural" | "Natural" | "unsigned" => "int[0..32767]",
        "Boolean" | "boolean" | "bool" | "EBoolean" => "bool",
        _ if name.starts_with("int[") || name.starts_with("int [") => name,
        _ => return None,
    })
}

/// The class's variables and references.
pub fn attributes(class: Element, machine: &mut Machine, reader: &mut Reader) {
    for attribute in class.named("ownedAttribute") {
        let Some(mut name) = attribute.name() else {
            continue;
        };
        name.text = identifier(&name.text);
        let kind = typed(attribute, reader);
        let many = attribute
            .child("upperValue")
            .and_then(|upper| upper.attribute("value"));
        if let Some(many) = many.filter(|many| many.text != "1")
            && !matches!(kind, Typed::Unread)
        {
            reader.collector.advise(
                many.span,
                format!(
                    "the attribute `{}` has several values, which is not read",
                    name.text
                ),
                "use an attribute for each",
            );
        }
        match kind {
            Typed::Value(kind) => {
                let value = attribute.child("defaultValue");
                machine.data.push(Data {
                    value: value.and_then(|value| literal(value, reader)),
                    name,
                    kind,
                });
            }
            Typed::Object(class) => machine.references.push(Reference { name, class }),
            Typed::Unread => {}
        }
    }
}

/// A value as OOAS writes it.
fn literal(value: Element, reader: &Reader) -> Option<ChartText> {
    let written = value.attribute("value");
    let or = |default: &str| {
        written
            .clone()
            .unwrap_or_else(|| ChartText::new(default, value.head()))
    };
    match value.kind() {
        // XMI leaves out what is the default of its metamodel.
        "LiteralInteger" | "LiteralUnlimitedNatural" => Some(or("0")),
        "LiteralBoolean" => Some(or("false")),
        "LiteralString" => written,
        "OpaqueExpression" => value.value("body"),
        "InstanceValue" => {
            let literal = reader.ids.referred(value, "instance")?;
            let kind = reader.types.get(literal.parent()?.id()?)?;
            let name = identifier(&literal.name()?.text);
            Some(ChartText::new(format!("{kind}.{name}"), value.head()))
        }
        _ => None,
    }
}

/// The parameters of a signal or an operation; nothing if it has none.
pub fn signature(element: Element, reader: &mut Reader) -> Option<Signature> {
    let attributes = element.named("ownedAttribute");
    let inputs = element.named("ownedParameter").filter(|parameter| {
        let direction = parameter.attribute("direction");
        direction.is_none_or(|direction| direction.text != "return")
    });
    let mut parameters = Vec::new();
    for parameter in attributes.chain(inputs) {
        let mut name = parameter.name()?;
        name.text = identifier(&name.text);
        match typed(parameter, reader) {
            Typed::Value(kind) => parameters.push((name, kind)),
            _ => reader.collector.advise(
                name.span,
                format!("the type of the parameter `{}` is not read", name.text),
                "parameters are whole numbers, truth values or of an enumeration; a type's name may be an OOAS type such as `int[0..9]`",
            ),
        }
    }
    let name = element.name()?;
    (!parameters.is_empty()).then_some(Signature { name, parameters })
}

/// The name of an object, also of one without.
fn object_name(instance: Element) -> ChartText {
    let id = || format!("object_{}", instance.id().unwrap_or(""));
    instance
        .name()
        .unwrap_or_else(|| ChartText::new(id(), instance.head()))
}

fn machine_of<'c>(chart: &'c Chart, class: Element, reader: &Reader) -> Option<&'c Machine> {
    let at = reader
        .classes
        .iter()
        .position(|(known, _)| *known == class)?;
    chart.machines.get(at)
}

/// An object of a class with a state machine.
pub fn instance<'a>(element: Element<'a>, chart: &mut Chart, reader: &mut Reader<'a, '_>) {
    if let Some(place) = element.foreign("classifier") {
        reader.collector.advise(
            place.span,
            "the class of this object is in another file",
            "put classes and instances into one model",
        );
        return;
    }
    let Some(class) = reader.ids.referred(element, "classifier") else {
        return;
    };
    let Some(machine) = machine_of(chart, class, reader) else {
        return;
    };
    let mut object = Instance {
        name: object_name(element),
        class: machine.name.clone(),
        bindings: Vec::new(),
        values: Vec::new(),
    };
    for slot in element.named("slot") {
        let Some(feature) = reader.ids.referred(slot, "definingFeature") else {
            continue;
        };
        let (Some(mut name), Some(value)) = (feature.name(), slot.child("value")) else {
            continue;
        };
        name.text = identifier(&name.text);
        if machine.references.iter().any(|r| r.name.text == name.text) {
            let other = reader.ids.referred(value, "instance");
            object
                .bindings
                .extend(other.map(|other| (name, object_name(other))));
        } else if machine.data.iter().any(|data| data.name.text == name.text) {
            object
                .values
                .extend(literal(value, reader).map(|value| (name, value)));
        }
    }
    chart.instances.push(object);
}

/// An instance of an association tells objects of each other.
pub fn link<'a>(element: Element<'a>, chart: &mut Chart, reader: &mut Reader<'a, '_>) {
    let association = reader.ids.referred(element, "classifier");
    if association.is_none_or(|association| association.kind() != "Association") {
        return;
    }
    let ends: Vec<(Element, Element)> = element
        .named("slot")
        .filter_map(|slot| {
            let feature = reader.ids.referred(slot, "definingFeature")?;
            let object = reader.ids.referred(slot.child("value")?, "instance")?;
            Some((feature, object))
        })
        .collect();
    let [one, other] = ends.as_slice() else {
        return;
    };
    for ((feature, known), (_, knows)) in [(one, other), (other, one)] {
        let Some(mut name) = feature.name() else {
            continue;
        };
        name.text = identifier(&name.text);
        let owner = object_name(*knows);
        let (machines, instances) = (&chart.machines, &mut chart.instances);
        let Some(object) = instances.iter_mut().find(|i| i.name.text == owner.text) else {
            continue;
        };
        let class = machines.iter().find(|m| m.name.text == object.class.text);
        let refers = class.is_some_and(|class| {
            class
                .references
                .iter()
                .any(|reference| reference.name.text == name.text)
        });
        // The end that the class itself has; the association owns the other.
        let bound = object
            .bindings
            .iter()
            .any(|(bound, _)| bound.text == name.text);
        if refers && !bound && feature.parent() == reader.ids.referred(*knows, "classifier") {
            object.bindings.push((name, object_name(*known)));
        }
    }
}
