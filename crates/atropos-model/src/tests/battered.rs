//! Files that nobody would write: examples with lines and characters lost, doubled, swapped or replaced. Whatever comes
//! of it, every command ends, findings have a place, and what is still a model means the same for both engines.

use crate::animation::Animation;
use crate::charts;
use crate::check::check;
use crate::execution::Interpreted;
use crate::generation::{EngineKind, GenerationOptions, generate};
use crate::language::format_text;
use crate::model::Model;
use crate::random::SplitMix64;
use crate::state_space::StateSpaceLimits;
use crate::tests::support::{EXAMPLES, example};
use std::sync::Arc;

/// What is put in place of something else: the words and signs of all three languages.
const PIECES: [&str; 40] = [
    "",
    " ",
    ";",
    ":",
    ":=",
    "(",
    ")",
    "[",
    "]",
    "|[",
    "]|",
    "//",
    "[]",
    "*/",
    "/*",
    "#",
    "0",
    "-1",
    "99999999999999999999",
    "true",
    "nil",
    "self",
    "end",
    "requires",
    "var",
    "new",
    "list[2] of bool",
    "<",
    ">",
    "\"",
    "&#0;",
    "<state id=\"x\"/>",
    "cond=\"",
    "-->",
    "@enduml",
    "state x",
    "[*]",
    "é",
    "\u{0}",
    "\n",
];

/// One to three edits.
fn battered(text: &str, random: &mut SplitMix64) -> String {
    let mut text = text.to_string();
    for _ in 0..=random.below(3) {
        let mut lines: Vec<&str> = text.split('\n').collect();
        let line = random.below(lines.len());
        match random.below(5) {
            0 => {
                lines.remove(line);
            }
            1 => lines.insert(line, lines[line]),
            2 => {
                let other = random.below(lines.len());
                lines.swap(line, other);
            }
            3 => lines.truncate(line),
            _ => {
                let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
                if cuts.is_empty() {
                    continue;
                }
                let start = cuts[random.below(cuts.len())];
                let rest = text[start..].char_indices();
                let end = rest.map(|(at, _)| start + at).nth(random.below(6));
                let piece = PIECES[random.below(PIECES.len())];
                text.replace_range(start..end.unwrap_or(text.len()), piece);
                continue;
            }
        }
        text = lines.join("\n");
    }
    text
}

/// The model, if it still is one; findings about it have a place.
fn read(name: &str, text: &str) -> Option<Arc<Model>> {
    let text = match charts::read(name, text) {
        None => text.to_string(),
        Some(Ok(chart)) => charts::translate_with_origins(&chart).text,
        Some(Err(problems)) => {
            let shown = problems.diagnostics.render(name, text, false);
            assert!(shown.contains(&format!("{name}:")), "no place:\n{shown}");
            return None;
        }
    };
    let (model, findings) = check(&text);
    if model.is_none() {
        let shown = findings.render(name, &text, false);
        assert!(shown.contains(&format!("{name}:")), "no place:\n{shown}");
    }
    model.map(Arc::new)
}

/// Formatting changes nothing but the looks.
fn formats(text: &str, model: Option<&Model>) {
    let Ok(once) = format_text(text) else {
        assert!(model.is_none(), "a model that can't be formatted:\n{text}");
        return;
    };
    match format_text(&once) {
        Ok(twice) => assert_eq!(twice, once),
        Err(findings) => panic!("{}", findings.render("formatted", &once, false)),
    }
    if let Some(model) = model {
        let (again, _) = check(&once);
        let again = again.unwrap_or_else(|| panic!("no model after formatting:\n{once}"));
        assert_eq!(again.mutants.list.len(), model.mutants.list.len());
        assert_eq!(again.initial, model.initial);
    }
}

/// Walks through it, and generates with both engines.
fn lives(model: &Arc<Model>) {
    let engine = Interpreted {
        model: model.clone(),
    };
    let mut out = Vec::new();
    let script = "state\nrandom\nwait\nrandom\n7\nnonsense(\nrandom\nreset\nrandom\n";
    let mut animation = Animation::new(model.clone(), Box::new(engine), 1, &mut out);
    animation
        .run(&mut script.as_bytes(), false)
        .expect("a vector can be written to");
    let results = [EngineKind::Jit, EngineKind::Interpreter].map(|engine| {
        let options = GenerationOptions {
            tests: 1,
            depth: 6,
            workers: 1,
            limits: StateSpaceLimits { closure: 200 },
            engine,
            ..GenerationOptions::default()
        };
        let generated = generate(model, &options, &mut |_| {}).expect("it compiles");
        generated.results.statuses
    });
    assert_eq!(results[0], results[1]);
}

fn batter(name: &str, rounds: u64, seed: u64) -> usize {
    let text = example(name);
    let mut models = 0;
    for round in 0..rounds {
        let mut random = SplitMix64::new(seed.wrapping_add(round));
        let text = battered(&text, &mut random);
        let model = read(name, &text);
        if name.ends_with(".ooas") && !charts::is_chart(name, &text) {
            formats(&text, model.as_deref());
        }
        if let Some(model) = model {
            models += 1;
            lives(&model);
        }
    }
    models
}

#[test]
fn battered_examples_end_with_findings_that_have_a_place_or_mean_the_same_for_both_engines() {
    let models: usize = EXAMPLES.iter().map(|name| batter(name, 25, 1)).sum();
    assert!(models > 5, "{models} of the files were still models");
}

/// Bytes flipped, replaced or lost, or the end of the file cut off.
fn damaged(text: &str, random: &mut SplitMix64) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if random.remainder(3) == 0 {
        bytes.truncate(random.remainder(bytes.len()));
    }
    for _ in 0..1 + random.remainder(3) {
        if bytes.is_empty() {
            break;
        }
        let at = random.remainder(bytes.len());
        match random.remainder(4) {
            0 => bytes[at] ^= 1 << random.remainder(8),
            1 => bytes[at] = random.remainder(256) as u8,
            2 => {
                bytes.remove(at);
            }
            _ => bytes.insert(at, bytes[random.remainder(bytes.len())]),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_examples_of_all_formats_are_models_or_have_findings_with_a_place() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/models");
    let entries = std::fs::read_dir(directory).expect("the examples are there");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| !name.ends_with(".md"))
        .collect();
    names.sort();
    let mut models = 0;
    for name in &names {
        let text = example(name);
        assert!(read(name, &text).is_some(), "{name} is a model");
        for seed in 0..60 {
            let text = damaged(&text, &mut SplitMix64::new(seed));
            models += usize::from(read(name, &text).is_some());
        }
    }
    assert!(names.len() >= 10, "{names:?}");
    assert!(models > 50, "{models} were still models");
}
