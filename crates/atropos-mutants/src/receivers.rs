//! What the receivers of method calls are called: `self.jobs` of `self.jobs.lock()`, so that traces can name the lock.
//!
//! Works on tokens, so it sees into macros. It does not know types: `self` is named by the `impl` around it.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// How the value is called that a method is called on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverName {
    /// `Pool.jobs`, `COUNT`, `counter`, `forks[left]`.
    pub name: String,
    /// It names a field by its type, or a static: it is called the same everywhere.
    pub is_precise: bool,
}

/// The receivers of all method calls of a file.
#[derive(Clone, Debug, Default)]
pub struct ReceiverNames {
    /// By line and column (both from 1) of the method's name; with the method.
    calls: BTreeMap<(u32, u32), (String, ReceiverName)>,
}

/// Methods of what threads share.
const SHARED: [&str; 24] = [
    "lock",
    "try_lock",
    "read",
    "write",
    "try_read",
    "try_write",
    "load",
    "store",
    "swap",
    "compare_exchange",
    "compare_exchange_weak",
    "fetch_update",
    "send",
    "try_send",
    "recv",
    "try_recv",
    "recv_timeout",
    "wait",
    "wait_while",
    "wait_timeout",
    "notify_one",
    "notify_all",
    "get_or_init",
    "call_once",
];

/// Methods that give what they are called on.
const TRANSPARENT: [&str; 10] = [
    "unwrap", "expect", "clone", "as_ref", "as_mut", "borrow", "deref", "by_ref", "as_deref",
    "get_ref",
];

impl ReceiverNames {
    /// Of a file's text; of none that is no Rust.
    pub fn of(text: &str) -> ReceiverNames {
        let mut names = ReceiverNames::default();
        if let Ok(tokens) = text.parse::<TokenStream>() {
            names.walk(tokens, None);
        }
        names
    }

    /// The receiver of the method whose name stands there, or of the only such call on that line that deals with what threads
    /// share: in woven text columns are others.
    pub fn at(&self, line: u32, column: u32) -> Option<&ReceiverName> {
        if let Some((_, name)) = self.calls.get(&(line, column)) {
            return Some(name);
        }
        let of_line = self.calls.range((line, 0)..(line + 1, 0));
        let mut shared = of_line
            .map(|(_, call)| call)
            .filter(|(method, _)| method.starts_with("fetch_") || SHARED.contains(&method.as_str()))
            .map(|(_, name)| name);
        let first = shared.next()?;
        shared.all(|other| other == first).then_some(first)
    }

    fn walk(&mut self, tokens: TokenStream, own_type: Option<&str>) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => {
                    let implemented = implemented_type(&tokens[..at], group);
                    self.walk(group.stream(), implemented.as_deref().or(own_type));
                }
                TokenTree::Ident(method) if at >= 2 && is_punct(&tokens[at - 1], '.') => {
                    let name = receiver(&tokens[..at - 1], own_type);
                    if let Some(name) = name.filter(|_| is_call(&tokens[at + 1..])) {
                        let start = method.span().start();
                        let place = (start.line as u32, start.column as u32 + 1);
                        self.calls.insert(place, (method.to_string(), name));
                    }
                }
                _ => {}
            }
        }
    }
}

fn is_punct(token: &TokenTree, letter: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == letter)
}

fn is_group(token: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter)
}

/// Whether what follows a name makes it a call: `(…)`, also behind `::<…>`.
fn is_call(after: &[TokenTree]) -> bool {
    match after {
        [first, ..] if is_group(first, Delimiter::Parenthesis) => true,
        [first, ..] => is_punct(first, ':'),
        [] => false,
    }
}

/// The type of `impl Trait for Type<…> {`, if the group is the body of an `impl`.
fn implemented_type(before: &[TokenTree], group: &Group) -> Option<String> {
    if group.delimiter() != Delimiter::Brace {
        return None;
    }
    let is_end = |token: &TokenTree| is_punct(token, ';') || is_group(token, Delimiter::Brace);
    let start = before.iter().rposition(is_end).map_or(0, |end| end + 1);
    let header = &before[start..];
    let is_word =
        |token: &TokenTree, word: &str| matches!(token, TokenTree::Ident(ident) if ident == word);
    let first = header.iter().position(|token| is_word(token, "impl"))?;
    let header = &header[first + 1..];
    let after_for = header.iter().rposition(|token| is_word(token, "for"));
    let header = &header[after_for.map_or(0, |at| at + 1)..];
    let mut depth = 0;
    let mut name = None;
    for (at, token) in header.iter().enumerate() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '<' => depth += 1,
            TokenTree::Punct(punct) if punct.as_char() == '>' => {
                let is_arrow = at > 0 && is_punct(&header[at - 1], '-');
                depth -= i32::from(!is_arrow);
            }
            TokenTree::Ident(ident) if depth == 0 && ident == "where" => break,
            TokenTree::Ident(ident) if depth == 0 => name = Some(ident.to_string()),
            _ => {}
        }
    }
    name
}

/// A part of a chain of fields and calls, from its end.
struct Segment {
    text: String,
    /// Where the tokens before it end.
    before: usize,
}

