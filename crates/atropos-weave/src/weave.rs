//! From a file's text and its mutants to the text that holds them all.

use atropos_mutants::mutant::{FileMutants, MutantId, Span};

use crate::arms::Pieces;
use crate::context::Contexts;
use crate::forms::FileForms;
use crate::layout::{Kind, Planner, Wrap};
use crate::map::WeaveMap;
use crate::writer::Writer;

/// What surrounds a file and decides on what is written into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeaveOptions {
    /// The file is the root of a crate of the edition of 2015, where `::atropos_runtime` has to be
    /// declared.
    pub edition_2015_root: bool,
    /// Step counters are written.
    pub steps: bool,
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
        pieces: Pieces {
            source,
            steps: if options.steps { &mutants.steps } else { &[] },
        },
    };
    let mut layout = planner.layout();
    let mut steps = Vec::new();
    if options.steps {
        for (step, place) in mutants.steps.iter().enumerate() {
            if !forms.is_step_dropped(step) {
                steps.push((step, place.offset));
            }
        }
    }
    let unowned = |offset: usize, kind: Kind| Wrap {
        span: Span::new(offset, offset),
        point: None,
        kind,
    };
    layout.wraps.extend(
        steps
            .iter()
            .map(|&(step, offset)| unowned(offset, Kind::Step(step))),
    );
    if options.edition_2015_root {
        let declaration = unowned(mutants.first_item, Kind::ExternCrate);
        layout.wraps.push(declaration);
    }
    let nodes = nest(layout.wraps);
    let mut weaver = Weaver {
        source,
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
            steps,
        },
        absent: layout.absent,
    }
}

/// A wrap with the wraps inside it.
pub(crate) struct Node {
    pub wrap: Wrap,
    pub children: Vec<Node>,
}

/// Puts each wrap into the smallest one around it.
fn nest(mut wraps: Vec<Wrap>) -> Vec<Node> {
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
    let mut open: Vec<Node> = Vec::new();
    let mut close = |open: &mut Vec<Node>, until: usize| {
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
        let node = Node {
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
fn depth(kind: &Kind) -> u8 {
    match kind {
        Kind::ExternCrate => 0,
        Kind::Step(_) => 1,
        Kind::Body(_) => 2,
        Kind::Statement(_) => 3,
        Kind::Switch { .. } | Kind::Condition { .. } | Kind::IteratorTail(_) => 4,
        Kind::Guard { .. } | Kind::NewGuard(_) => 4,
        Kind::Operands { .. }
        | Kind::Logic { .. }
        | Kind::Assignment { .. }
        | Kind::Range { .. } => 5,
    }
}

/// Writes a tree of wraps.
pub(crate) struct Weaver<'s> {
    source: &'s str,
    pub writer: Writer<'s>,
}

impl<'s> Weaver<'s> {
    /// Writes a part of the source with those of the nodes that lie in it.
    fn parts(&mut self, nodes: &[Node], span: Span) {
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
    pub(crate) fn inside(&mut self, node: &Node, span: Span) {
        self.parts(&node.children, span);
    }

    pub(crate) fn text(&self, span: Span) -> &'s str {
        span.text(self.source)
    }
}
