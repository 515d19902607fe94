//! `model rust`: abstract tests as a Rust integration test with a small trait that connects them to an implementation.

use crate::generation::Move;
use crate::language::tree::ActionKind;
use crate::model::{CodeKind, Label, Model, Observation, Ty, TyId};
use crate::results::{Edge, TestCase};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The file with trait, tests and driver.
pub fn tests_file(model: &Model, name: &str, tests: &[TestCase]) -> String {
    let mut out = format!(
        "//! Tests generated from the model `{name}`: each one kills mutants of the model.\n\
         //! Connect them to the implementation in `adapter.rs`; this file is written anew by `cargo atropos model rust`.\n\n\
         mod adapter;\n\n"
    );
    out.push_str(&system_trait(model));
    out.push_str(&enumerations(model));
    out.push_str(DRIVER);
    out.push_str(&input_function(model, tests));
    for (at, test) in tests.iter().enumerate() {
        out.push_str(&test_function(model, at, test));
    }
    out
}

/// A first adapter, to be filled in.
pub fn adapter_file(model: &Model) -> String {
    let mut out = String::from(
        "//! Connects the generated tests to the implementation. Fill in the methods; this file is never overwritten.\n\n\
         #[allow(unused_imports)]\nuse super::*;\n\n\
         #[derive(Default)]\npub struct Adapter {}\n\nimpl System for Adapter {\n",
    );
    for signature in signatures(model) {
        let _ = writeln!(
            out,
            "    {signature} {{\n        panic!(\"give this input to the implementation\")\n    }}\n"
        );
    }
    out.push_str(
        "    fn observe(&mut self) -> Option<String> {\n        \
         panic!(\"give the next output as the model writes it, or None if none comes\")\n    }\n}\n",
    );
    out
}

fn system_trait(model: &Model) -> String {
    let mut out =
        String::from("/// What the tests need of an implementation.\npub trait System {\n");
    for signature in signatures(model) {
        let _ = writeln!(out, "    {signature};");
    }
    out.push_str(
        "    /// Waits for the next output, written as in the model (`Name` or `Name(argument, …)`); `None` if none comes.\n    \
         fn observe(&mut self) -> Option<String>;\n}\n\n",
    );
    out
}

/// A method per input.
fn signatures(model: &Model) -> Vec<String> {
    let inputs = model
        .codes
        .iter()
        .filter(|code| code.kind == CodeKind::Action(ActionKind::Controllable));
    let mut signatures = Vec::new();
    for code in inputs {
        let several = model.instances[code.class.0 as usize].len() != 1;
        let mut params = vec!["&mut self".to_string()];
        if several {
            params.push("object: &str".into());
        }
        for local in &code.locals[..code.params] {
            params.push(format!(
                "{}: {}",
                identifier(&local.name),
                rust_type(model, local.ty)
            ));
        }
        signatures.push(format!(
            "fn {}({})",
            method_name(model, code),
            params.join(", ")
        ));
    }
    signatures
}

/// Inputs of different classes may share a name.
fn method_name(model: &Model, code: &crate::model::Code) -> String {
    let inputs = model
        .codes
        .iter()
        .filter(|other| other.kind == code.kind && snake(&other.name) == snake(&code.name));
    let name = identifier(&code.name);
    if inputs.count() > 1 {
        return format!(
            "{}_{name}",
            snake(&model.classes[code.class.0 as usize].name)
        );
    }
    match name.as_str() {
        "observe" => "input_observe".into(),
        _ => name,
    }
}

/// A name as Rust writes it; words that Rust keeps for itself get a `_`.
fn identifier(name: &str) -> String {
    let name = snake(name);
    match name.as_str() {
        "abstract" | "as" | "async" | "await" | "become" | "box" | "break" | "const"
        | "continue" | "crate" | "do" | "dyn" | "else" | "enum" | "extern" | "false" | "final"
        | "fn" | "for" | "gen" | "if" | "impl" | "in" | "let" | "loop" | "macro" | "match"
        | "mod" | "move" | "mut" | "override" | "priv" | "pub" | "ref" | "return" | "self"
        | "static" | "struct" | "super" | "trait" | "true" | "try" | "type" | "typeof"
        | "unsafe" | "unsized" | "use" | "virtual" | "where" | "while" | "yield" => {
            format!("{name}_")
        }
        _ => name,
    }
}

fn rust_type(model: &Model, ty: TyId) -> String {
    match model.types.get(ty) {
        Ty::Bool => "bool".into(),
        Ty::Fixed { .. } => "f64".into(),
        Ty::Enum(id) if !model.enums[*id as usize].name.is_empty() => {
            camel(&model.enums[*id as usize].name)
        }
        Ty::Int { .. } => "i64".into(),
        _ => "&str".into(),
    }
}

fn used_enums(model: &Model) -> BTreeSet<u32> {
    let inputs = model
        .codes
        .iter()
        .filter(|code| code.kind == CodeKind::Action(ActionKind::Controllable));
    let types = inputs.flat_map(|code| code.locals[..code.params].iter().map(|local| local.ty));
    types
        .filter_map(|ty| match model.types.get(ty) {
            Ty::Enum(id) if !model.enums[*id as usize].name.is_empty() => Some(*id),
            _ => None,
        })
        .collect()
}