/// The name of what the tokens end with.
fn receiver(tokens: &[TokenTree], own_type: Option<&str>) -> Option<ReceiverName> {
    let mut segments: Vec<String> = Vec::new();
    let mut end = tokens.len();
    while let Some(Segment { text, before }) = segment(&tokens[..end]) {
        if !text.is_empty() {
            segments.push(text);
        }
        end = before;
        if end == 0 || !is_punct(&tokens[end - 1], '.') {
            break;
        }
        end -= 1;
    }
    let first = segments.last_mut()?;
    let is_own = first == "self";
    if let (true, Some(own_type)) = (is_own, own_type) {
        own_type.clone_into(first);
    }
    let is_static = |name: &str| {
        name.contains(|letter: char| letter.is_ascii_uppercase())
            && !name.contains(|letter: char| letter.is_ascii_lowercase())
    };
    let is_precise = is_own && own_type.is_some() && segments.len() == 2
        || segments.len() == 1 && is_static(&segments[0]);
    segments.truncate(2);
    segments.reverse();
    Some(ReceiverName {
        name: segments.join("."),
        is_precise,
    })
}

/// The last part of a chain: `jobs`, `forks[i]`, `queue()`. Empty for what only passes its receiver on.
fn segment(tokens: &[TokenTree]) -> Option<Segment> {
    let (last, rest) = tokens.split_last()?;
    let part = |text: String, rest: &[TokenTree]| Segment {
        text,
        before: rest.len(),
    };
    match last {
        TokenTree::Ident(ident) if ident == "await" => Some(part(String::new(), rest)),
        TokenTree::Ident(ident) => Some(part(ident.to_string(), before_path(rest))),
        TokenTree::Literal(field) => Some(part(field.to_string(), rest)),
        TokenTree::Punct(punct) if punct.as_char() == '?' => segment(rest),
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
            let Segment { text, before } = segment(rest)?;
            let index = brief(&group.stream().to_string());
            Some(Segment {
                text: format!("{text}[{index}]"),
                before,
            })
        }
        TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
            match rest.last() {
                Some(TokenTree::Ident(function)) => {
                    let passes_on = TRANSPARENT.contains(&function.to_string().as_str())
                        && rest.len() >= 2
                        && is_punct(&rest[rest.len() - 2], '.');
                    let text = match passes_on {
                        true => String::new(),
                        false => format!("{function}()"),
                    };
                    Some(part(text, before_path(&rest[..rest.len() - 1])))
                }
                _ => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    let text = receiver(&inner, None)?.name;
                    Some(part(text, rest))
                }
            }
        }
        _ => None,
    }
}

/// The tokens without a path that they end with: of `a + crate::state::` just `a +`.
fn before_path(mut tokens: &[TokenTree]) -> &[TokenTree] {
    while let [rest @ .., first, second] = tokens
        && is_punct(first, ':')
        && is_punct(second, ':')
    {
        tokens = match rest {
            [rest @ .., TokenTree::Ident(_)] => rest,
            rest => rest,
        };
    }
    tokens
}

/// An index as it is, if it is short.
fn brief(index: &str) -> String {
    const LONG: usize = 12;
    match index.chars().count() {
        ..=LONG => index.to_owned(),
        _ => "…".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the receivers of each `lock` or `load`, in order.
    fn names(text: &str) -> Vec<String> {
        let names = ReceiverNames::of(text);
        let calls = names.calls.values();
        calls
            .filter(|(method, _)| method == "lock" || method == "load")
            .map(|(_, receiver)| receiver.name.clone())
            .collect()
    }

    #[test]
    fn receivers_are_named_by_what_is_written() {
        let text = "
            impl<T: Fn() -> u8> Drop for Pool<T> where T: Send {
                fn drop(&mut self) { self.jobs.lock().unwrap(); self.shared.state.lock(); self.0.lock(); }
            }
            impl Pool<u8> { fn f(&self) { self.lock(); } }
            fn g(forks: &[Mutex<()>]) {
                forks[left].lock();
                crate::state::COUNT.load(Relaxed);
                assert_eq!(count.load(SeqCst), 2);
                counter.clone().lock();
                CELL.get().unwrap().lock().await?.load();
                (*shared).lock();
                pool()?.lock();
            }";
        assert_eq!(
            names(text),
            [
                "Pool.jobs",
                "shared.state",
                "Pool.0",
                "Pool",
                "forks[left]",
                "COUNT",
                "count",
                "counter",
                "CELL.get()",
                "get().lock()",
                "shared",
                "pool()"
            ]
        );
    }

    #[test]
    fn fields_by_their_types_and_statics_are_precise() {
        let text = "impl A { fn f(&self, b: &A) { self.x.lock(); b.x.lock(); X_1.lock(); } }";
        let names = ReceiverNames::of(text);
        let precise: Vec<bool> = names
            .calls
            .values()
            .map(|(_, name)| name.is_precise)
            .collect();
        assert_eq!(precise, [true, false, true]);
    }

    #[test]
    fn a_place_is_found_by_its_column_or_as_the_only_one_of_its_line() {
        let names = ReceiverNames::of("fn f() { a.lock(); b.lock(); }\nfn g() { c.d().lock(); }\n");
        let at = |line, column| {
            names
                .at(line, column)
                .map(|receiver| receiver.name.as_str())
        };
        assert_eq!(at(1, 12), Some("a"));
        assert_eq!(at(1, 22), Some("b"));
        assert_eq!(at(1, 1), None);
        assert_eq!(at(2, 40), Some("c.d()"));
        assert_eq!(at(3, 1), None);
    }

    #[test]
    fn what_is_no_rust_has_no_names() {
        assert_eq!(ReceiverNames::of("fn f( {").at(1, 1), None);
    }
}
