//! The language reference of the book (`docs/src/models/ooas.md`): every example on it is checked and run, and every
//! reserved word and operator has one.

use std::collections::BTreeSet;

use crate::animation::Animation;
use crate::check::check;
use crate::execution::Interpreted;
use crate::language::token::KEYWORDS;
use crate::tests::support::{first_outcomes, load};

const PAGE: &str = include_str!("../../../../docs/src/models/ooas.md");

/// Operators and brackets that an example must show.
const SYMBOLS: &[&str] = &[
    ":>:", ":<:", ":=", "=>", "<>", "<", ">", "=", "//", "[]", "..", "->", "+", "-", "*", "&", ".",
    "|[", "]|", "|",
];

/// A fenced block of the page.
struct Block {
    language: &'static str,
    text: &'static str,
    line: usize,
}

fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut rest = PAGE;
    while let Some(start) = rest.find("\n```") {
        let after = &rest[start + 4..];
        let (language, body) = after.split_once('\n').expect("a line ends");
        let end = body.find("```\n").expect("a block ends");
        let line = PAGE[..PAGE.len() - body.len()].matches('\n').count();
        blocks.push(Block {
            language,
            text: &body[..end],
            line,
        });
        rest = &body[end + 3..];
    }
    blocks
}

fn outcomes(text: &str) -> String {
    let lines = first_outcomes(text).into_iter().map(|outcome| {
        let outcome = match outcome.as_str() {
            "" => "unchanged",
            outcome => outcome,
        };
        format!("{outcome}\n")
    });
    lines.collect()
}

fn transcript(text: &str, commands: &str) -> String {
    let model = load(text);
    let engine = Box::new(Interpreted {
        model: model.clone(),
    });
    let mut out = Vec::new();
    Animation::new(model, engine, 1, &mut out)
        .run(&mut commands.as_bytes(), false)
        .expect("no I/O");
    String::from_utf8(out).expect("text")
}

fn is_wrong(text: &str, expected: &str) -> bool {
    let (_, diagnostics) = check(text);
    let found = diagnostics.sorted();
    found.len() == 1 && found[0].message == expected.trim()
}

#[test]
fn every_example_of_the_language_reference_does_what_stands_under_it() {
    let blocks = blocks();
    let mut examples = 0;
    for (at, block) in blocks.iter().enumerate() {
        if block.language != "ooas" {
            continue;
        }
        examples += 1;
        let [next, ..] = &blocks[at + 1..] else {
            panic!("line {}: nothing stands under it", block.line);
        };
        let place = format!("line {}:\n{}", block.line, block.text);
        match next.language {
            "outcomes" => assert_eq!(outcomes(block.text), next.text, "{place}"),
            "commands" => {
                let said = transcript(block.text, next.text);
                assert_eq!(said, blocks[at + 2].text, "{place}");
            }
            "error" => assert!(is_wrong(block.text, next.text), "{place}"),
            other => panic!("{place}\nis followed by `{other}`"),
        }
        if next.language != "error" {
            let (_, diagnostics) = check(block.text);
            assert!(diagnostics.is_empty(), "warnings, {place}");
        }
    }
    assert!(examples > 25, "only {examples} examples were found");
}

#[test]
fn the_language_reference_lists_the_reserved_words_and_shows_each() {
    let blocks = blocks();
    let list = blocks.iter().find(|block| block.language == "reserved");
    let listed: BTreeSet<&str> = list.expect("the list").text.split_whitespace().collect();
    assert_eq!(listed, KEYWORDS.iter().copied().collect());
    let examples: String = blocks
        .iter()
        .filter(|block| block.language == "ooas")
        .map(|block| block.text)
        .collect();
    let words: BTreeSet<&str> = examples
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .collect();
    let unshown: Vec<&&str> = listed
        .iter()
        .filter(|word| !words.contains(**word))
        .collect();
    assert!(unshown.is_empty(), "no example shows {unshown:?}");
    let unshown: Vec<&&str> = SYMBOLS
        .iter()
        .filter(|symbol| !examples.contains(**symbol))
        .collect();
    assert!(unshown.is_empty(), "no example shows {unshown:?}");
}
