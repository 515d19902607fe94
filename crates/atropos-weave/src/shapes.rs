//! The text of each form.
//!
//! Some of it looks roundabout. The reasons:
//! - Everything is in parentheses: a `match` or a block at the start of a statement would end it.
//! - The original's arm stands first, so that rustc measures the mutants' types against it.
//! - The left side of `&&` is written `(a) && true`: so its temporaries are dropped before the
//!   right side is evaluated, as they are in the original; in `match a { … }` they would not be.
//! - Where values are shown, a cold point does not even look at them, and its original stands in a
//!   branch of its own: most of a program's time would else be spent at points that don't matter.

use atropos_mutants::letters::{arithmetic_text, relation_text};
use atropos_mutants::mutant::Span;
use atropos_values::interface::{
    AT, COLD, COND, CONSTANT, LOGIC, MAYBE_EMPTY, ON, PEEK, PEEK_ANY, PEEK_PRIM, RUNTIME,
};

use crate::arms::step_call;
use crate::choice::WovenChoice;
use crate::constants::UnnamedOperator;
use crate::layout::{DecisionCall, LEFT, NodeKind, OperandAccess, PLACE, RIGHT};
use crate::source_map::TextOwner;
use crate::weave::{Weaver, WrapTree};

/// Brings the methods that look at values into scope.
fn use_peek() -> String {
    format!("use {PEEK_ANY} as _; use {PEEK_PRIM} as _;")
}

fn peek(reference: &str) -> String {
    format!("(&{PEEK}({reference})).peek()")
}

/// Whether a node, or one around the same text inside it, is of a kind.
fn holds(node: &WrapTree, is_of_kind: impl Fn(&WrapTree) -> bool + Copy) -> bool {
    let inside = |child: &WrapTree| child.wrap.span == node.wrap.span && holds(child, is_of_kind);
    is_of_kind(node) || node.children.iter().any(inside)
}

