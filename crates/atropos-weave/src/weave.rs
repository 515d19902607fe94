//! From a file's text and its mutants to the text that holds them all.

use atropos_mutants::mutant::{FileMutants, MutantId, Span, StepPlace};

use crate::arms::SourceCutter;
use crate::context::Contexts;
use crate::forms::FileForms;
use crate::layout::{NodeKind, Planner, Wrap};
use crate::source_map::WeaveMap;
use crate::writer::Writer;

/// What surrounds a file and decides on what is written into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeaveOptions {
    /// The file is the root of a crate of the edition of 2015, where `::atropos_runtime` has to be
    /// declared.
    pub edition_2015_root: bool,
    /// Step counters are written.
    pub steps: bool,
    /// The number of the file's first function: each says its own when it is entered.
    pub first_function: u32,
}

/// A woven file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileWeave {
    pub text: String,
    pub map: WeaveMap,
    /// The mutants that are not in the text, with the reason: those that were dropped, and those
    /// that can't be written without changing what they or the original mean.
    pub absent: Vec<(MutantId, String)>,
}

/// Deeply nested expressions recurse deeply, in the parser and here.
const STACK: usize = 256 << 20;

/// Weaves a file's mutants into its text. The result has the lines of the source: what stands in
/// line 7 there stands in line 7 here.
///
/// A thread of its own does the work: it has room for deep recursion, and the parser's table of
/// spans, which lives as long as its thread, does not grow with the number of files.
pub fn weave_file(
    source: &str,
    mutants: &FileMutants,
    forms: &FileForms,
    options: &WeaveOptions,
) -> FileWeave {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("weave".into())
            .stack_size(STACK)
            .spawn_scoped(scope, || weave(source, mutants, forms, options))
            .expect("the system can start a thread")
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn weave(
    source: &str,
    mutants: &FileMutants,
    forms: &FileForms,
    options: &WeaveOptions,
) -> FileWeave {
    let contexts = Contexts::of(source);
    let planner = Planner {
        source,
        mutants,
        forms,
        contexts: &contexts,
        pieces: SourceCutter {
            source,
            steps: if options.steps { &mutants.steps } else { &[] },
            first_function: options.first_function,
        },
    };
    let mut layout = planner.layout();
    let mut steps = Vec::new();
    if options.steps {
        for (step, place) in mutants.steps.iter().enumerate() {
            let at = Span::new(place.offset, place.offset);
            if !forms.is_step_dropped(step) && !is_const(mutants, forms, at) {
                steps.push((step, place.offset));
            }
        }
    }
    let unowned = |offset: usize, kind: NodeKind| Wrap {
        span: Span::new(offset, offset),
        point: None,
        kind,
    };
    layout.wraps.extend(
        steps
            .iter()
            .map(|&(step, offset)| unowned(offset, NodeKind::Step(step))),
    );
    let mut no_longer_const = Vec::new();
    for (index, function) in mutants.const_functions.iter().enumerate() {
        if !forms.is_const_kept(index) {
            no_longer_const.push((index, function.name.clone()));
            layout.wraps.push(Wrap {
                span: function.keyword,
                point: None,
                kind: NodeKind::NoConst,
            });
        }
    }
    if options.edition_2015_root {
        let declaration = unowned(mutants.first_item, NodeKind::ExternCrate);
        layout.wraps.push(declaration);
    }
    let nodes = nest(layout.wraps);
    let mut weaver = Weaver {
        source,
        steps: &mutants.steps,
        first_function: options.first_function,
        writer: Writer::new(source),
    };
    weaver.parts(&nodes, Span::new(0, source.len()));
    let Writer {
        text,
        areas,
        verbatim,
        ..
    } = weaver.writer;
    FileWeave {
        text,
        map: WeaveMap {
            areas,
            verbatim,
            points: layout.points,
            scopes: contexts.scopes,
            no_longer_const,
            steps,
        },
        absent: layout.absent,
    }
}

/// Whether a part of the source belongs to a `const fn` that is left as it is.
pub(crate) fn is_const(mutants: &FileMutants, forms: &FileForms, span: Span) -> bool {
    let mut functions = mutants.const_functions.iter().enumerate();
    functions.any(|(index, function)| forms.is_const_kept(index) && function.evaluates(span))
}

/// A wrap with the wraps inside it.
pub(crate) struct WrapTree {
    pub wrap: Wrap,
    pub children: Vec<WrapTree>,
}

/// Puts each wrap into the smallest one around it.
fn nest(mut wraps: Vec<Wrap>) -> Vec<WrapTree> {
    wraps.sort_by_key(|wrap| {
        let Span { start, end } = wrap.span;
        (
            start,
            start != end,
            usize::MAX - end,
            depth(&wrap.kind),
            wrap.point,
        )
    });
    let mut roots = Vec::new();
    let mut open: Vec<WrapTree> = Vec::new();
    let mut close = |open: &mut Vec<WrapTree>, until: usize| {
        while open.last().is_some_and(|node| node.wrap.span.end <= until) {
            let Some(node) = open.pop() else { break };
            match open.last_mut() {
                Some(parent) => parent.children.push(node),
                None => roots.push(node),
            }
        }
    };
    for wrap in wraps {
        close(&mut open, wrap.span.start);
        let node = WrapTree {
            wrap,
            children: Vec::new(),
        };
        open.push(node);
    }
    close(&mut open, usize::MAX);
    roots
}

/// Which of several wraps of the same span is the outer one: what stands before it comes first,
/// what takes it apart comes last.
fn depth(kind: &NodeKind) -> u8 {
    match kind {
        NodeKind::ExternCrate => 0,
        NodeKind::Step(_) | NodeKind::NoConst => 1,
        NodeKind::Body(_) | NodeKind::NoIterator(_) => 2,
        NodeKind::Block(_) => 2,
        NodeKind::Statement(_) => 3,
        NodeKind::Switch { .. } | NodeKind::Condition { .. } | NodeKind::Iterator => 4,
        NodeKind::Initialiser(_) => 4,
        NodeKind::Guard { .. } | NodeKind::NewGuard(_) => 4,
        NodeKind::Constant { .. }
        | NodeKind::Operands { .. }
        | NodeKind::Logic { .. }
        | NodeKind::Assignment { .. }
        | NodeKind::Range { .. } => 5,
    }
}

/// Writes a tree of wraps.
pub(crate) struct Weaver<'s> {
    source: &'s str,
    pub steps: &'s [StepPlace],
    pub first_function: u32,
    pub writer: Writer<'s>,
}

