//! Deletions that change more than what runs: where control goes, and what a variable holds.
//!
//! rustc's complaint about a deleted `return` names everything but the `return`: a value that is
//! used after it was moved, a block whose type is now `()`. The same goes for a deleted assignment,
//! without which an old borrow lives on or a variable stays without a value, and for a deleted macro
//! that defines what is used elsewhere. So the points with
//! such deletions are remembered, and they are the first suspects when an error of that kind points
//! elsewhere.

use std::collections::BTreeSet;

use atropos_mutants::mutant::{Point, Shape, Span};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use serde::{Deserialize, Serialize};
use syn::visit::Visit;
use syn::{Expr, Stmt};

use crate::context::Contexts;
use crate::diagnostics::RustcDiagnostic;
use crate::source_map::WeaveMap;

/// What a point's mutants do to the flow of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Flow {
    pub change: FlowChange,
    /// The block that the statement stands in.
    pub block: Span,
    /// Nothing but items follows in the block.
    pub is_last: bool,
}

impl Flow {
    fn is_jump(&self) -> bool {
        matches!(self.change, FlowChange::Stays | FlowChange::LeavesElsewhere)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FlowChange {
    /// Control goes on where it was to leave.
    Stays,
    /// Control leaves elsewhere.
    LeavesElsewhere,
    /// A variable keeps what it held.
    Keeps(String),
    /// Variables that had no value get none: what goes behind the statement has given them one on the way.
    Misses(Vec<String>),
    /// What a macro defines is not there: any of the names that it is given.
    Hides(Vec<String>),
}

/// A place in the source that an error points at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ErrorLabel {
    pub span: Span,
    /// What happens there matters in the next round of a loop.
    pub is_round_before: bool,
}

/// Words that show that control may leave.
const LEAVING: [&str; 9] = [
    "return",
    "break",
    "continue",
    "loop",
    "panic",
    "unreachable",
    "todo",
    "exit",
    "abort",
];

/// What the mutants of a point do to the flow, if anything.
pub(crate) fn flow_of(source: &str, point: &Point, contexts: &Contexts) -> Option<Flow> {
    let change = match point.shape {
        Shape::Statement => change_of_deletion(point.span.text(source))?,
        Shape::Expression if is_jump(point.span.text(source)) => FlowChange::LeavesElsewhere,
        _ => return None,
    };
    let statement = contexts.statement(point.span)?;
    Some(Flow {
        change,
        block: statement.block,
        is_last: statement.is_last,
    })
}

fn change_of_deletion(statement: &str) -> Option<FlowChange> {
    let block: syn::Block = syn::parse_str(&format!("{{ {statement} }}")).ok()?;
    if let [Stmt::Expr(Expr::Assign(assign), _)] = block.stmts.as_slice()
        && let Some(name) = root_name(&assign.left)
    {
        return Some(FlowChange::Keeps(name));
    }
    if let [Stmt::Expr(compound, _)] = block.stmts.as_slice() {
        let names = given_by(compound);
        if !names.is_empty() {
            return Some(FlowChange::Misses(names.into_iter().collect()));
        }
    }
    if goes_on(&block) {
        // Control could go on behind it all along.
        return match block.stmts.as_slice() {
            [Stmt::Macro(call)] => hidden_by(&call.mac),
            _ => None,
        };
    }
    let tokens: TokenStream = statement.parse().ok()?;
    may_leave(tokens).then_some(FlowChange::Stays)
}

/// Whether control surely can come to the end of a block.
fn goes_on(block: &syn::Block) -> bool {
    block.stmts.iter().all(|statement| match statement {
        Stmt::Expr(expr, _) => goes_on_behind(expr),
        Stmt::Item(_) => true,
        Stmt::Local(_) | Stmt::Macro(_) => !may_leave(statement.to_token_stream()),
    })
}

fn goes_on_behind(expr: &Expr) -> bool {
    match expr {
        Expr::If(branch) => match &branch.else_branch {
            Some((_, other)) => goes_on(&branch.then_branch) || goes_on_behind(other),
            None => true,
        },
        Expr::Match(choice) => choice.arms.iter().any(|arm| goes_on_behind(&arm.body)),
        Expr::While(_) | Expr::ForLoop(_) => true,
        Expr::Block(block) => goes_on(&block.block),
        other => !may_leave(other.to_token_stream()),
    }
}

/// The variables that have been assigned to on every way to what follows an expression. A loop is left from where they have
/// been: the program compiled.
fn given_by(expr: &Expr) -> BTreeSet<String> {
    match expr {
        Expr::Assign(assign) => match &*assign.left {
            Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
            _ => None,
        }
        .into_iter()
        .collect(),
        Expr::If(branch) => match &branch.else_branch {
            Some((_, other)) => {
                let ways = [
                    (
                        goes_on(&branch.then_branch),
                        given_by_block(&branch.then_branch),
                    ),
                    (goes_on_behind(other), given_by(other)),
                ];
                on_every_way(ways)
            }
            None => BTreeSet::new(),
        },
        Expr::Match(choice) => on_every_way(
            choice
                .arms
                .iter()
                .map(|arm| (goes_on_behind(&arm.body), given_by(&arm.body))),
        ),
        Expr::Loop(repeated) => {
            let mut assigned = Assigned::default();
            assigned.visit_block(&repeated.body);
            assigned.0
        }
        Expr::Block(block) => given_by_block(&block.block),
        Expr::Unsafe(block) => given_by_block(&block.block),
        _ => BTreeSet::new(),
    }
}

fn given_by_block(block: &syn::Block) -> BTreeSet<String> {
    let statements = block.stmts.iter().filter_map(|statement| match statement {
        Stmt::Expr(expr, _) => Some(expr),
        _ => None,
    });
    statements.flat_map(given_by).collect()
}

/// What all ways have in common of which control goes on.
fn on_every_way(ways: impl IntoIterator<Item = (bool, BTreeSet<String>)>) -> BTreeSet<String> {
    let open = ways.into_iter().filter(|(goes_on, _)| *goes_on);
    let common = open.map(|(_, names)| names);
    common
        .reduce(|one, other| one.intersection(&other).cloned().collect())
        .unwrap_or_default()
}

/// The variables that are assigned to anywhere.
#[derive(Default)]
struct Assigned(BTreeSet<String>);

impl<'ast> Visit<'ast> for Assigned {
    fn visit_expr_assign(&mut self, node: &'ast syn::ExprAssign) {
        if let Expr::Path(path) = &*node.left {
            self.0
                .extend(path.path.get_ident().map(ToString::to_string));
        }
        syn::visit::visit_expr_assign(self, node);
    }
}

fn may_leave(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => LEAVING.iter().any(|word| ident == word),
        TokenTree::Group(group) => may_leave(group.stream()),
        _ => false,
    })
}

