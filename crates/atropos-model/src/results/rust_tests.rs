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
        let mut params = vec!["&mut self".to_string()];
        if code.names_object {
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

const DRIVER: &str = r##"/// One edge of a test, from a node to a node: `!` gives an input, `?` is an output and `-` silence that the model allows
/// there, `P` is the verdict pass and `I` inconclusive.
type Step = (u32, char, &'static str, u32);

/// How often a test is run again if the implementation took another way than the test.
const RETRIES: usize = 3;

enum TestVerdict {
    Pass,
    /// With the trace.
    Inconclusive(String),
}

/// Runs a test, again if it is inconclusive. A failure is a panic with the trace. So is a test that stays inconclusive: it has
/// shown nothing. `ATROPOS_ALLOW_INCONCLUSIVE=1` makes it a message on standard error.
fn run(steps: &[Step]) {
    let mut trace = String::new();
    for _ in 0..=RETRIES {
        match replay(&mut adapter::Adapter::default(), steps) {
            TestVerdict::Pass => return,
            TestVerdict::Inconclusive(way) => trace = way,
        }
    }
    let message = format!(
        "inconclusive: in {} runs the implementation took another way than the test, which the model allows\n{trace}",
        RETRIES + 1
    );
    if std::env::var_os("ATROPOS_ALLOW_INCONCLUSIVE").is_some_and(|value| value == "1") {
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "{message}");
        return;
    }
    panic!("{message}");
}

/// Runs a test once. A node gives an input at once, or waits for what the implementation shows.
fn replay(system: &mut impl System, steps: &[Step]) -> TestVerdict {
    let mut node = 0;
    let mut trace: Vec<String> = Vec::new();
    loop {
        let here: Vec<&Step> = steps.iter().filter(|step| step.0 == node).collect();
        match here.first() {
            Some((_, 'P', ..)) => return TestVerdict::Pass,
            Some((_, '!', input, to)) => {
                give(system, input);
                trace.push(format!("gave {input}"));
                node = *to;
                continue;
            }
            Some((_, 'I', ..)) | None => return TestVerdict::Inconclusive(trace.join("\n")),
            Some(_) => {}
        }
        let seen = system.observe();
        let found = seen.as_deref().unwrap_or("silence");
        let taken = here.iter().find(|step| match &seen {
            Some(output) => step.1 == '?' && step.2 == output,
            None => step.1 == '-',
        });
        let Some(step) = taken else {
            let expected: Vec<&str> = here.iter().map(|step| step.2).collect();
            panic!(
                "the model can't show {found} here; it shows {expected:?}\n{}",
                trace.join("\n")
            );
        };
        trace.push(format!("saw {found}"));
        node = step.3;
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
        if code.names_object {
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
    for (from, edge, to) in &test.edges {
        let (kind, label) = match edge {
            Edge::Step(Move::Input(label)) => ('!', model.label_name(label)),
            Edge::Step(Move::Observe(Observation::Output(label))) => ('?', model.label_name(label)),
            Edge::Step(Move::Observe(Observation::Delta)) => ('-', "silence".to_string()),
            Edge::Pass => ('P', "pass".to_string()),
            Edge::Inconclusive => ('I', "inconclusive".to_string()),
            Edge::Fail => continue,
        };
        let _ = writeln!(out, "        ({from}, {kind:?}, {label:?}, {to}),");
    }
    let _ = writeln!(out, "    ];\n    run(STEPS);\n}}");
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
