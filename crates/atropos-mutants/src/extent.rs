//! Where syntax tree nodes begin and end, found by going down their first and last children. The
//! parser's own way is to write the whole node out as tokens: in a long chain of operators, each
//! of which is asked, that takes quadratic time.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::*;

/// The spans of a node's first and last token.
pub(crate) trait Extent {
    fn first(&self) -> Span;
    fn last(&self) -> Span;
}

impl<T: Extent> Extent for Box<T> {
    fn first(&self) -> Span {
        (**self).first()
    }
    fn last(&self) -> Span {
        (**self).last()
    }
}

/// Nodes that are small or rarely asked.
macro_rules! by_tokens {
    ($($node:ty)*) => {
        $(impl Extent for $node {
            fn first(&self) -> Span {
                self.span()
            }
            fn last(&self) -> Span {
                self.span()
            }
        })*
    };
}

by_tokens!(
    Pat Type Path Meta RangeLimits Member Lit UnOp Ident Lifetime Attribute
    proc_macro2::TokenStream ExprPath ExprInfer Item Local
);

/// Nodes by their first and last child; attributes before them belong to them.
macro_rules! by_children {
    ($($node:ident: |$it:ident| $first:expr, $last:expr;)*) => {
        $(impl Extent for $node {
            fn first(&self) -> Span {
                match self.attrs.first() {
                    Some(attribute) if matches!(attribute.style, AttrStyle::Outer) => {
                        attribute.pound_token.span
                    }
                    _ => {
                        let $it = self;
                        $first
                    }
                }
            }
            fn last(&self) -> Span {
                let $it = self;
                $last
            }
        })*
    };
}

fn open(token: &proc_macro2::extra::DelimSpan) -> Span {
    token.open()
}

fn close(token: &proc_macro2::extra::DelimSpan) -> Span {
    token.close()
}

fn end_of(block: &Block) -> Span {
    close(&block.brace_token.span)
}

/// A label comes before its loop.
fn labelled(label: Option<&Label>, keyword: Span) -> Span {
    label.map_or(keyword, |label| label.name.apostrophe)
}

fn value_or<E: Extent>(value: Option<&E>, keyword: Span) -> Span {
    value.map_or(keyword, Extent::last)
}

fn behind_label(label: Option<&Lifetime>, keyword: Span) -> Span {
    label.map_or(keyword, |label| label.ident.span())
}

fn closure_start(closure: &ExprClosure) -> Span {
    let ExprClosure {
        lifetimes,
        constness,
        movability,
        asyncness,
        capture,
        or1_token,
        ..
    } = closure;
    lifetimes
        .as_ref()
        .map(|lifetimes| lifetimes.for_token.span)
        .or(constness.map(|token| token.span))
        .or(movability.map(|token| token.span))
        .or(asyncness.map(|token| token.span))
        .or(capture.map(|token| token.span))
        .unwrap_or(or1_token.span)
}