fn hidden_by(call: &syn::Macro) -> Option<FlowChange> {
    let mut names = BTreeSet::new();
    add_names(call.tokens.clone(), &mut names);
    (!names.is_empty()).then(|| FlowChange::Hides(names.into_iter().collect()))
}

fn add_names(tokens: TokenStream, names: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => {
                names.insert(ident.to_string());
            }
            TokenTree::Group(group) => add_names(group.stream(), names),
            _ => {}
        }
    }
}

fn is_jump(text: &str) -> bool {
    text.starts_with("break") || text.starts_with("continue")
}

/// The variable that an assignment writes to, or into.
fn root_name(place: &Expr) -> Option<String> {
    match place {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        Expr::Field(field) => root_name(&field.base),
        Expr::Index(index) => root_name(&index.expr),
        Expr::Paren(inner) => root_name(&inner.expr),
        _ => None,
    }
}

/// Errors of the borrow checker: they depend on where control goes.
const FLOW_CODES: [&str; 12] = [
    "E0381", "E0382", "E0384", "E0499", "E0502", "E0503", "E0505", "E0506", "E0510", "E0597",
    "E0713", "E0716",
];

/// Errors about names that nothing has.
const NAME_CODES: [&str; 7] = [
    "E0405", "E0412", "E0422", "E0425", "E0432", "E0433", "E0531",
];

/// Whether an error comes from the borrow checker.
pub(crate) fn is_about_flow(error: &RustcDiagnostic) -> bool {
    FLOW_CODES.contains(&error.code())
}

/// Whether an error says that something has no value.
pub(crate) fn is_about_a_missing_value(error: &RustcDiagnostic) -> bool {
    matches!(error.code(), "E0308" | "E0317")
        && (error.mentions("found `()`") || error.mentions("found unit type"))
}

