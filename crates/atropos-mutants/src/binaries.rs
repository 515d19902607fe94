//! Operators with two operands: AOR, AOD, SOR, LOR, ROR, COR and ASR.
//!
//! Which variants are made:
//! - **AOR**: two of the four others, the inverse and one of another rank, since those that differ
//!   whenever some third one does add nothing. **AOD**: either operand alone; where one is a
//!   literal, only the literal is left out.
//! - **ROR**: the sufficient sets of Kaminski, Ammann and Offutt (a test set that kills the three
//!   variants kills the other four as well): `<` gives `<=`, `!=`, false; `>` gives `>=`, `!=`,
//!   false; `<=` gives `<`, `==`, true; `>=` gives `>`, `==`, true; `==` gives `<=`, `>=`, false;
//!   `!=` gives `<`, `>`, true. Most values that Rust compares for equality have no order, so `==`
//!   and `!=` give true and false unless an operand is known to be a number; the two together
//!   imply the negation, which is therefore not made (but by **COI**, if ROR is not selected).
//! - **COR**: the other operator, and either side alone.
//! - **LOR**: the two others; `|` between two constants gives only `&`, as flags are disjoint and
//!   `^` would be the same. **SOR**: the other direction.
//! - **ASR**: the inverse, and plain assignment.

use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprBinary, Type};

use crate::expressions::ExpressionRole;
use crate::letters::{arithmetic_text, relation_text};
use crate::mutant::{Shape, Span};
use crate::operator::Operator;
use crate::source::shortened;
use crate::types::TypeClass;
use crate::walk::{Draft, Walker};