impl<'s> Weaver<'s> {
    /// Writes a part of the source with those of the nodes that lie in it.
    fn parts(&mut self, nodes: &[WrapTree], span: Span) {
        let mut position = span.start;
        for node in nodes {
            if span.contains(node.wrap.span) {
                self.writer.copy(Span::new(position, node.wrap.span.start));
                self.node(node);
                position = node.wrap.span.end;
            }
        }
        self.writer.copy(Span::new(position, span.end));
    }

    /// Writes a part of a node with what is woven into it.
    pub(crate) fn inside(&mut self, node: &WrapTree, span: Span) {
        self.parts(&node.children, span);
    }

    pub(crate) fn text(&self, span: Span) -> &'s str {
        span.text(self.source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forms::Form;
    use atropos_mutants::{FindOptions, OperatorSelection, find_mutants};
    use std::path::Path;

    fn numbered(source: &str) -> FileMutants {
        made_by(OperatorSelection::all(), source)
    }

    fn made_by(selection: OperatorSelection, source: &str) -> FileMutants {
        let options = FindOptions {
            selection,
            ..FindOptions::default()
        };
        let mut mutants = crate::find_points(source, &options).unwrap();
        let all = mutants.points.iter_mut();
        for (mutant, id) in all.flat_map(|point| &mut point.mutants).zip(1..) {
            mutant.id = MutantId(id);
        }
        mutants
    }

    const OPTIONS: WeaveOptions = WeaveOptions {
        edition_2015_root: false,
        steps: true,
        first_function: 0,
    };

    /// Weaves with every point in a form and checks that all that was taken over from the source
    /// stands in its line.
    fn check_lines(source: &str, form: Form) {
        let mutants = numbered(source);
        let mut forms = FileForms::new();
        for point in 0..mutants.points.len() {
            forms.set_form(point, form);
        }
        let weave = weave_file(source, &mutants, &forms, &OPTIONS);
        let lines = |text: &str| text.matches('\n').count();
        assert_eq!(lines(source), lines(&weave.text));
        let (mut source_line, mut woven_line, mut source_end, mut woven_end) = (0, 0, 0, 0);
        for part in &weave.map.verbatim {
            // An assignment's right side comes before its place; both are on one line.
            if part.source >= source_end {
                source_line += lines(&source[source_end..part.source]);
                source_end = part.source;
            } else {
                assert_eq!(lines(&source[part.source..source_end]), 0);
            }
            woven_line += lines(&weave.text[woven_end..part.woven]);
            woven_end = part.woven;
            assert_eq!(source_line, woven_line, "{:?}", &source[part.source..]);
        }
        let parsed = weave.text.trim_start_matches('\u{feff}');
        syn::parse_file(parsed).expect("woven text is Rust");
    }

    #[test]
    fn our_own_sources_keep_their_lines_in_every_form() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut files = Vec::new();
        for name in ["atropos-weave", "atropos-mutants"] {
            for entry in std::fs::read_dir(crates.join(name).join("src")).unwrap() {
                files.push(entry.unwrap().path());
            }
        }
        files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
        assert!(files.len() > 20);
        for file in files {
            let source = std::fs::read_to_string(file).unwrap();
            check_lines(&source, Form::Values);
            check_lines(&source, Form::Plain);
        }
    }