/// The points in a file whose deletions explain an error; `labels` are the places there that it points at.
pub(crate) fn suspects(
    map: &WeaveMap,
    error: &RustcDiagnostic,
    labels: &[ErrorLabel],
) -> Vec<usize> {
    let labelled: Vec<Span> = labels.iter().map(|label| label.span).collect();
    let Some(&main) = labelled.first() else {
        return Vec::new();
    };
    match error.code() {
        "E0308" | "E0317" => without_value(map, error, main),
        "E0384" => assigned_twice(map, &labelled),
        code if NAME_CODES.contains(&code) => hiding(map, error, main),
        _ if is_about_flow(error) => {
            let kept = kept_variables(map, error, labels);
            // A variable that was never given a value has nothing to do with where control goes,
            // unless no assignment to it can be deleted.
            if kept.is_empty() {
                staying(map, labels)
            } else {
                kept
            }
        }
        _ => Vec::new(),
    }
}

fn points_with_flow(map: &WeaveMap) -> impl Iterator<Item = (usize, Span, &Flow)> {
    map.points()
        .iter()
        .filter_map(|point| Some((point.point, point.span, point.flow.as_ref()?)))
}

/// A block that used to end by leaving now ends with `()`.
fn without_value(map: &WeaveMap, error: &RustcDiagnostic, place: Span) -> Vec<usize> {
    if !is_about_a_missing_value(error) {
        return Vec::new();
    }
    let last = |within: Span| -> Vec<usize> {
        points_with_flow(map)
            .filter(|(_, span, flow)| {
                flow.is_last && flow.change == FlowChange::Stays && within.contains(*span)
            })
            .map(|(point, ..)| point)
            .collect()
    };
    let exactly: Vec<usize> = points_with_flow(map)
        .filter(|(_, _, flow)| {
            flow.is_last && flow.change == FlowChange::Stays && flow.block == place
        })
        .map(|(point, ..)| point)
        .collect();
    if !exactly.is_empty() {
        return exactly;
    }
    let inside = last(place);
    if !inside.is_empty() {
        return inside;
    }
    let function = map.function_around(place);
    function.map(last).unwrap_or_default()
}

/// Deleted assignments to variables that the error speaks of.
fn kept_variables(map: &WeaveMap, error: &RustcDiagnostic, labels: &[ErrorLabel]) -> Vec<usize> {
    let labelled: Vec<Span> = labels.iter().map(|label| label.span).collect();
    let Some(function) = labelled.first().and_then(|span| map.function_around(*span)) else {
        return Vec::new();
    };
    // What a variable was never given may be missed anywhere, and a loop comes back from anywhere.
    let is_anywhere = error.code() == "E0381" || labels.iter().any(|label| label.is_round_before);
    let scope = match is_anywhere {
        true => function,
        false => hull(&labelled),
    };
    // Conditions that are only labelled on the way name others.
    let is_missing = |name: &String| error.message.contains(&format!("`{name}`"));
    let is_without_value = error.code() == "E0381";
    points_with_flow(map)
        .filter(|(_, span, _)| scope.contains(*span))
        .filter(|(.., flow)| match &flow.change {
            FlowChange::Keeps(name) if is_without_value => is_missing(name),
            FlowChange::Keeps(name) => error.names(name),
            FlowChange::Misses(names) => is_without_value && names.iter().any(is_missing),
            FlowChange::Stays | FlowChange::LeavesElsewhere | FlowChange::Hides(_) => false,
        })
        .map(|(point, ..)| point)
        .collect()
}

/// Deleted macros that may define the name that is missing at a place: woven, they stand in a block of their own.
fn hiding(map: &WeaveMap, error: &RustcDiagnostic, place: Span) -> Vec<usize> {
    let is_missing = |name: &String| error.message.contains(&format!("`{name}`"));
    points_with_flow(map)
        .filter(|(.., flow)| flow.block.contains(place))
        .filter(|(.., flow)| match &flow.change {
            FlowChange::Hides(names) => names.iter().any(is_missing),
            _ => false,
        })
        .map(|(point, ..)| point)
        .collect()
}