/// The operator that an operand belongs to, by the letter that its shape uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandOf {
    Arithmetic(char),
    Relation(char),
    Logic,
    /// Unary minus.
    Minus,
    Assignment(char),
    /// The end or start of a range whose end is mutated too.
    MovedRange {
        inclusive: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandSide {
    Left,
    Right,
}

/// An operator's family and letter.
fn op_of(op: &BinOp) -> Option<OperandOf> {
    Some(match op {
        BinOp::Add(_) => OperandOf::Arithmetic('+'),
        BinOp::Sub(_) => OperandOf::Arithmetic('-'),
        BinOp::Mul(_) => OperandOf::Arithmetic('*'),
        BinOp::Div(_) => OperandOf::Arithmetic('/'),
        BinOp::Rem(_) => OperandOf::Arithmetic('%'),
        BinOp::BitAnd(_) => OperandOf::Arithmetic('&'),
        BinOp::BitOr(_) => OperandOf::Arithmetic('|'),
        BinOp::BitXor(_) => OperandOf::Arithmetic('^'),
        BinOp::Shl(_) => OperandOf::Arithmetic('l'),
        BinOp::Shr(_) => OperandOf::Arithmetic('r'),
        BinOp::Lt(_) => OperandOf::Relation('<'),
        BinOp::Gt(_) => OperandOf::Relation('>'),
        BinOp::Le(_) => OperandOf::Relation('l'),
        BinOp::Ge(_) => OperandOf::Relation('g'),
        BinOp::Eq(_) => OperandOf::Relation('='),
        BinOp::Ne(_) => OperandOf::Relation('!'),
        BinOp::And(_) | BinOp::Or(_) => OperandOf::Logic,
        BinOp::AddAssign(_) => OperandOf::Assignment('+'),
        BinOp::SubAssign(_) => OperandOf::Assignment('-'),
        BinOp::MulAssign(_) => OperandOf::Assignment('*'),
        BinOp::DivAssign(_) => OperandOf::Assignment('/'),
        BinOp::RemAssign(_) => OperandOf::Assignment('%'),
        BinOp::BitAndAssign(_) => OperandOf::Assignment('&'),
        BinOp::BitOrAssign(_) => OperandOf::Assignment('|'),
        BinOp::BitXorAssign(_) => OperandOf::Assignment('^'),
        BinOp::ShlAssign(_) => OperandOf::Assignment('l'),
        BinOp::ShrAssign(_) => OperandOf::Assignment('r'),
        _ => return None,
    })
}

/// How tightly an expression or operator binds; more is tighter.
fn arithmetic_rank(letter: char) -> u8 {
    match letter {
        '*' | '/' | '%' => 11,
        '+' | '-' => 10,
        'l' | 'r' => 9,
        '&' => 8,
        '^' => 7,
        _ => 6,
    }
}

const RELATION_RANK: u8 = 5;
const AND_RANK: u8 = 4;
const OR_RANK: u8 = 3;

fn rank_of(expression: &Expr) -> u8 {
    match expression {
        Expr::Binary(binary) => match (op_of(&binary.op), &binary.op) {
            (Some(OperandOf::Arithmetic(letter)), _) => arithmetic_rank(letter),
            (Some(OperandOf::Relation(_)), _) => RELATION_RANK,
            (_, BinOp::And(_)) => AND_RANK,
            (_, BinOp::Or(_)) => OR_RANK,
            _ => 1,
        },
        Expr::Range(_) => 2,
        Expr::Assign(_) => 1,
        Expr::Break(_) | Expr::Closure(_) | Expr::Return(_) | Expr::Yield(_) | Expr::Let(_) => 0,
        Expr::Cast(_) => 12,
        Expr::Unary(_) | Expr::Reference(_) | Expr::RawAddr(_) => 13,
        _ => 14,
    }
}

/// Whether an expression's text ends with a type, behind which `<` would open generics.
fn ends_with_type(expression: &Expr) -> bool {
    match expression {
        Expr::Cast(_) => true,
        Expr::Binary(binary) => ends_with_type(&binary.right),
        Expr::Unary(unary) => ends_with_type(&unary.expr),
        Expr::Reference(reference) => ends_with_type(&reference.expr),
        _ => false,
    }
}

/// Whether an expression's text starts with a block, or with what ends like one.
fn starts_with_block(expression: &Expr) -> bool {
    match expression {
        Expr::Block(_)
        | Expr::Unsafe(_)
        | Expr::Const(_)
        | Expr::If(_)
        | Expr::Match(_)
        | Expr::Loop(_)
        | Expr::While(_)
        | Expr::ForLoop(_) => true,
        Expr::Binary(binary) => starts_with_block(&binary.left),
        Expr::MethodCall(call) => starts_with_block(&call.receiver),
        Expr::Call(call) => starts_with_block(&call.func),
        Expr::Field(field) => starts_with_block(&field.base),
        Expr::Index(index) => starts_with_block(&index.expr),
        Expr::Try(attempt) => starts_with_block(&attempt.expr),
        Expr::Cast(cast) => starts_with_block(&cast.expr),
        _ => false,
    }
}

/// The replacements of an arithmetic or bitwise operator.
fn arithmetic_variants(letter: char) -> (Operator, &'static [char]) {
    match letter {
        '+' => (Operator::Aor, &['-', '*']),
        '-' => (Operator::Aor, &['+', '*']),
        '*' => (Operator::Aor, &['/', '+']),
        '/' => (Operator::Aor, &['*', '%']),
        '%' => (Operator::Aor, &['/', '*']),
        '&' => (Operator::Lor, &['|', '^']),
        '|' => (Operator::Lor, &['&', '^']),
        '^' => (Operator::Lor, &['&', '|']),
        'l' => (Operator::Sor, &['r']),
        _ => (Operator::Sor, &['l']),
    }
}

fn relation_variants(letter: char, is_ordered: bool) -> &'static [char] {
    match (letter, is_ordered) {
        ('<', _) => &['l', '!', 'F'],
        ('>', _) => &['g', '!', 'F'],
        ('l', _) => &['<', '=', 'T'],
        ('g', _) => &['>', '=', 'T'],
        ('=', true) => &['l', 'g', 'F'],
        ('!', true) => &['<', '>', 'T'],
        _ => &['T', 'F'],
    }
}

/// The comparison that holds where this one doesn't.
fn opposite(letter: char) -> char {
    match letter {
        '<' => 'g',
        'g' => '<',
        '>' => 'l',
        'l' => '>',
        '=' => '!',
        _ => '=',
    }
}

/// Whether a comparison with 0 stays the same for every unsigned number.
fn same_for_unsigned(letter: char, variant: char, zero: OperandSide) -> bool {
    match zero {
        OperandSide::Right => matches!(
            (letter, variant),
            ('=', 'l') | ('!', '>') | ('>', '!') | ('l', '=') | ('g', 'T')
        ),
        OperandSide::Left => matches!(
            (letter, variant),
            ('=', 'g') | ('!', '<') | ('<', '!') | ('g', '=') | ('l', 'T')
        ),
    }
}

