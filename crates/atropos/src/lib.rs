//! What code can say to Atropos, a mutation tester for Rust that also explores thread schedules. None of it does anything in
//! ordinary builds, and none of it is needed.
//!
//! [`macro@skip`] tells what to leave alone when mutants are made:
//!
//! ```
//! #[atropos::skip(reason = "only draws on the screen")]
//! fn draw() {}
//! # draw();
//! ```
//!
//! The rest speaks to `cargo atropos explore`: [`invariant!`] says what holds after every step of every thread, [`reached!`] and
//! [`must_reach!`] what some schedule has to come to, and [`bounds!`] how much of a test to explore.
//!
//! ```
//! use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
//!
//! static INSIDE: AtomicUsize = AtomicUsize::new(0);
//!
//! # fn enter() {}
//! fn only_one_comes_in() {
//!     atropos::invariant!("at most one is inside", || INSIDE.load(SeqCst) <= 1);
//!     atropos::must_reach!("somebody had to wait");
//!     // … threads that call `enter`, which says `atropos::reached!("somebody had to wait")` where it waits.
//!     # enter();
//! }
//! # only_one_comes_in();
//! ```

use proc_macro::{Delimiter, Group, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

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

/// States what holds after every step of every thread, from here to the end of the test: a name, and a closure that looks.
///
/// ```
/// # use std::sync::{Arc, Mutex};
/// let accounts = Arc::new(Mutex::new([50, 50]));
/// # let seen = Arc::clone(&accounts);
/// atropos::invariant!("no money is lost", move || match seen.try_lock() {
///     Ok(accounts) => accounts.iter().sum::<i32>() == 100,
///     // Whoever has the lock may be in the middle of a transfer.
///     Err(_) => true,
/// });
/// ```
///
/// `cargo atropos explore` runs the closure whenever a thread comes to its next operation. A test under which it gives `false` or
/// panics fails, with the schedule. The closure sees what atomics hold, without being an operation itself. It must not wait:
/// use `try_lock`. Ordinary builds compile the closure and never call it.
#[proc_macro]
pub fn invariant(input: TokenStream) -> TokenStream {
    let input: Vec<TokenTree> = input.into_iter().collect();
    let (name, closure) = match &input[..] {
        [name, TokenTree::Punct(comma), closure @ ..]
            if is_text(name) && comma.as_char() == ',' && !closure.is_empty() =>
        {
            (name.clone(), closure.to_vec())
        }
        _ => {
            return error(
                "write `invariant!(\"name\", || condition)`",
                span_of(&input),
            )
        }
    };
    let closure = closure.into_iter().collect::<TokenStream>();
    match is_explored() {
        true => call("invariant", Some(name.into()), Some(closure)),
        // Looked at by the compiler, so that an ordinary build tells of mistakes in it, but never called.
        false => {
            let unused: TokenStream = "if false".parse().unwrap_or_default();
            let mut body: TokenStream = "let _ =".parse().unwrap_or_default();
            body.extend(closure);
            body.extend(semicolon());
            let mut output = unused;
            output.extend([TokenTree::Group(Group::new(Delimiter::Brace, body))]);
            braced(output)
        }
    }
}

/// Says that a schedule came here: see [`must_reach!`].
///
/// ```
/// atropos::reached!("the queue was full");
/// ```
#[proc_macro]
pub fn reached(input: TokenStream) -> TokenStream {
    named("reached", input)
}

/// Stands in a test: some schedule has to come to [`reached!`] with this name, in the test or in what it calls.
///
/// ```
/// atropos::must_reach!("the queue was full");
/// ```
///
/// `cargo atropos explore` runs all schedules, or as many as fit. If all were run and none came there, the test fails; if not all
/// were run, the report says so.
#[proc_macro]
pub fn must_reach(input: TokenStream) -> TokenStream {
    named("must_reach", input)
}

/// Stands at the start of a test: how much of it `cargo atropos explore` is to explore, unless `--strategy` says otherwise.
///
/// ```
/// atropos::bounds!(preemptions = 2, seconds = 30);
/// atropos::bounds!(schedules = 5000);
/// ```
///
/// `preemptions`: the schedules with at most so many. `schedules` and `seconds`: the budget, as `--budget` would give it. Anything
/// else is an error:
///
/// ```compile_fail
/// atropos::bounds!(luck = 3);
/// ```
#[proc_macro]
pub fn bounds(input: TokenStream) -> TokenStream {
    let input: Vec<TokenTree> = input.into_iter().collect();
    let is_punctuation = |tree: &TokenTree, wanted: char| match tree {
        TokenTree::Punct(found) => found.as_char() == wanted,
        _ => false,
    };
    let names = ["preemptions", "schedules", "seconds"];
    let mut values: [Option<TokenTree>; 3] = [None, None, None];
    for bound in input.split(|tree| is_punctuation(tree, ',')) {
        let known = match bound {
            [] => continue,
            [name, equals, TokenTree::Literal(value)] if is_punctuation(equals, '=') => names
                .iter()
                .position(|known| *known == name.to_string())
                .filter(|at| values[*at].is_none())
                .filter(|_| value.to_string().bytes().all(|byte| byte.is_ascii_digit()))
                .map(|at| (at, value.clone())),
            _ => None,
        };
        match known {
            Some((at, value)) => values[at] = Some(TokenTree::Literal(value)),
            None => {
                let usage = "write `bounds!(preemptions = 2, schedules = 5000, seconds = 30)`, or some of these";
                return error(usage, span_of(bound));
            }
        }
    }
    if !is_explored() {
        return braced(TokenStream::new());
    }
    let mut arguments = TokenStream::new();
    for value in &values {
        let text = match value {
            Some(value) => format!("::core::option::Option::Some({}),", value),
            None => "::core::option::Option::None,".to_owned(),
        };
        arguments.extend(text.parse::<TokenStream>().unwrap_or_default());
    }
    call("bounds", None, Some(arguments))
}

/// A call with a name, in explored builds.
fn named(function: &str, input: TokenStream) -> TokenStream {
    let input: Vec<TokenTree> = input.into_iter().collect();
    match &input[..] {
        [name] if is_text(name) && is_explored() => call(function, Some(name.clone().into()), None),
        [name] if is_text(name) => braced(TokenStream::new()),
        _ => error(&format!("write `{}!(\"name\")`", function), span_of(&input)),
    }
}

/// Whether this is compiled to be explored: against a std of Atropos's own, which holds what is called.
fn is_explored() -> bool {
    let stands_in = |argument: std::ffi::OsString| {
        let argument = argument.to_string_lossy().into_owned();
        argument.starts_with("--extern=std=") && argument.ends_with("libstd-atropos.rlib")
    };
    std::env::args_os().any(stands_in)
}

/// `{ ::std::__atropos_threads::statements::FUNCTION(NAME, REST); }`
fn call(function: &str, name: Option<TokenStream>, rest: Option<TokenStream>) -> TokenStream {
    let path = format!("::std::__atropos_threads::statements::{}", function);
    let mut output: TokenStream = path.parse().unwrap_or_default();
    let mut arguments = TokenStream::new();
    if let Some(name) = name {
        arguments.extend(name);
        arguments.extend([TokenTree::Punct(Punct::new(',', Spacing::Alone))]);
    }
    arguments.extend(rest.unwrap_or_default());
    output.extend([TokenTree::Group(Group::new(
        Delimiter::Parenthesis,
        arguments,
    ))]);
    output.extend(semicolon());
    braced(output)
}

fn braced(inner: TokenStream) -> TokenStream {
    TokenTree::Group(Group::new(Delimiter::Brace, inner)).into()
}

fn semicolon() -> TokenStream {
    TokenTree::Punct(Punct::new(';', Spacing::Alone)).into()
}

fn span_of(trees: &[TokenTree]) -> Span {
    trees.first().map_or_else(Span::call_site, TokenTree::span)
}

/// `compile_error!` where the user looks.
fn error(message: &str, span: Span) -> TokenStream {
    let mut literal = Literal::string(message);
    literal.set_span(span);
    let call: TokenStream = "::core::compile_error!".parse().unwrap_or_default();
    let mut output: TokenStream = call.into_iter().map(|tree| at(tree, span)).collect();
    let argument = TokenTree::Literal(literal).into();
    let group = Group::new(Delimiter::Brace, argument);
    output.extend([at(TokenTree::Group(group), span)]);
    output
}

fn at(mut tree: TokenTree, span: Span) -> TokenTree {
    tree.set_span(span);
    tree
}