/// Deleted jumps behind the first of the labelled places, in a block around it, or behind each of those that a next round
/// of a loop would come back to; failing that, any between the first and the last, or behind the last.
fn staying(map: &WeaveMap, labels: &[ErrorLabel]) -> Vec<usize> {
    let labelled: Vec<Span> = labels.iter().map(|label| label.span).collect();
    let again = labels.iter().filter(|label| label.is_round_before);
    let mut causes: Vec<Span> = again.map(|label| label.span).collect();
    if causes.is_empty() {
        causes.extend(labelled.iter().min());
    }
    let nearest: BTreeSet<usize> = causes
        .iter()
        .flat_map(|cause| jumps_behind(map, *cause))
        .collect();
    if !nearest.is_empty() {
        return nearest.into_iter().collect();
    }
    let between = hull(&labelled);
    let first = causes.iter().min().map_or(0, |first| first.end);
    let mut jumps: Vec<usize> = points_with_flow(map)
        .filter(|(_, span, flow)| flow.is_jump() && span.start >= first && between.contains(*span))
        .map(|(point, ..)| point)
        .collect();
    if jumps.is_empty() {
        // The first one may be the head of a loop, and the last one where the loop was left.
        jumps.extend(
            labelled
                .iter()
                .max()
                .iter()
                .flat_map(|last| jumps_behind(map, **last)),
        );
    }
    jumps
}

/// Deleted jumps behind assignments to a variable that may have one value only: without the jump, control comes from one
/// to the other, or to the same again. (No deleted assignment does that.)
fn assigned_twice(map: &WeaveMap, assignments: &[Span]) -> Vec<usize> {
    let jumps = assignments
        .iter()
        .flat_map(|place| jumps_behind(map, *place));
    let jumps: BTreeSet<usize> = jumps.collect();
    jumps.into_iter().collect()
}

/// Deleted jumps behind a place, in the smallest block around it that has any.
fn jumps_behind(map: &WeaveMap, place: Span) -> Vec<usize> {
    let around: Vec<(usize, Span, &Flow)> = points_with_flow(map)
        .filter(|(_, span, flow)| {
            flow.is_jump() && span.start >= place.end && flow.block.contains(place)
        })
        .collect();
    let smallest = around.iter().map(|(.., flow)| length(flow.block)).min();
    around
        .iter()
        .filter(|(.., flow)| Some(length(flow.block)) == smallest)
        .map(|(point, ..)| *point)
        .collect()
}

fn length(span: Span) -> usize {
    span.end - span.start
}

/// From the start of the first to the end of the last.
fn hull(spans: &[Span]) -> Span {
    let start = spans.iter().map(|span| span.start).min();
    let end = spans.iter().map(|span| span.end).max();
    Span::new(start.unwrap_or(0), end.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deletions_that_change_the_flow_are_known() {
        let check = |statement: &str, expected: Option<FlowChange>| {
            assert_eq!(change_of_deletion(statement), expected, "{statement}");
        };
        check("return x;", Some(FlowChange::Stays));
        check(
            "if a { return; } else { panic!() }",
            Some(FlowChange::Stays),
        );
        check("x = 1;", Some(FlowChange::Keeps("x".to_owned())));
        check("a.b[1] = c;", Some(FlowChange::Keeps("a".to_owned())));
        check("if a { return; }", None);
        check("if a { return; } else if b { c() } else { panic!() }", None);
        check("match a { 1 => return, 2 => { b(); } _ => break }", None);
        check(
            "match a { 1 => return, _ => { b(); break } }",
            Some(FlowChange::Stays),
        );
        check(
            "match a { 1 => { let b = c?; d(b); return } _ => f(), }",
            None,
        );
        check("for a in b { return; }", None);
        check("loop { a(); }", Some(FlowChange::Stays));
        let misses = |names: &[&str]| {
            let names = names.iter().map(ToString::to_string);
            Some(FlowChange::Misses(names.collect()))
        };
        check("loop { if a { x = 1; break; } }", misses(&["x"]));
        check("if a { x = 1; y = 1; } else { y = 2 }", misses(&["y"]));
        check("match a { 1 => x = 1, _ => return }", misses(&["x"]));
        check("if a { x = 1; break; }", None);
        check("while a { x = 1; }", None);
        check("f(x);", None);
        let hides = |names: &[&str]| {
            let names = names.iter().map(ToString::to_string);
            Some(FlowChange::Hides(names.collect()))
        };
        check("table! { static A: B = 1; }", hides(&["A", "B", "static"]));
        check("let_it_be!(a, { b });", hides(&["a", "b"]));
        check("note!();", None);
        check("x += 1;", None);
        check("*x = 1;", None);
    }
}