    #[test]
    fn carriage_returns_byte_order_marks_and_shebangs_stay() {
        for start in [
            "",
            "\u{feff}",
            "#!/usr/bin/env x\r\n",
            "\u{feff}#!/bin/x\r\n",
        ] {
            let source = format!(
                "{start}//! Doc.\r\nfn f(a: u8, b: u8) -> bool {{\r\n    a ==\r\n        b\r\n}}\r\n"
            );
            for form in [Form::Values, Form::Plain] {
                check_lines(&source, form);
            }
            let weave = weave_file(&source, &numbered(&source), &FileForms::new(), &OPTIONS);
            assert!(!weave.map.points().is_empty());
            assert!(weave.text.starts_with(start));
            assert_eq!(
                source.matches("\r\n").count(),
                weave.text.matches("\r\n").count()
            );
        }
    }

    #[test]
    fn the_declaration_for_2015_stands_behind_inner_attributes() {
        let source = "//! Doc.\n#![allow(unused)]\nfn f() {}\n";
        let options = WeaveOptions {
            edition_2015_root: true,
            steps: false,
            first_function: 0,
        };
        let weave = weave_file(source, &numbered(source), &FileForms::new(), &options);
        let expected = "#![allow(unused)]extern crate atropos_runtime;\n";
        assert!(weave.text.contains(expected), "{}", weave.text);
    }

    #[test]
    fn mutants_without_numbers_are_not_woven() {
        let source = "fn f(a: u8) -> u8 { a + 1 }";
        let mutants = find_mutants(source, &FindOptions::default()).unwrap();
        let weave = weave_file(
            source,
            &mutants,
            &FileForms::new(),
            &WeaveOptions::default(),
        );
        assert_eq!(weave.text, source);
        assert!(weave.absent[0].1.contains("not numbered"));
    }

    #[test]
    fn a_dropped_mutant_leaves_the_others() {
        let source = "fn f(a: u8, b: u8) -> bool { a < b }";
        let mutants = made_by(OperatorSelection::parse(&["ROR"]).unwrap(), source);
        assert_eq!(mutants.points.len(), 1);
        let mut forms = FileForms::new();
        forms.drop_mutant(MutantId(2), "why not");
        let weave = weave_file(source, &mutants, &forms, &OPTIONS);
        assert_eq!(weave.absent, [(MutantId(2), "why not".to_owned())]);
        let call = "relate(1, b'<', b\"l.F\"";
        assert!(weave.text.contains(call), "{}", weave.text);
        assert!(weave.text.contains("{ 0 | 2 | 4.. =>"), "{}", weave.text);
    }

    #[test]
    fn a_number_is_decided_by_what_the_operator_makes_of_it() {
        let source = "fn f(a: i32) -> bool { a / 10 > -1 }";
        let mutants = numbered(source);
        let weave = weave_file(source, &mutants, &FileForms::new(), &OPTIONS);
        for part in [
            ", b'/', false, b\"ab\", &[10, 11, 9], ",
            ", b'>', true, b\"a\", &[-1, 1], ",
            // Another point around the same number.
            ", _ => (0) })",
        ] {
            assert!(weave.text.contains(part), "{part}: {}", weave.text);
        }
        let mut forms = FileForms::new();
        let quotient = |point: &atropos_mutants::mutant::Point| point.span.text(source) == "a / 10";
        let quotient = mutants.points.iter().position(quotient).unwrap();
        forms.set_form(quotient, Form::Plain);
        let weave = weave_file(source, &mutants, &forms, &OPTIONS);
        // Nothing has a name there.
        assert!(!weave.text.contains("b'/', false"), "{}", weave.text);
    }

    #[test]
    fn hundreds_of_nested_operands_are_no_problem() {
        let source = format!("fn f(a: u64) -> u64 {{ {} a }}", "a + ".repeat(300));
        let mutants = numbered(&source);
        let weave = weave_file(&source, &mutants, &FileForms::new(), &OPTIONS);
        assert!(weave.map.points().len() >= 300);
    }
}