by_children! {
    ExprArray: |e| open(&e.bracket_token.span), close(&e.bracket_token.span);
    ExprAssign: |e| e.left.first(), e.right.last();
    ExprAsync: |e| e.async_token.span, end_of(&e.block);
    ExprAwait: |e| e.base.first(), e.await_token.span;
    ExprBinary: |e| e.left.first(), e.right.last();
    ExprBlock: |e| labelled(e.label.as_ref(), open(&e.block.brace_token.span)), end_of(&e.block);
    ExprBreak: |e| e.break_token.span,
        value_or(e.expr.as_ref(), behind_label(e.label.as_ref(), e.break_token.span));
    ExprCall: |e| e.func.first(), close(&e.paren_token.span);
    ExprCast: |e| e.expr.first(), e.ty.last();
    ExprClosure: |e| closure_start(e), e.body.last();
    ExprConst: |e| e.const_token.span, end_of(&e.block);
    ExprContinue: |e| e.continue_token.span,
        behind_label(e.label.as_ref(), e.continue_token.span);
    ExprField: |e| e.base.first(), e.member.last();
    ExprForLoop: |e| labelled(e.label.as_ref(), e.for_token.span), end_of(&e.body);
    ExprGroup: |e| e.expr.first(), e.expr.last();
    ExprIf: |e| e.if_token.span,
        value_or(e.else_branch.as_ref().map(|(_, otherwise)| otherwise), end_of(&e.then_branch));
    ExprIndex: |e| e.expr.first(), close(&e.bracket_token.span);
    ExprLet: |e| e.let_token.span, e.expr.last();
    ExprLit: |e| e.lit.first(), e.lit.last();
    ExprLoop: |e| labelled(e.label.as_ref(), e.loop_token.span), end_of(&e.body);
    ExprMacro: |e| e.mac.path.first(), close(e.mac.delimiter.span());
    ExprMatch: |e| e.match_token.span, close(&e.brace_token.span);
    ExprMethodCall: |e| e.receiver.first(), close(&e.paren_token.span);
    ExprParen: |e| open(&e.paren_token.span), close(&e.paren_token.span);
    ExprRange: |e| e.start.as_ref().map_or_else(|| e.limits.first(), Extent::first),
        value_or(e.end.as_ref(), e.limits.last());
    ExprRawAddr: |e| e.and_token.span, e.expr.last();
    ExprReference: |e| e.and_token.span, e.expr.last();
    ExprRepeat: |e| open(&e.bracket_token.span), close(&e.bracket_token.span);
    ExprReturn: |e| e.return_token.span, value_or(e.expr.as_ref(), e.return_token.span);
    ExprStruct: |e| e.qself.as_ref().map_or_else(|| e.path.first(), |qself| qself.lt_token.span),
        close(&e.brace_token.span);
    ExprTry: |e| e.expr.first(), e.question_token.span;
    ExprTryBlock: |e| e.try_token.span, end_of(&e.block);
    ExprTuple: |e| open(&e.paren_token.span), close(&e.paren_token.span);
    ExprUnary: |e| e.op.first(), e.expr.last();
    ExprUnsafe: |e| e.unsafe_token.span, end_of(&e.block);
    ExprWhile: |e| labelled(e.label.as_ref(), e.while_token.span), end_of(&e.body);
    ExprYield: |e| e.yield_token.span, value_or(e.expr.as_ref(), e.yield_token.span);
    StmtMacro: |e| e.mac.path.first(),
        e.semi_token.as_ref().map_or_else(|| close(e.mac.delimiter.span()), |semicolon| semicolon.span);
    FieldValue: |e| e.member.first(), e.expr.last();
    Arm: |e| e.pat.first(),
        e.comma.as_ref().map_or_else(|| e.body.last(), |comma| comma.span);
}

macro_rules! by_variant {
    ($($variant:ident)*) => {
        impl Extent for Expr {
            fn first(&self) -> Span {
                match self {
                    $(Expr::$variant(inner) => inner.first(),)*
                    other => other.span(),
                }
            }
            fn last(&self) -> Span {
                match self {
                    $(Expr::$variant(inner) => inner.last(),)*
                    other => other.span(),
                }
            }
        }
    };
}

by_variant!(
    Array Assign Async Await Binary Block Break Call Cast Closure Const Continue Field ForLoop
    Group If Index Infer Let Lit Loop Macro Match MethodCall Paren Path Range RawAddr Reference
    Repeat Return Struct Try TryBlock Tuple Unary Unsafe While Yield
);

impl Extent for Stmt {
    fn first(&self) -> Span {
        match self {
            Stmt::Expr(expression, _) => expression.first(),
            Stmt::Local(local) => local.first(),
            Stmt::Item(item) => item.first(),
            Stmt::Macro(mac) => mac.first(),
        }
    }

    fn last(&self) -> Span {
        match self {
            Stmt::Expr(_, Some(semicolon)) => semicolon.span,
            Stmt::Expr(expression, None) => expression.last(),
            Stmt::Local(local) => local.semi_token.span,
            Stmt::Item(item) => item.last(),
            Stmt::Macro(mac) => mac.last(),
        }
    }
}
