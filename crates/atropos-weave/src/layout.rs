//! Decides what is written where: for each point the forms it may take, and for the form it has
//! the pieces of text that are wrapped around it or put before it.

use std::collections::HashSet;

use atropos_mutants::letters::{arithmetic_text, relation_text};
use atropos_mutants::mutant::{FileMutants, Mutant, MutantId, Point, Shape, Span};
use atropos_values::interface::{ARITH, AT, RELATE};
use syn::Expr;

use crate::arms::{SourceCutter, parse};
use crate::choice::{Variant, WovenChoice};
use crate::constants::{OperatorAround, UnnamedOperator, arguments, integer, operators, unnamed};
use crate::context::Contexts;
use crate::effects::{ExpressionEffects, effects_of, is_place};
use crate::exact::is_exact_by_values;
use crate::flow::flow_of;
use crate::forms::{FileForms, Form};
use crate::ranges::RangeEnds;
use crate::site::{SwitchSite, is_literal};
use crate::source_map::{WovenArm, WovenPoint};
use crate::syntax::contains_let;
use crate::weave::is_const;

/// A piece of new text around a part of the source, or before it if the part is empty.
#[derive(Clone, Debug)]
pub(crate) struct Wrap {
    pub span: Span,
    /// `None` for what belongs to no point.
    pub point: Option<usize>,
    pub kind: NodeKind,
}

#[derive(Clone, Debug)]
pub(crate) enum NodeKind {
    /// A step counter, by its number.
    Step(usize),
    /// The word `const` of a function that is no longer one.
    NoConst,
    /// The declaration that the edition of 2015 needs.
    ExternCrate,
    /// The original in an arm of its own.
    Switch {
        choice: WovenChoice,
        access: OperandAccess,
    },
    /// A choice to return early, at the start of a body.
    Body(WovenChoice),
    /// The statements of a block in an arm of their own.
    Block(WovenChoice),
    /// A closure that calls the initialiser or one of the others.
    Initialiser(WovenChoice),
    /// A number behind an operator whose left side has a name there, or gets one.
    Constant {
        choice: WovenChoice,
        /// Of the runtime's question, up to the left side.
        arguments: String,
        operator: OperatorAround,
        /// The number.
        right: Span,
    },
    /// Both operands are evaluated, then one of the operators is applied.
    Operands {
        left: Span,
        right: Span,
        /// The operands are only looked at.
        is_borrowed: bool,
        question: DecisionCall,
        original: String,
        choice: WovenChoice,
    },
    /// The left operand is evaluated, then the runtime says whether the right one is.
    Logic {
        left: Span,
        right: Span,
        op: char,
        letters: String,
        first: MutantId,
    },
    /// The right side is evaluated, then one of the assignments is made.
    Assignment {
        place: Span,
        right: Span,
        /// The place is borrowed once instead of written anew for each variant.
        is_borrowed: bool,
        question: DecisionCall,
        original: String,
        choice: WovenChoice,
    },
    /// The runtime turns the value into another.
    Condition {
        letters: String,
        first: MutantId,
    },
    /// A range whose end is moved by one.
    Range {
        left: Span,
        right: Span,
        is_inclusive: bool,
        id: MutantId,
    },
    Statement(MutantId),
    /// A function that returns an iterator returns one that is empty.
    NoIterator(MutantId),
    /// The iterator that it returns otherwise.
    Iterator,
    /// A guard that is there already; parentheses unless it holds a `let`.
    Guard {
        id: MutantId,
        has_let: bool,
    },
    NewGuard(MutantId),
}

/// How a switch hands on what it chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandAccess {
    /// As a value, in parentheses.
    Value,
    /// As a value, in braces: it stands where a block stood, perhaps without a semicolon.
    Braced,
    ByCopy,
    ByRef,
    ByMut,
}

