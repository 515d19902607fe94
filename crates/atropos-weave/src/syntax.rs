//! Questions to syntax trees that do not depend on where they stand.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{BinOp, Expr, Macro, Pat, Token};

/// Whether a condition has a `let` in its chain of `&&`.
pub(crate) fn contains_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
            contains_let(&binary.left) || contains_let(&binary.right)
        }
        _ => false,
    }
}

/// Whether an expression needs no semicolon as a statement.
pub(crate) fn is_block_like(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::If(_)
            | Expr::Match(_)
            | Expr::Block(_)
            | Expr::Unsafe(_)
            | Expr::While(_)
            | Expr::ForLoop(_)
            | Expr::Loop(_)
            | Expr::Async(_)
    )
}

/// `try!(f())`, the question mark of the edition of 2015.
pub(crate) fn is_try(mac: &Macro) -> bool {
    let last = mac.path.segments.last();
    last.is_some_and(|last| last.ident.unraw() == "try")
}

/// Whether a `let` moves (or copies) its initialiser into one new variable.
pub(crate) fn binds_by_value(pat: &Pat) -> bool {
    match pat {
        Pat::Ident(ident) => ident.by_ref.is_none() && ident.subpat.is_none(),
        Pat::Type(typed) => binds_by_value(&typed.pat),
        _ => false,
    }
}

/// The expressions among a macro's arguments, for macros whose arguments are expressions: a list
/// (`vec![a, b]`), an element and a count (`vec![a; n]`), or an expression and a pattern
/// (`matches!(a, p if g)`).
pub(crate) fn macro_arguments(tokens: TokenStream) -> Option<Vec<Expr>> {
    let list = Punctuated::<Expr, Token![,]>::parse_terminated;
    if let Ok(arguments) = list.parse2(tokens.clone()) {
        return Some(arguments.into_iter().collect());
    }
    let repeated = |input: ParseStream| {
        let element = Expr::parse(input)?;
        input.parse::<Token![;]>()?;
        Ok(vec![element, Expr::parse(input)?])
    };
    if let Ok(arguments) = repeated.parse2(tokens.clone()) {
        return Some(arguments);
    }
    let matched = |input: ParseStream| {
        let mut arguments = vec![Expr::parse(input)?];
        input.parse::<Token![,]>()?;
        Pat::parse_multi_with_leading_vert(input)?;
        if input.parse::<Option<Token![if]>>()?.is_some() {
            arguments.push(Expr::parse(input)?);
        }
        input.parse::<Option<Token![,]>>()?;
        Ok(arguments)
    };
    matched.parse2(tokens).ok()
}