fn assignment_variants(letter: char) -> &'static [char] {
    match letter {
        '+' => &['-', '='],
        '-' => &['+', '='],
        '*' => &['/', '='],
        '/' => &['*', '='],
        '%' => &['/', '='],
        '&' => &['|', '='],
        '|' => &['&', '='],
        '^' => &['|', '='],
        'l' => &['r', '='],
        _ => &['l', '='],
    }
}

impl Walker<'_> {
    pub fn binary(&mut self, binary: &ExprBinary, expected: Option<&Type>) {
        let Some(op) = op_of(&binary.op) else {
            return;
        };
        match op {
            OperandOf::Arithmetic(letter) => self.arithmetic(binary, letter),
            OperandOf::Relation(letter) => self.relation(binary, letter),
            OperandOf::Logic => self.logic(binary),
            OperandOf::Assignment(letter) => self.assignment(binary, letter),
            OperandOf::Minus | OperandOf::MovedRange { .. } => {}
        }
        let is_shift = matches!(
            op,
            OperandOf::Arithmetic('l' | 'r') | OperandOf::Assignment('l' | 'r')
        );
        let left_type = self.type_of(&binary.left);
        let right_type = self.type_of(&binary.right);
        let inherited = match op {
            OperandOf::Arithmetic(_) => expected,
            _ => None,
        };
        let left_role = match op {
            OperandOf::Assignment(_) => ExpressionRole::Place,
            _ => ExpressionRole::Operand(op, OperandSide::Left),
        };
        let for_left = if is_shift {
            inherited
        } else {
            right_type.as_ref().or(inherited)
        };
        self.expression(&binary.left, left_role, for_left);
        let for_right = if is_shift {
            None
        } else {
            left_type.as_ref().or(inherited)
        };
        self.expression(
            &binary.right,
            ExpressionRole::Operand(op, OperandSide::Right),
            for_right,
        );
    }

    fn op_span(&self, binary: &ExprBinary) -> Span {
        self.source.token(binary.op.span())
    }

    /// The edit that puts another operator between the same operands: the token alone if both
    /// bind alike, else the whole with the parentheses it then needs.
    fn operator_edit(&self, binary: &ExprBinary, text: &str, old: u8, new: u8) -> (Span, String) {
        let left_needs = text.starts_with('<') && ends_with_type(&binary.left);
        if old == new && !left_needs {
            return (self.op_span(binary), text.to_string());
        }
        let parenthesized = |operand: &Expr, needed: bool| {
            let flat = self.source.flat(operand);
            if needed { format!("({flat})") } else { flat }
        };
        let left = parenthesized(&binary.left, left_needs || rank_of(&binary.left) < new);
        let right = parenthesized(&binary.right, rank_of(&binary.right) <= new);
        let whole = format!("{left} {text} {right}");
        let whole = if new < old {
            format!("({whole})")
        } else {
            whole
        };
        (self.source.span(binary), whole)
    }

    fn operator_draft(
        &self,
        binary: &ExprBinary,
        operator: Operator,
        text: &str,
        ranks: (u8, u8),
        letter: char,
    ) -> Draft {
        let token = self.op_span(binary);
        let (span, replacement) = self.operator_edit(binary, text, ranks.0, ranks.1);
        let summary = format!("replace {} with {text}", self.source.slice(token));
        Draft::new(operator, span, replacement, summary)
            .with_letter(letter)
            .seen_at(token.start)
    }

    /// The whole is replaced by a part of it or by a constant.
    fn whole_draft(
        &self,
        binary: &ExprBinary,
        operator: Operator,
        text: String,
        letter: char,
    ) -> Draft {
        let whole = self.source.flat(binary);
        let summary = format!(
            "replace {} with {}",
            shortened(&whole, 60),
            shortened(&text, 40)
        );
        Draft::new(operator, self.source.span(binary), text, summary)
            .with_letter(letter)
            .seen_at(self.op_span(binary).start)
    }

    /// An operand as it may stand for the whole: behind a type, `<` would open generics; a block
    /// at the start of a statement would be a statement of its own.
    fn operand_text(&self, operand: &Expr) -> String {
        let flat = self.source.flat(operand);
        if ends_with_type(operand) || starts_with_block(operand) {
            format!("({flat})")
        } else {
            flat
        }
    }

    fn operand_spans(&self, binary: &ExprBinary) -> (Span, Span) {
        (
            self.source.span(&binary.left),
            self.source.span(&binary.right),
        )
    }

    fn arithmetic(&mut self, binary: &ExprBinary, letter: char) {
        let is_text = [&binary.left, &binary.right]
            .iter()
            .any(|operand| self.kind_of(operand) == Some(TypeClass::Text));
        let (operator, variants) = arithmetic_variants(letter);
        let mut drafts = Vec::new();
        for variant in variants {
            if is_text || self.is_same_anyway(binary, letter, *variant) {
                continue;
            }
            let ranks = (arithmetic_rank(letter), arithmetic_rank(*variant));
            drafts.push(self.operator_draft(
                binary,
                operator,
                arithmetic_text(*variant).expect("a letter of arithmetic"),
                ranks,
                *variant,
            ));
        }
        if operator == Operator::Aor {
            drafts.extend(self.dropped_operands(binary, is_text));
        }
        let (left, right) = self.operand_spans(binary);
        let shape = Shape::Arithmetic {
            left,
            right,
            op: letter,
        };
        self.point(self.source.span(binary), shape, drafts);
    }

    /// `x * 1` for `x + 1` is x, which AOD makes; `A ^ B` for the flags `A | B` is the same.
    fn is_same_anyway(&self, binary: &ExprBinary, letter: char, variant: char) -> bool {
        let is_one = integer(&binary.right) == Some(1);
        match (letter, variant) {
            ('+' | '-', '*') => is_one && self.is_selected(Operator::Aod),
            ('*' | '%', '/') | ('/', '*') => is_one,
            ('|', '^') => is_constant_name(&binary.left) && is_constant_name(&binary.right),
            _ => false,
        }
    }

    fn dropped_operands(&self, binary: &ExprBinary, is_text: bool) -> Vec<Draft> {
        let left_is_literal = is_number(&binary.left);
        let right_is_literal = is_number(&binary.right);
        let mut drafts = Vec::new();
        if !left_is_literal || right_is_literal {
            let left = self.operand_text(&binary.left);
            drafts.push(self.whole_draft(binary, Operator::Aod, left, 'L'));
        }
        if !right_is_literal && !is_text {
            let right = self.operand_text(&binary.right);
            drafts.push(self.whole_draft(binary, Operator::Aod, right, 'R'));
        }
        drafts
    }

    /// ROR; without it COI, whose mutants are killed by whatever kills those of ROR.
    fn relation(&mut self, binary: &ExprBinary, letter: char) {
        let is_ordered = [&binary.left, &binary.right].iter().any(|operand| {
            is_number(operand) || self.kind_of(operand).is_some_and(TypeClass::is_number)
        });
        let drafts = if self.is_selected(Operator::Ror) {
            self.neighbours(binary, letter, is_ordered)
        } else {
            let text = relation_text(opposite(letter)).expect("a letter of a comparison");
            let ranks = (RELATION_RANK, RELATION_RANK);
            vec![self.operator_draft(binary, Operator::Coi, text, ranks, opposite(letter))]
        };
        let (left, right) = self.operand_spans(binary);
        let shape = Shape::Relation {
            left,
            right,
            op: letter,
        };
        self.point(self.source.span(binary), shape, drafts);
    }

    fn neighbours(&self, binary: &ExprBinary, letter: char, is_ordered: bool) -> Vec<Draft> {
        let zero = self.unsigned_zero(binary);
        relation_variants(letter, is_ordered)
            .iter()
            .filter(|variant| !zero.is_some_and(|side| same_for_unsigned(letter, **variant, side)))
            .map(|variant| {
                let constant = match variant {
                    'T' => "true",
                    'F' => "false",
                    other => {
                        let text = relation_text(*other).expect("a letter of a comparison");
                        let ranks = (RELATION_RANK, RELATION_RANK);
                        return self.operator_draft(binary, Operator::Ror, text, ranks, *variant);
                    }
                };
                self.whole_draft(binary, Operator::Ror, constant.to_owned(), *variant)
            })
            .collect()
    }

    /// The side on which an unsigned number is compared with 0.
    fn unsigned_zero(&self, binary: &ExprBinary) -> Option<OperandSide> {
        let is_unsigned = |operand: &Expr| {
            self.kind_of(operand) == Some(TypeClass::Unsigned) || is_length(operand)
        };
        if integer(&binary.right) == Some(0) && is_unsigned(&binary.left) {
            Some(OperandSide::Right)
        } else if integer(&binary.left) == Some(0) && is_unsigned(&binary.right) {
            Some(OperandSide::Left)
        } else {
            None
        }
    }

    fn logic(&mut self, binary: &ExprBinary) {
        // `let` chains are no values; `condition` sees to their parts.
        if contains_let(&binary.left) || contains_let(&binary.right) {
            return;
        }
        let (op, other, text, ranks) = match binary.op {
            BinOp::And(_) => ('&', '|', "||", (AND_RANK, OR_RANK)),
            _ => ('|', '&', "&&", (OR_RANK, AND_RANK)),
        };
        let left_text = self.operand_text(&binary.left);
        let right_text = self.operand_text(&binary.right);
        let drafts = vec![
            self.operator_draft(binary, Operator::Cor, text, ranks, other),
            self.whole_draft(binary, Operator::Cor, left_text, 'L'),
            self.whole_draft(binary, Operator::Cor, right_text, 'R'),
        ];
        let (left, right) = self.operand_spans(binary);
        self.point(
            self.source.span(binary),
            Shape::Logic { left, right, op },
            drafts,
        );
    }

    fn assignment(&mut self, binary: &ExprBinary, letter: char) {
        if self.kind_of(&binary.left) == Some(TypeClass::Text)
            || self.kind_of(&binary.right) == Some(TypeClass::Text)
        {
            return;
        }
        let token = self.op_span(binary);
        let drafts = assignment_variants(letter)
            .iter()
            .map(|variant| {
                let text = match variant {
                    '=' => "=".to_string(),
                    other => {
                        let operator = arithmetic_text(*other).expect("a letter of arithmetic");
                        format!("{operator}=")
                    }
                };
                let summary = format!("replace {} with {text}", self.source.slice(token));
                Draft::new(Operator::Asr, token, text, summary).with_letter(*variant)
            })
            .collect();
        let (place, right) = self.operand_spans(binary);
        let shape = Shape::Assignment {
            place,
            right,
            op: letter,
            simple_place: is_simple_place(&binary.left),
        };
        self.point(self.source.span(binary), shape, drafts);
    }
}