impl Weaver<'_> {
    pub(crate) fn node(&mut self, node: &WrapTree) {
        let owner = match (node.wrap.point, &node.wrap.kind) {
            (_, NodeKind::Step(step)) => TextOwner::Step { step: *step },
            (Some(point), _) => TextOwner::Frame { point },
            (None, NodeKind::NoConst) => {
                // Columns stay what they are.
                let width = node.wrap.span.end - node.wrap.span.start;
                self.writer.put(&" ".repeat(width));
                return;
            }
            (None, _) => {
                self.writer.put(&format!("extern crate {RUNTIME};"));
                return;
            }
        };
        let area = self.writer.open(owner);
        self.kind(node);
        self.writer.close(area);
    }

    fn kind(&mut self, node: &WrapTree) {
        let span = node.wrap.span;
        match &node.wrap.kind {
            NodeKind::Step(counter) => {
                let place = &self.steps[*counter];
                let call = step_call(*counter, place, self.first_function);
                self.writer.put(&call);
            }
            NodeKind::ExternCrate | NodeKind::NoConst => {}
            NodeKind::Switch { choice, access } => self.switch(node, choice, *access),
            NodeKind::Body(choice) => self.early_return(node, choice),
            NodeKind::Block(choice) => {
                let head = format!(
                    "match {} {{ {} => {{ ",
                    choice.plain_call(),
                    choice.original_of_plain_call()
                );
                self.writer.put(&head);
                self.inside(node, span);
                self.writer.put(" }");
                self.variants(node, choice, str::to_owned);
                self.writer.put(" }");
            }
            NodeKind::Initialiser(choice) => {
                let head = format!(
                    "(|| match {} {{ {} => (",
                    choice.plain_call(),
                    choice.original_of_plain_call()
                );
                self.writer.put(&head);
                self.inside(node, span);
                self.writer.put(")()");
                self.variants(node, choice, |code| format!("({code})()"));
                self.writer.put(" })");
            }
            NodeKind::Operands { .. } => self.operands(node),
            NodeKind::Constant { .. } => self.constant(node),
            NodeKind::Logic { .. } => self.logic(node),
            NodeKind::Assignment { .. } => self.assignment(node),
            NodeKind::Condition { letters, first } => {
                let call = format!("{COND}({}, b\"{letters}\", ", first.0);
                self.writer.put(&call);
                self.inside(node, span);
                self.writer.put(")");
            }
            NodeKind::Range { .. } => self.range(node),
            NodeKind::Statement(id) => {
                let head = format!("if !{ON}({}) {{ ", id.0);
                self.writer.put(&head);
                self.inside(node, span);
                self.writer.put(" }");
            }
            NodeKind::NoIterator(id) => {
                let condition = format!("if {ON}({})", id.0);
                let early = format!("{{ return {MAYBE_EMPTY}(None); }}");
                self.writer.put(&format!("{condition} {early}"));
            }
            NodeKind::Iterator => {
                self.writer.put(&format!("{MAYBE_EMPTY}(Some("));
                self.inside(node, span);
                self.writer.put("))");
            }
            NodeKind::Guard { id, has_let } => {
                let (open, close) = if *has_let { ("", "") } else { ("(", ")") };
                let head = format!("!{ON}({}) && {open}", id.0);
                self.writer.put(&head);
                self.inside(node, span);
                self.writer.put(close);
            }
            NodeKind::NewGuard(id) => {
                let guard = format!(" if !{ON}({}) ", id.0);
                self.writer.put(&guard);
            }
        }
    }

    fn switch(&mut self, node: &WrapTree, choice: &WovenChoice, access: OperandAccess) {
        let (open, original, before, close) = match access {
            OperandAccess::Value => ("(", "(", "(", ")"),
            OperandAccess::Braced => ("{ ", "(", "(", " }"),
            OperandAccess::ByCopy => ("(", "*&(", "(", ")"),
            OperandAccess::ByRef => ("(*", "&(", "&(", ")"),
            OperandAccess::ByMut => ("(*", "&mut (", "&mut (", ")"),
        };
        let head = format!(
            "{open}match {} {{ {} => {original}",
            choice.plain_call(),
            choice.original_of_plain_call()
        );
        self.writer.put(&head);
        self.inside(node, node.wrap.span);
        self.writer.put(")");
        self.variants(node, choice, |code| format!("{before}{code})"));
        self.writer.put(&format!(" }}{close}"));
    }

    fn early_return(&mut self, node: &WrapTree, choice: &WovenChoice) {
        let head = format!("match {AT}({}) {{ ", choice.first.0);
        self.writer.put(&head);
        for variant in &choice.variants {
            self.writer.put(&format!("{} => ", variant.number));
            self.variant(node, variant.id, &format!("return ({})", variant.code));
            self.writer.put(", ");
        }
        self.writer.put("_ => {} }");
    }

    /// The variants' arms, behind the original's.
    fn variants(&mut self, node: &WrapTree, choice: &WovenChoice, code: impl Fn(&str) -> String) {
        for variant in &choice.variants {
            self.writer
                .put(&format!(", {} => ", choice.pattern(variant)));
            self.variant(node, variant.id, &code(&variant.code));
        }
    }

    fn variant(&mut self, node: &WrapTree, mutant: atropos_mutants::mutant::MutantId, code: &str) {
        match node.wrap.point {
            Some(point) => self
                .writer
                .put_owned(TextOwner::Variant { point, mutant }, code),
            None => self.writer.put(code),
        }
    }

    fn operands(&mut self, node: &WrapTree) {
        let NodeKind::Operands {
            left,
            right,
            is_borrowed,
            question,
            original,
            choice,
        } = &node.wrap.kind
        else {
            return;
        };
        let (open, close) = if *is_borrowed { ("&(", ")") } else { ("", "") };
        let is_constant = |node: &WrapTree| match &node.wrap.kind {
            NodeKind::Constant { operator, .. } => operator.unnamed.is_none(),
            _ => false,
        };
        let mut children = node.children.iter();
        let shows_left =
            children.any(|child| child.wrap.span == *right && holds(child, is_constant));
        // One after the other, the left side is known by its name when the right one is evaluated.
        let (between, end, last) = match shows_left {
            true => (
                format!(") {{ {LEFT} => match ("),
                format!(") {{ {RIGHT} => "),
                " } })",
            ),
            false => (
                ", ".to_owned(),
                format!(") {{ ({LEFT}, {RIGHT}) => "),
                " })",
            ),
        };
        self.writer.put(&format!("(match ({open}"));
        self.inside(node, *left);
        self.writer.put(&format!("{close}{between}"));
        self.writer.newlines(Span::new(left.end, right.start));
        self.writer.put(open);
        self.inside(node, *right);
        self.writer.put(&format!("{close}{end}"));
        let reference = |name: &str| match is_borrowed {
            true => peek(name),
            false => peek(&format!("&{name}")),
        };
        self.ask(
            node,
            question,
            original,
            choice,
            &[reference(LEFT), reference(RIGHT)],
        );
        self.writer.put(last);
    }

    fn constant(&mut self, node: &WrapTree) {
        let NodeKind::Constant {
            choice,
            arguments,
            operator,
            right,
        } = &node.wrap.kind
        else {
            return;
        };
        let original = self.text(*right).to_owned();
        let (value, open, close, text) = match operator.is_compared {
            true => (peek(LEFT), "&(", ")", relation_text(operator.letter)),
            false => {
                let text = arithmetic_text(operator.letter);
                (peek(&format!("&{LEFT}")), "", "", text)
            }
        };
        if let Some(UnnamedOperator { left, .. }) = operator.unnamed {
            self.writer.put(&format!("(match ({open}"));
            self.inside(node, left);
            let star = if operator.is_compared { "*" } else { "" };
            let text = text.unwrap_or_default();
            let middle = format!("{close}) {{ {LEFT} => {star}{LEFT} {text} ");
            self.writer.put(&middle);
            self.writer.newlines(Span::new(left.end, right.start));
        }
        let question = DecisionCall {
            call: format!("{CONSTANT}({arguments}"),
            shows_values: true,
        };
        self.writer.put("(");
        self.ask(node, &question, &original, choice, &[value]);
        self.writer.put(")");
        if operator.unnamed.is_some() {
            self.writer.put(" })");
        }
    }

    /// Asks the runtime which variant acts and applies it.
    fn ask(
        &mut self,
        node: &WrapTree,
        question: &DecisionCall,
        original: &str,
        choice: &WovenChoice,
        values: &[String],
    ) {
        let (open, values, close) = match question.shows_values {
            true => (
                format!(
                    "if {COLD}({}) {{ {original} }} else {{ {} ",
                    choice.first.0,
                    use_peek()
                ),
                format!(", {}", values.join(", ")),
                " }",
            ),
            false => (String::new(), String::new(), ""),
        };
        let head = format!(
            "{open}match {}{values}) {{ {} => {original}",
            question.call,
            choice.original()
        );
        self.writer.put(&head);
        self.variants(node, choice, str::to_owned);
        self.writer.put(&format!(" }}{close}"));
    }

    fn logic(&mut self, node: &WrapTree) {
        let NodeKind::Logic {
            left,
            right,
            op,
            letters,
            first,
        } = &node.wrap.kind
        else {
            return;
        };
        self.writer.put("(match (");
        self.inside(node, *left);
        let middle = format!(
            ") && true {{ {LEFT} => if {LOGIC}({}, b'{op}', b\"{letters}\", {LEFT}) {{ (",
            first.0
        );
        self.writer.put(&middle);
        self.writer.newlines(Span::new(left.end, right.start));
        self.inside(node, *right);
        self.writer.put(&format!(") }} else {{ {LEFT} }} }})"));
    }

    fn assignment(&mut self, node: &WrapTree) {
        let NodeKind::Assignment {
            place,
            right,
            is_borrowed,
            question,
            original,
            choice,
        } = &node.wrap.kind
        else {
            return;
        };
        self.writer.put("(match (");
        self.inside(node, *right);
        self.writer.put(&format!(") {{ {RIGHT} => "));
        let target = if *is_borrowed {
            self.writer.put("match &mut (");
            self.inside(node, *place);
            self.writer.put(&format!(") {{ {PLACE} => "));
            format!("&*{PLACE}")
        } else {
            format!("&{}", self.text(*place))
        };
        let values = [peek(&target), peek(&format!("&{RIGHT}"))];
        self.ask(node, question, original, choice, &values);
        self.writer.put(if *is_borrowed { " } })" } else { " })" });
    }

    fn range(&mut self, node: &WrapTree) {
        let NodeKind::Range {
            left,
            right,
            is_inclusive,
            id,
        } = &node.wrap.kind
        else {
            return;
        };
        self.writer.put("(match (");
        self.inside(node, *left);
        self.writer.put(", ");
        self.inside(node, *right);
        let not = if *is_inclusive { "!" } else { "" };
        let tail = format!(
            ") {{ ({LEFT}, {RIGHT}) => ({LEFT}..{RIGHT}).chain(({not}{ON}({}) && {LEFT} <= {RIGHT}).then_some({RIGHT})) }})",
            id.0
        );
        self.writer.put(&tail);
    }
}