fn enumerations(model: &Model) -> String {
    let mut out = String::new();
    for id in used_enums(model) {
        let enumeration = &model.enums[id as usize];
        let values: Vec<String> = enumeration
            .values
            .iter()
            .map(|(name, _)| camel(name))
            .collect();
        let _ = writeln!(
            out,
            "#[allow(dead_code)]\n#[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub enum {} {{\n    {},\n}}\n",
            camel(&enumeration.name),
            values.join(",\n    ")
        );
    }
    out
}

const DRIVER: &str = r##"/// One step of a test: from a node, an input (`!`) or an output (`?`) or silence (`-`), to a node.
type Step = (u32, char, &'static str, u32);

/// Replays a test; the verdict is a panic with the trace, or nothing.
fn replay(system: &mut impl System, steps: &[Step], end: u32) {
    let mut node = 0;
    let mut trace: Vec<String> = Vec::new();
    while node != end {
        let here: Vec<&Step> = steps.iter().filter(|step| step.0 == node).collect();
        let input = here.iter().find(|step| step.1 == '!');
        let outputs = here.iter().any(|step| step.1 == '?');
        // Where an output may come as well, the input comes first; elsewhere silence is checked before it.
        let seen = if input.is_some() && outputs {
            None
        } else {
            system.observe()
        };
        let taken = match (&seen, input) {
            (None, Some(input)) => {
                give(system, input.2);
                trace.push(format!("gave {}", input.2));
                Some(*input)
            }
            (None, None) => here.iter().find(|step| step.1 == '-').copied(),
            (Some(output), _) => here
                .iter()
                .find(|step| step.1 == '?' && step.2 == output)
                .copied(),
        };
        if let Some(output) = &seen {
            trace.push(format!("saw {output}"));
        }
        match taken {
            Some(step) => node = step.3,
            None if here.is_empty() => {
                println!(
                    "inconclusive: the implementation took another transition\n{}",
                    trace.join("\n")
                );
                return;
            }
            None => {
                let expected: Vec<&str> = here
                    .iter()
                    .filter(|step| step.1 != '!')
                    .map(|step| step.2)
                    .collect();
                let found = seen.as_deref().unwrap_or("silence");
                panic!(
                    "the model can't show {found} here; it shows {expected:?}\n{}",
                    trace.join("\n")
                );
            }
        }
    }
}

"##;

fn input_function(model: &Model, tests: &[TestCase]) -> String {
    let labels: BTreeSet<&Label> = tests
        .iter()
        .flat_map(|test| &test.edges)
        .filter_map(|(_, edge, _)| match edge {
            Edge::Step(Move::Input(label)) => Some(label),
            _ => None,
        })
        .collect();
    let mut out =
        String::from("fn give(system: &mut impl System, input: &str) {\n    match input {\n");
    for label in labels {
        let code = model.code(label.code);
        let mut args = Vec::new();
        if model.instances[code.class.0 as usize].len() != 1 {
            args.push(format!("{:?}", model.objects[label.object.index()].name));
        }
        for (text, local) in model.label_args(label).into_iter().zip(&code.locals) {
            args.push(argument(model, &text, local.ty));
        }
        let _ = writeln!(
            out,
            "        {:?} => system.{}({}),",
            model.label_name(label),
            method_name(model, code),
            args.join(", ")
        );
    }
    out.push_str("        other => unreachable!(\"no test gives {other}\"),\n    }\n}\n");
    out
}

fn argument(model: &Model, text: &str, ty: TyId) -> String {
    match model.types.get(ty) {
        Ty::Bool | Ty::Fixed { .. } | Ty::Int { .. } => text.to_string(),
        Ty::Enum(id) if !model.enums[*id as usize].name.is_empty() => {
            format!(
                "{}::{}",
                camel(&model.enums[*id as usize].name),
                camel(text)
            )
        }
        _ => format!("{text:?}"),
    }
}

fn test_function(model: &Model, at: usize, test: &TestCase) -> String {
    let mut out = format!(
        "\n#[test]\nfn model_test_{at:03}() {{\n    #[rustfmt::skip]\n    const STEPS: &[Step] = &[\n"
    );
    let mut end = 0;
    for (from, edge, to) in &test.edges {
        let (kind, label) = match edge {
            Edge::Step(Move::Input(label)) => ('!', model.label_name(label)),
            Edge::Step(Move::Observe(Observation::Output(label))) => ('?', model.label_name(label)),
            Edge::Step(Move::Observe(Observation::Delta)) => ('-', "silence".to_string()),
            Edge::Pass => {
                end = *from;
                continue;
            }
            Edge::Inconclusive | Edge::Fail => continue,
        };
        let _ = writeln!(out, "        ({from}, {kind:?}, {label:?}, {to}),");
    }
    let _ = writeln!(
        out,
        "    ];\n    replay(&mut adapter::Adapter::default(), STEPS, {end});\n}}"
    );
    out
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    let mut lower = false;
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && lower {
            out.push('_');
        }
        lower = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        out.push(letter.to_ascii_lowercase());
    }
    out
}

fn camel(name: &str) -> String {
    name.split('_')
        .map(|part| {
            let mut letters = part.chars();
            letters
                .next()
                .map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
                .unwrap_or_default()
        })
        .collect()
}