/// What the runtime is asked at a point with operands.
#[derive(Clone, Debug)]
pub(crate) struct DecisionCall {
    /// With its opening parenthesis and all arguments but the operands' values.
    pub call: String,
    /// Whether the operands' values follow.
    pub shows_values: bool,
}

/// All that is to be woven into a file.
#[derive(Default)]
pub(crate) struct Layout {
    pub wraps: Vec<Wrap>,
    pub points: Vec<WovenPoint>,
    /// Mutants that are not in the text, with the reason.
    pub absent: Vec<(MutantId, String)>,
}

pub(crate) struct Planner<'a> {
    pub source: &'a str,
    pub mutants: &'a FileMutants,
    pub forms: &'a FileForms,
    pub contexts: &'a Contexts,
    pub pieces: SourceCutter<'a>,
}

/// A point while it is being decided on.
struct Draft<'a> {
    index: usize,
    point: &'a Point,
    /// The mutants that are not dropped, with their numbers within the point.
    alive: Vec<(u32, &'a Mutant)>,
}

const UNPARSABLE: &str = "the mutant's text is no expression";
const NO_RANGE: &str = "only a range can be iterated in two ways";
/// Arms of a `match` up to which it may stand there once more for each that can't be left out by a guard.
const FEW_ARMS: usize = 6;
/// Bytes that may be written into a file for the points of one constant.
const MOST_TEXT: usize = 1 << 14;
const NEEDED_CONST: &str = "a constant needs its function at compile time";
const NO_SITE: &str = "its temporaries would be dropped too early";

