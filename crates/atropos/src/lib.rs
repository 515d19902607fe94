//! Attributes that tell Atropos, a mutation tester for Rust, what to leave alone. They change nothing in what is compiled.
//!
//! ```
//! #[atropos::skip(reason = "only draws on the screen")]
//! fn draw() {}
//! # draw();
//! ```

use proc_macro::{Delimiter, Literal, Span, TokenStream, TokenTree};

/// Leaves a function, method, `impl` block, trait or inline module without mutants.
///
/// `#[atropos::skip]`, or `#[atropos::skip(reason = "…")]` with a reason for readers:
///
/// ```
/// struct Screen;
///
/// #[atropos::skip]
/// impl Screen {
///     fn clear(&self) {}
/// }
/// # Screen.clear();
/// ```
///
/// Anything else in the parentheses is an error:
///
/// ```compile_fail
/// #[atropos::skip("only draws on the screen")]
/// fn draw() {}
/// ```
///
/// ```compile_fail
/// #[atropos::skip(because = "only draws on the screen")]
/// fn draw() {}
/// ```
#[proc_macro_attribute]
pub fn skip(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let arguments: Vec<TokenTree> = arguments.into_iter().collect();
    if arguments.is_empty() || is_reason(&arguments) {
        return item;
    }
    let span = arguments[0].span();
    let mut output = error("write `skip`, or `skip(reason = \"…\")`", span);
    output.extend(item);
    output
}

/// Whether these are `reason = "…"`, with or without a comma behind it.
fn is_reason(arguments: &[TokenTree]) -> bool {
    let is_punctuation = |tree: &TokenTree, wanted: char| match tree {
        TokenTree::Punct(found) => found.as_char() == wanted,
        _ => false,
    };
    let (name, equals, text, rest) = match arguments {
        [name, equals, text, rest @ ..] => (name, equals, text, rest),
        _ => return false,
    };
    let rest_is_fine = match rest {
        [] => true,
        [comma] => is_punctuation(comma, ','),
        _ => false,
    };
    name.to_string() == "reason" && is_punctuation(equals, '=') && is_text(text) && rest_is_fine
}

/// Whether this is a string, also behind a macro's `$reason`, which comes in a group of no delimiters.
fn is_text(tree: &TokenTree) -> bool {
    match tree {
        TokenTree::Literal(literal) => {
            let text = literal.to_string();
            text.starts_with('"') || text.starts_with('r')
        }
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            match &inner[..] {
                [inner] => is_text(inner),
                _ => false,
            }
        }
        _ => false,
    }
}

/// `compile_error!` where the user looks.
fn error(message: &str, span: Span) -> TokenStream {
    let mut literal = Literal::string(message);
    literal.set_span(span);
    let call: TokenStream = "::core::compile_error!".parse().unwrap_or_default();
    let mut output: TokenStream = call.into_iter().map(|tree| at(tree, span)).collect();
    let argument = TokenTree::Literal(literal).into();
    let group = proc_macro::Group::new(Delimiter::Brace, argument);
    output.extend([at(TokenTree::Group(group), span)]);
    output
}

fn at(mut tree: TokenTree, span: Span) -> TokenTree {
    tree.set_span(span);
    tree
}