/// Whether a comparison makes the variant `false`, so that deleting what it guards adds nothing.
pub(crate) fn makes_false(condition: &Expr) -> bool {
    match condition {
        Expr::Paren(inner) => makes_false(&inner.expr),
        Expr::Binary(binary) => match op_of(&binary.op) {
            Some(OperandOf::Relation(letter)) => ['<', '>', '='].contains(&letter),
            _ => false,
        },
        _ => false,
    }
}

/// Whether `let` occurs among the operands of `&&`.
pub(crate) fn contains_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => contains_let(&binary.left) || contains_let(&binary.right),
        _ => false,
    }
}

fn is_simple_place(expression: &Expr) -> bool {
    match expression {
        Expr::Path(_) => true,
        Expr::Field(field) => is_simple_place(&field.base),
        Expr::Paren(inner) => is_simple_place(&inner.expr),
        Expr::Unary(unary) => {
            matches!(unary.op, syn::UnOp::Deref(_)) && is_simple_place(&unary.expr)
        }
        _ => false,
    }
}

/// Whether an expression is a literal number, perhaps with a minus, or the code of a character.
pub(crate) fn is_number(expression: &Expr) -> bool {
    use syn::Lit;
    match expression {
        Expr::Lit(literal) => matches!(
            literal.lit,
            Lit::Int(_) | Lit::Float(_) | Lit::Byte(_) | Lit::Char(_)
        ),
        Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Neg(_)) && is_number(&unary.expr),
        Expr::Paren(inner) => is_number(&inner.expr),
        _ => false,
    }
}

/// `x.len()` and `x.count()` are unsigned wherever they have their usual meaning.
fn is_length(expression: &Expr) -> bool {
    match expression {
        Expr::MethodCall(call) => {
            call.args.is_empty() && (call.method == "len" || call.method == "count")
        }
        Expr::Paren(inner) => is_length(&inner.expr),
        _ => false,
    }
}

/// The value of a literal integer.
fn integer(expression: &Expr) -> Option<u128> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Int(int) => int.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// Whether an expression is a path to what is named like a constant.
fn is_constant_name(expression: &Expr) -> bool {
    match expression {
        Expr::Path(path) => path.path.segments.last().is_some_and(|last| {
            let name = last.ident.to_string();
            name.chars().any(char::is_alphabetic) && !name.chars().any(char::is_lowercase)
        }),
        Expr::Binary(binary) => {
            matches!(binary.op, BinOp::BitOr(_))
                && is_constant_name(&binary.left)
                && is_constant_name(&binary.right)
        }
        _ => false,
    }
}