impl<'a> Planner<'a> {
    pub fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        let mut taken_apart = HashSet::new();
        let mut numbers = Vec::new();
        for (index, point) in self.mutants.points.iter().enumerate() {
            let draft = self.draft(index, point, &mut layout);
            if draft.alive.is_empty() {
                continue;
            }
            match self.is_number(point) {
                true => numbers.push(draft),
                false => self.lay_out(&draft, None, &mut taken_apart, &mut layout),
            }
        }
        // How what stands before them is written is known by now.
        let operators = operators(&layout.wraps, &self.mutants.points);
        for draft in &numbers {
            let span = draft.point.span;
            let is_alone = || {
                numbers
                    .iter()
                    .filter(|other| other.point.span == span)
                    .count()
                    == 1
            };
            let operator = operators.get(&span).copied();
            let operator = operator.or_else(|| self.unnamed(span, &layout).filter(|_| is_alone()));
            self.lay_out(draft, operator, &mut taken_apart, &mut layout);
        }
        layout
    }

    /// The operator before a number, if its left side can be given a name. One with mutants of its own had its chance.
    fn unnamed(&self, number: Span, layout: &Layout) -> Option<OperatorAround> {
        let binary = self.contexts.binaries.get(&number)?;
        let operator = unnamed(binary)?;
        let whole = binary.whole;
        let is_operator = |woven: &WovenPoint| {
            woven.span == whole && takes_apart(&self.mutants.points[woven.point].shape)
        };
        if layout.points.iter().any(is_operator) {
            return None;
        }
        // The place that a panic names must stay in its line.
        let is_one_line = !whole.text(self.source).contains('\n');
        let fits = match operator.is_compared {
            true => self.may_borrow_operands(whole, binary.left, number),
            false => is_one_line,
        };
        (fits && fills(whole, binary.left, number)).then_some(operator)
    }

    fn draft(&self, index: usize, point: &'a Point, layout: &mut Layout) -> Draft<'a> {
        let mut alive = Vec::new();
        let first = point.mutants.first().map_or(0, |mutant| mutant.id.0);
        let is_const = is_const(self.mutants, self.forms, point.span);
        for (mutant, number) in point.mutants.iter().zip(1..) {
            if let Some(reason) = self.forms.reason(mutant.id) {
                layout.absent.push((mutant.id, reason.to_owned()));
            } else if is_const {
                layout.absent.push((mutant.id, NEEDED_CONST.to_owned()));
            } else if first == 0 || mutant.id.0 != first + number - 1 {
                let reason = "the mutants of its point are not numbered one after another";
                layout.absent.push((mutant.id, reason.to_owned()));
            } else {
                alive.push((number, mutant));
            }
        }
        Draft {
            index,
            point,
            alive,
        }
    }

    /// `operator` is what stands before the point, if that is a number.
    fn lay_out(
        &self,
        draft: &Draft,
        operator: Option<OperatorAround>,
        taken_apart: &mut HashSet<Span>,
        layout: &mut Layout,
    ) {
        let mut forms = self.forms_of(draft);
        if operator.is_some() {
            forms.insert(0, Form::Values);
        }
        if taken_apart.contains(&draft.point.span) {
            forms.retain(|form| *form > Form::Operands);
        }
        let chosen = self.forms.form(draft.index);
        let position = forms
            .iter()
            .position(|form| Some(*form) == chosen)
            .unwrap_or(0);
        let Some(&form) = forms.get(position) else {
            return refuse(draft, "no form fits this place", layout);
        };
        let has_no_place = operator.is_some() || takes_apart(&draft.point.shape);
        if form <= Form::Operands && has_no_place {
            taken_apart.insert(draft.point.span);
        }
        let wrap = match operator.filter(|_| form == Form::Values) {
            Some(operator) => self.constant(draft, operator, layout),
            None => self.wrap(draft, form, layout),
        };
        match wrap {
            Err(reason) => refuse(draft, reason, layout),
            Ok(wrap) => {
                let mutants = draft.alive.iter().map(|(_, mutant)| mutant.id);
                layout.points.push(WovenPoint {
                    point: draft.index,
                    span: draft.point.span,
                    form,
                    plainer: forms[position + 1..].to_vec(),
                    mutants: mutants
                        .filter(|id| !layout.absent.iter().any(|(absent, _)| absent == id))
                        .collect(),
                    arm: self.arm(draft.point),
                    is_range: matches!(wrap.kind, NodeKind::Range { .. }),
                    flow: flow_of(self.source, draft.point, self.contexts),
                });
                layout.wraps.push(wrap);
            }
        }
    }

    /// The forms that a point may take, richest first.
    fn forms_of(&self, draft: &Draft) -> Vec<Form> {
        let point = draft.point;
        let is_exact = draft
            .alive
            .iter()
            .all(|(_, mutant)| is_exact_by_values(self.source, point, mutant));
        let is_one_line = !point.span.text(self.source).contains('\n');
        let with_values = vec![Form::Values, Form::Operands, Form::Plain];
        match &point.shape {
            // The operator would move to the last line, and with it the place that a panic names.
            Shape::Arithmetic { left, right, .. }
                if is_exact && is_one_line && fills(point.span, *left, *right) =>
            {
                with_values
            }
            Shape::Relation { left, right, .. }
                if is_exact
                    && fills(point.span, *left, *right)
                    && self.may_borrow_operands(point.span, *left, *right) =>
            {
                with_values
            }
            Shape::Assignment { place, right, .. }
                if is_one_line
                    && fills(point.span, *place, *right)
                    && self.assignment_is_borrowed(draft).is_some() =>
            {
                with_values
            }
            Shape::Logic { left, right, .. } if is_exact && fills(point.span, *left, *right) => {
                vec![Form::Values, Form::Plain]
            }
            Shape::Condition if is_exact => vec![Form::Values, Form::Plain],
            Shape::Expression => {
                let expr = parse(point.span.text(self.source));
                let is_place = expr.as_ref().is_some_and(is_place);
                let context = self.contexts.get(point.span);
                match is_place && context.in_place {
                    true if context.is_compared => vec![Form::ByCopy, Form::ByRef],
                    true => vec![Form::ByRef, Form::ByMut, Form::Plain],
                    false
                        if expr.is_some_and(|expr| is_literal(&expr))
                            && context.constant.is_some_and(|span| self.is_small(span)) =>
                    {
                        vec![Form::Plain, Form::Constant]
                    }
                    false => vec![Form::Plain],
                }
            }
            Shape::Iterator => vec![Form::Operands],
            Shape::Arm { guard: None, .. } => match self.match_around(point) {
                Some((_, whole)) if self.arms_within(whole) <= FEW_ARMS => {
                    vec![Form::Operands, Form::Plain]
                }
                _ => vec![Form::Operands],
            },
            _ => vec![Form::Plain],
        }
    }

    /// Whether a constant may stand in the text once more for each point in it.
    fn is_small(&self, constant: Span) -> bool {
        let points = self.mutants.points.iter();
        let inside = points.filter(|point| constant.contains(point.span));
        inside.count() * (constant.end - constant.start) <= MOST_TEXT
    }

    /// A comparison of numbers copies its left side before it evaluates the right one. Looking at
    /// it later makes no difference unless the right side changes it behind the compiler's back.
    fn may_borrow_operands(&self, span: Span, left: Span, right: Span) -> bool {
        let [left, right] = [left, right].map(|span| parse(span.text(self.source)));
        let (Some(left), Some(right)) = (left, right) else {
            return false;
        };
        !self.contexts.get(span).in_unsafe
            || !is_place(&left)
            || effects_of(&right) < ExpressionEffects::Any
    }

    /// How the place of an assignment is written: `Some(true)` if it must be borrowed once,
    /// `Some(false)` if it may be repeated, `None` if neither keeps the order of evaluation.
    fn assignment_is_borrowed(&self, draft: &Draft) -> Option<bool> {
        let Shape::Assignment {
            place,
            right,
            simple_place,
            ..
        } = draft.point.shape
        else {
            return None;
        };
        let holds_points = self
            .mutants
            .points
            .iter()
            .any(|point| place.contains(point.span));
        if simple_place && !holds_points {
            return Some(false);
        }
        // Numbers are assigned to after the right side was evaluated, other values before. Which
        // one it is can't be told here, so the order must not matter.
        let place = effects_of(&parse(place.text(self.source))?);
        let right_expr = parse(right.text(self.source))?;
        let right = effects_of(&right_expr);
        let is_literal = matches!(right_expr, Expr::Lit(_));
        (is_literal || place.max(right) < ExpressionEffects::Any).then_some(true)
    }

    fn wrap(&self, draft: &Draft, form: Form, layout: &mut Layout) -> Result<Wrap, &'static str> {
        let point = draft.point;
        let id = draft.alive[0].1.id;
        let (span, kind) = match (&point.shape, form) {
            (Shape::Statement, _) => (point.span, NodeKind::Statement(id)),
            (Shape::Body, _) => {
                let choice = self.choice(draft, layout, |mutant| {
                    if mutant.span == point.span {
                        Some(mutant.replacement.clone())
                    } else {
                        let edited = self.pieces.edited(point.span, mutant)?;
                        Some(format!("{{ {edited} }}"))
                    }
                })?;
                let start = Span::new(point.span.start, point.span.start);
                (start, NodeKind::Body(choice))
            }
            (Shape::Block, _) => {
                let choice = self.choice(draft, layout, |mutant| {
                    let block = format!("{{ {} }}", self.pieces.edited(point.span, mutant)?);
                    parse(&block).is_some().then_some(block)
                })?;
                (point.span, NodeKind::Block(choice))
            }
            (Shape::Initialiser, _) => {
                let choice =
                    self.choice(draft, layout, |mutant| Some(mutant.replacement.clone()))?;
                (point.span, NodeKind::Initialiser(choice))
            }
            (Shape::IteratorBody { tail }, _) => {
                let start = Span::new(point.span.start, point.span.start);
                layout.wraps.push(Wrap {
                    span: start,
                    point: Some(draft.index),
                    kind: NodeKind::NoIterator(id),
                });
                (*tail, NodeKind::Iterator)
            }
            // What a guard keeps borrowed may be needed by the other arms: then the whole `match` stands there twice.
            (Shape::Arm { guard: None, .. }, Form::Plain) => {
                let (_, whole) = self.match_around(point).ok_or(NO_SITE)?;
                self.switch(draft, whole, form, layout)?
            }
            (Shape::Arm { guard, pattern }, _) => match guard {
                None => (Span::new(pattern.end, pattern.end), NodeKind::NewGuard(id)),
                Some(guard) => {
                    let expr = parse_guard(guard.text(self.source)).ok_or(UNPARSABLE)?;
                    let has_let = contains_let(&expr);
                    (*guard, NodeKind::Guard { id, has_let })
                }
            },
            (Shape::Iterator, _) => (point.span, self.range(draft)?),
            (Shape::Condition, Form::Values) => {
                let choice = self.choice(draft, layout, |_| Some(String::new()))?;
                let letters = letters(draft, &choice);
                let first = choice.first;
                (point.span, NodeKind::Condition { letters, first })
            }
            (&Shape::Logic { left, right, op }, Form::Values) => {
                let choice = self.choice(draft, layout, |_| Some(String::new()))?;
                let kind = NodeKind::Logic {
                    left,
                    right,
                    op,
                    letters: letters(draft, &choice),
                    first: choice.first,
                };
                (point.span, kind)
            }
            (Shape::Arithmetic { .. } | Shape::Relation { .. }, Form::Values | Form::Operands) => {
                (point.span, self.operands(draft, form, layout)?)
            }
            (Shape::Assignment { .. }, Form::Values | Form::Operands) => {
                (point.span, self.assignment(draft, form, layout)?)
            }
            _ => self.switch(draft, point.span, form, layout)?,
        };
        Ok(Wrap {
            span,
            point: Some(draft.index),
            kind,
        })
    }

    /// The mutants that have code, with it; the others are refused.
    fn choice(
        &self,
        draft: &Draft,
        layout: &mut Layout,
        code: impl Fn(&Mutant) -> Option<String>,
    ) -> Result<WovenChoice, &'static str> {
        let mut variants = Vec::new();
        for &(number, mutant) in &draft.alive {
            match code(mutant) {
                Some(code) => variants.push(Variant {
                    number,
                    id: mutant.id,
                    code,
                }),
                None => layout.absent.push((mutant.id, UNPARSABLE.to_owned())),
            }
        }
        if variants.is_empty() {
            return Err(UNPARSABLE);
        }
        Ok(WovenChoice {
            first: draft.point.mutants[0].id,
            count: draft.point.mutants.len() as u32,
            variants,
        })
    }

    /// Whether a point is a number.
    fn is_number(&self, point: &Point) -> bool {
        let is_number = || integer(point.span.text(self.source)).is_some();
        point.shape == Shape::Expression && is_number()
    }

    fn constant(
        &self,
        draft: &Draft,
        operator: OperatorAround,
        layout: &mut Layout,
    ) -> Result<Wrap, &'static str> {
        let span = draft.point.span;
        let choice = self.choice(draft, layout, |mutant| {
            let edited = self.pieces.edited(span, mutant)?;
            integer(&edited).map(|_| edited)
        })?;
        let original = integer(span.text(self.source)).ok_or(UNPARSABLE)?;
        let whole = operator
            .unnamed
            .map_or(span, |UnnamedOperator { whole, .. }| whole);
        Ok(Wrap {
            span: whole,
            point: Some(draft.index),
            kind: NodeKind::Constant {
                arguments: arguments(original, operator, &choice).ok_or(UNPARSABLE)?,
                operator,
                right: span,
                choice,
            },
        })
    }

    fn operands(
        &self,
        draft: &Draft,
        form: Form,
        layout: &mut Layout,
    ) -> Result<NodeKind, &'static str> {
        let (left, right, op, is_borrowed) = match draft.point.shape {
            Shape::Arithmetic { left, right, op } => (left, right, op, false),
            Shape::Relation { left, right, op } => (left, right, op, true),
            _ => return Err("it has no operands"),
        };
        let code = |letter: char| match (is_borrowed, letter) {
            (true, 'T') => Some("true".to_owned()),
            (true, 'F') => Some("false".to_owned()),
            (true, _) => Some(format!("*{LEFT} {} *{RIGHT}", relation_text(letter)?)),
            // The operand that is left out would stay where it is. That makes no difference if it
            // is copied, which is what the dereference asks for.
            (false, 'L') => Some(format!("{{ let _ = {{ *&{RIGHT} }}; {LEFT} }}")),
            (false, 'R') => Some(format!("{{ let _ = {{ *&{LEFT} }}; {RIGHT} }}")),
            (false, _) => Some(format!("{LEFT} {} {RIGHT}", arithmetic_text(letter)?)),
        };
        let original = code(op).ok_or("its operator is unknown")?;
        let choice = self.choice(draft, layout, |mutant| code(mutant.letter))?;
        let function = if is_borrowed { RELATE } else { ARITH };
        Ok(NodeKind::Operands {
            left,
            right,
            is_borrowed,
            question: question(function, op, form, draft, &choice),
            original,
            choice,
        })
    }

    fn assignment(
        &self,
        draft: &Draft,
        form: Form,
        layout: &mut Layout,
    ) -> Result<NodeKind, &'static str> {
        let Shape::Assignment {
            place, right, op, ..
        } = draft.point.shape
        else {
            return Err("it is no assignment");
        };
        let is_borrowed = self.assignment_is_borrowed(draft).unwrap_or(true);
        let target = if is_borrowed {
            format!("*{PLACE}")
        } else {
            self.pieces.original(place).ok_or(UNPARSABLE)?
        };
        let code = |letter: char| match letter {
            '=' => Some(format!("{target} = {RIGHT}")),
            _ => Some(format!("{target} {}= {RIGHT}", arithmetic_text(letter)?)),
        };
        let original = code(op).ok_or("its operator is unknown")?;
        let choice = self.choice(draft, layout, |mutant| code(mutant.letter))?;
        Ok(NodeKind::Assignment {
            place,
            right,
            is_borrowed,
            question: question(ARITH, op, form, draft, &choice),
            original,
            choice,
        })
    }

    /// `a..b` for `a..=b` and the reverse, where only the items matter.
    fn range(&self, draft: &Draft) -> Result<NodeKind, &'static str> {
        let mutant = draft.alive[0].1;
        let original = RangeEnds::of(draft.point.span.text(self.source));
        let edited = self.pieces.edited(draft.point.span, mutant);
        let edited = edited.as_deref().and_then(RangeEnds::of);
        let (Some(original), Some(edited)) = (original, edited) else {
            return Err(NO_RANGE);
        };
        if original.is_inclusive == edited.is_inclusive || original.tokens != edited.tokens {
            return Err(NO_RANGE);
        }
        let start = draft.point.span.start;
        Ok(NodeKind::Range {
            left: Span::new(start, start + original.limits.start),
            right: Span::new(start + original.limits.end, draft.point.span.end),
            is_inclusive: original.is_inclusive,
            id: mutant.id,
        })
    }

    fn switch(
        &self,
        draft: &Draft,
        span: Span,
        form: Form,
        layout: &mut Layout,
    ) -> Result<(Span, NodeKind), &'static str> {
        let edited = |site: Span, mutant: &Mutant| {
            let text = self.pieces.edited(site, mutant)?;
            parse(&text).is_some().then_some(text)
        };
        let by_place = match form {
            Form::ByCopy => Some(OperandAccess::ByCopy),
            Form::ByRef => Some(OperandAccess::ByRef),
            Form::ByMut => Some(OperandAccess::ByMut),
            _ => None,
        };
        if let Some(access) = by_place {
            let choice = self.choice(draft, layout, |mutant| edited(span, mutant))?;
            return Ok((span, NodeKind::Switch { choice, access }));
        }
        let mutants: Vec<&Mutant> = draft.alive.iter().map(|(_, mutant)| *mutant).collect();
        let site = match form {
            Form::Constant => self.contexts.get(span).constant.map(SwitchSite::Around),
            _ => self.site(span, &mutants),
        };
        match site.ok_or(NO_SITE)? {
            SwitchSite::Around(span) => {
                let choice = self.choice(draft, layout, |mutant| edited(span, mutant))?;
                let access = match self.contexts.get(span).is_block_like {
                    true => OperandAccess::Braced,
                    false => OperandAccess::Value,
                };
                Ok((span, NodeKind::Switch { choice, access }))
            }
            SwitchSite::Body(span) => {
                let choice = self.choice(draft, layout, |mutant| {
                    let block = format!("{{ {} }}", self.pieces.edited(span, mutant)?);
                    parse(&block).is_some().then_some(block)
                })?;
                Ok((Span::new(span.start, span.start), NodeKind::Body(choice)))
            }
        }
    }

    fn arm(&self, point: &Point) -> Option<WovenArm> {
        let Shape::Arm { pattern, .. } = point.shape else {
            return None;
        };
        let (scrutinee, _) = self.match_around(point)?;
        Some(WovenArm { scrutinee, pattern })
    }

    /// How many arms could be left out there.
    fn arms_within(&self, whole: Span) -> usize {
        let points = self.mutants.points.iter();
        points
            .filter(|point| matches!(point.shape, Shape::Arm { .. }))
            .filter(|point| whole.contains(point.span))
            .count()
    }

    /// The scrutinee of the `match` around an arm, and all of it.
    fn match_around(&self, point: &Point) -> Option<(Span, Span)> {
        let around = self.contexts.matches.iter().copied();
        around
            .filter(|(_, whole)| whole.contains(point.span))
            .min_by_key(|(_, whole)| whole.end - whole.start)
    }
}

