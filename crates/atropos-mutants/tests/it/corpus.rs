//! What must hold for every mutant of any file, checked on the sources of this workspace, on more
//! if `ATROPOS_CORPUS` names directories (separated as in `PATH`), and on generated expressions.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use atropos_mutants::{
    FileMutants, FindOptions, Mutant, OperatorSelection, Point, Shape, Span, apply, find_mutants,
    one_line,
};
use syn::spanned::Spanned;

use crate::check::edited;

fn rust_files(directory: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let is_target = path.file_name().is_some_and(|name| name == "target");
        if path.is_dir() && !is_target {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn corpus() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate lies in a directory");
    let mut files = Vec::new();
    rust_files(crates, &mut files);
    if let Some(more) = std::env::var_os("ATROPOS_CORPUS") {
        for directory in std::env::split_paths(&more) {
            rust_files(&directory, &mut files);
        }
    }
    files
}

/// Every operator, so that every way to make a mutant is seen.
fn all_operators() -> FindOptions {
    FindOptions {
        selection: OperatorSelection::all(),
        ..FindOptions::default()
    }
}

#[test]
fn every_file_keeps_the_rules() {
    let mut mutants = 0;
    let mut files = 0;
    for path in corpus() {
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        // What syn can't parse is no matter of ours.
        let Ok(found) = find_mutants(&text, &all_operators()) else {
            continue;
        };
        let name = path.display().to_string();
        check_file(&name, &text, &found);
        files += 1;
        mutants += found
            .points
            .iter()
            .map(|point| point.mutants.len())
            .sum::<usize>();
    }
    assert!(files >= 20, "only {files} files");
    assert!(mutants >= 1000, "only {mutants} mutants");
}

fn check_file(name: &str, text: &str, found: &FileMutants) {
    check_nesting(name, found);
    let mut edits = HashSet::new();
    for point in &found.points {
        check_point(name, text, point);
        for mutant in &point.mutants {
            check_mutant(name, text, point, mutant);
            let is_new = edits.insert((mutant.span, mutant.replacement.clone()));
            assert!(is_new, "{name}: made twice: {mutant:?}");
        }
    }
    check_that_edits_parse(name, text, found);
    let mut offsets: Vec<usize> = found.steps.iter().map(|step| step.offset).collect();
    offsets.dedup();
    assert_eq!(
        offsets.len(),
        found.steps.len(),
        "{name}: two steps at one place"
    );
}

/// Points nest or are disjoint, and the list has outer ones first.
fn check_nesting(name: &str, found: &FileMutants) {
    let mut open: Vec<Span> = Vec::new();
    for point in &found.points {
        while open
            .last()
            .is_some_and(|outer| outer.end <= point.span.start)
        {
            open.pop();
        }
        if let Some(outer) = open.last() {
            assert!(
                outer.contains(point.span),
                "{name}: {outer:?} and {:?} cross",
                point.span
            );
        }
        open.push(point.span);
    }
}

fn check_point(name: &str, text: &str, point: &Point) {
    let within = |part: Span| {
        assert!(
            point.span.contains(part),
            "{name}: {part:?} is not within {point:?}"
        );
        part.text(text)
    };
    let expression = |part: Span| {
        let part = within(part);
        syn::parse_str::<syn::Expr>(part).unwrap_or_else(|error| panic!("{name}: {error}: {part}"));
    };
    match point.shape {
        Shape::Arithmetic { left, right, .. }
        | Shape::Relation { left, right, .. }
        | Shape::Logic { left, right, .. } => {
            expression(left);
            expression(right);
        }
        Shape::Assignment { place, right, .. } => {
            expression(place);
            expression(right);
        }
        Shape::Condition | Shape::Expression | Shape::Initialiser | Shape::Iterator => {
            expression(point.span)
        }
        Shape::Statement => {
            let statement = point.span.text(text);
            let block = format!("{{ {statement} }}");
            syn::parse_str::<syn::Block>(&block)
                .unwrap_or_else(|error| panic!("{name}: {error}: {block}"));
        }
        Shape::Block => {
            assert!(text[..point.span.start].ends_with('{'), "{name}: {point:?}");
            assert!(text[point.span.end..].starts_with('}'), "{name}: {point:?}");
        }
        Shape::Body => {
            assert!(
                text[..point.span.start].ends_with(['{', ']', '\n']),
                "{name}: {point:?}"
            );
            assert!(text[point.span.end..].starts_with('}'), "{name}: {point:?}");
        }
        Shape::IteratorBody { tail } => expression(tail),
        Shape::Arm { pattern, guard } => {
            within(pattern);
            assert!(guard.is_none());
        }
    }
}

fn check_mutant(name: &str, text: &str, point: &Point, mutant: &Mutant) {
    let about = || format!("{name}: {} {mutant:?}", point.span.text(text));
    assert!(point.span.contains(mutant.span), "{}", about());
    assert!(!mutant.replacement.contains('\n'), "{}", about());
    assert!(
        !mutant.summary.is_empty() && !mutant.summary.contains('\n'),
        "{}",
        about()
    );
    assert_ne!(mutant.span.text(text), mutant.replacement, "{}", about());
    match point.shape {
        Shape::Expression | Shape::Condition | Shape::Initialiser | Shape::Iterator => {
            assert_eq!(mutant.span, point.span, "{}", about());
            syn::parse_str::<syn::Expr>(&mutant.replacement)
                .unwrap_or_else(|error| panic!("{error}: {}", about()));
        }
        Shape::Statement | Shape::Arm { .. } => assert_eq!(mutant.span, point.span, "{}", about()),
        Shape::Arithmetic { left, right, .. }
        | Shape::Relation { left, right, .. }
        | Shape::Logic { left, right, .. } => check_operands(text, point, mutant, left, right),
        Shape::Block => {
            let before = &text[point.span.start..mutant.span.start];
            let behind = &text[mutant.span.end..point.span.end];
            let block = format!("{{{before}{}{behind}}}", mutant.replacement);
            syn::parse_str::<syn::Block>(&block)
                .unwrap_or_else(|error| panic!("{error}: {}", about()));
        }
        Shape::Assignment { .. } | Shape::Body | Shape::IteratorBody { .. } => {}
    }
}

/// An expression without the parentheses around it and without white space.
fn tokens(text: &str) -> String {
    let mut expression =
        syn::parse_str::<syn::Expr>(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    while let syn::Expr::Paren(inner) = expression {
        expression = *inner.expr;
    }
    let text = &text[expression.span().byte_range()];
    one_line(text)
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect()
}

/// Another operator between the same operands, or what the letter says.
fn check_operands(text: &str, point: &Point, mutant: &Mutant, left: Span, right: Span) {
    let edited = edited(text, point, mutant);
    let same = |part: &str, span: Span| {
        assert_eq!(
            tokens(part),
            tokens(span.text(text)),
            "{} {edited}",
            point.span.text(text)
        );
    };
    match mutant.letter {
        'L' => same(&edited, left),
        'R' => same(&edited, right),
        'T' => assert_eq!(edited, "true"),
        'F' => assert_eq!(edited, "false"),
        letter => {
            let mut expression = syn::parse_str::<syn::Expr>(&edited)
                .unwrap_or_else(|error| panic!("{error}: {edited}"));
            while let syn::Expr::Paren(inner) = expression {
                expression = *inner.expr;
            }
            let syn::Expr::Binary(binary) = expression else {
                panic!("{edited} is no operation");
            };
            let range = |node: proc_macro2::Span| &edited[node.byte_range()];
            same(range(binary.left.span()), left);
            same(range(binary.right.span()), right);
            let op = range(binary.op.span());
            let is_relation = matches!(point.shape, Shape::Relation { .. });
            let expected = match (letter, is_relation) {
                ('l', true) => "<=",
                ('g', true) => ">=",
                ('=', true) => "==",
                ('!', true) => "!=",
                ('l', false) => "<<",
                ('r', false) => ">>",
                ('&', _) if op.len() == 2 => "&&",
                ('|', _) if op.len() == 2 => "||",
                (other, _) => &other.to_string(),
            };
            assert_eq!(op, expected, "{edited}");
        }
    }
}

/// Each edit alone leaves Rust behind. To parse whole files again and again would take minutes, so
/// only the top-level item around the edit is parsed; and of large files only some edits, others
/// for each file.
fn check_that_edits_parse(name: &str, text: &str, found: &FileMutants) {
    let stride = if text.len() < 1000 { 1 } else { 12 };
    let mut number = text.len();
    let Ok(file) = syn::parse_file(text) else {
        return;
    };
    let skipped = text.len() - text.trim_start_matches('\u{feff}').len();
    let items: Vec<Span> = file
        .items
        .iter()
        .map(|item| item.span().byte_range())
        .map(|range| Span::new(range.start + skipped, range.end + skipped))
        .collect();
    let is_shifted = text.starts_with("#!/");
    for point in &found.points {
        for mutant in &point.mutants {
            number += 1;
            if !number.is_multiple_of(stride) {
                continue;
            }
            let around = items.iter().find(|item| item.contains(mutant.span));
            let (start, end) = match around {
                Some(item) if !is_shifted => (item.start, item.end),
                _ => (0, text.len()),
            };
            let mutated = apply(text, mutant);
            let end = mutated.len() - (text.len() - end);
            let item = &mutated[start..end];
            if let Err(error) = syn::parse_file(item) {
                panic!("{name}: {error}: {} in\n{item}", mutant.summary);
            }
            // The parser keeps every text that it parsed, until told that nobody asks any more.
            proc_macro2::extra::invalidate_current_thread_spans();
        }
    }
}

/// A small generator, so that the same expressions come out everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % sides as u64) as usize
    }

    fn number(&mut self, depth: usize) -> String {
        if depth == 0 {
            return ["a", "b.c", "f(1)", "7", "x[i]", "-2", "m!(z)"][self.roll(7)].to_string();
        }
        let left = self.number(depth - 1);
        match self.roll(14) {
            0 => format!("({left})"),
            1 => format!("-{}", self.number(0)),
            2 => format!("({left}) as u8"),
            3 => format!("({left}).g(|y| y + {})", self.number(0)),
            4 => format!("if {} {{ {left} }} else {{ 0 }}", self.bool(depth - 1)),
            roll => {
                let op = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"][roll - 4];
                let right = self.number(depth - 1);
                let hidden = |text: String| match text.starts_with("if ") {
                    true => format!("({text})"),
                    false => text,
                };
                format!("{} {op} {}", hidden(left), hidden(right))
            }
        }
    }

    fn bool(&mut self, depth: usize) -> String {
        if depth == 0 {
            return ["p", "!q", "r.s()", "true"][self.roll(4)].to_string();
        }
        match self.roll(8) {
            0 => format!("!({})", self.bool(depth - 1)),
            1 | 2 => format!("{} && {}", self.bool(depth - 1), self.bool(depth - 1)),
            3 | 4 => format!("{} || {}", self.bool(depth - 1), self.bool(depth - 1)),
            roll => {
                let op = ["<", ">=", "=="][roll - 5];
                format!(
                    "({}) {op} ({})",
                    self.number(depth - 1),
                    self.number(depth - 1)
                )
            }
        }
    }
}

#[test]
fn generated_expressions_keep_their_operands() {
    let mut dice = Dice(42);
    let mut mutants = 0;
    for round in 0..150 {
        let depth = 1 + round % 4;
        let value = if round % 2 == 0 {
            dice.number(depth)
        } else {
            dice.bool(depth)
        };
        let source = format!(
            "fn f() {{ let v = {value}; if {} {{ return; }} }}",
            dice.bool(depth)
        );
        // The generator does not know that `<` may follow no cast.
        let Ok(found) = find_mutants(&source, &all_operators()) else {
            continue;
        };
        check_file(&source, &source, &found);
        mutants += found
            .points
            .iter()
            .map(|point| point.mutants.len())
            .sum::<usize>();
    }
    assert!(mutants > 1500, "only {mutants} mutants");
}