/// Names that no program uses.
pub(crate) const LEFT: &str = "__atropos_l";
pub(crate) const RIGHT: &str = "__atropos_r";
pub(crate) const PLACE: &str = "__atropos_p";

fn refuse(draft: &Draft, reason: &str, layout: &mut Layout) {
    for (_, mutant) in &draft.alive {
        if !layout.absent.iter().any(|(id, _)| *id == mutant.id) {
            layout.absent.push((mutant.id, reason.to_owned()));
        }
    }
}

/// Whether the values form of a shape has no place for another point on the same span.
fn takes_apart(shape: &Shape) -> bool {
    !matches!(shape, Shape::Condition | Shape::Expression)
}

fn fills(whole: Span, left: Span, right: Span) -> bool {
    whole.start == left.start && left.end <= right.start && right.end == whole.end
}

fn letters(draft: &Draft, choice: &WovenChoice) -> String {
    choice.letters(|number| draft.point.mutants[number as usize - 1].letter)
}

fn question(
    function: &str,
    op: char,
    form: Form,
    draft: &Draft,
    choice: &WovenChoice,
) -> DecisionCall {
    match form {
        Form::Values => DecisionCall {
            call: format!(
                "{function}({}, b'{op}', b\"{}\"",
                choice.first.0,
                letters(draft, choice)
            ),
            shows_values: true,
        },
        _ => DecisionCall {
            call: format!("{AT}({}", choice.first.0),
            shows_values: false,
        },
    }
}

/// A guard may hold `let`, which no expression of its own may.
fn parse_guard(text: &str) -> Option<Expr> {
    match parse(&format!("match () {{ _ if {text} => {{}} }}"))? {
        Expr::Match(choice) => Some(*choice.arms.into_iter().next()?.guard?.1),
        _ => None,
    }
}
