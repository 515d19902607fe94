//! Syntax that editions before 2021 allow and the parser does not know: trait objects of the `Fn`
//! family without `dyn`, parameters of trait methods without a name, and `async`, `await`, `dyn` and
//! `try` as names. What would make it understood is inserted before the text is parsed; `Source`
//! leads every place back to the text as it is.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

use crate::find::Edition;

/// What shall be inserted where, in order.
pub(crate) type Insertions = Vec<(usize, &'static str)>;

/// Finds what to insert, if anything; texts of newer editions need nothing.
pub(crate) fn insertions(code: &str, edition: Edition) -> Insertions {
    if edition >= Edition::Rust2021 {
        return Vec::new();
    }
    let Ok(tokens) = code.parse::<TokenStream>() else {
        return Vec::new();
    };
    let mut finder = Finder {
        edition,
        insertions: Vec::new(),
    };
    finder.tokens(tokens, false);
    finder.insertions.sort_unstable();
    finder.insertions.dedup();
    finder.insertions
}

/// The text with the insertions made.
pub(crate) fn with_insertions(code: &str, insertions: &Insertions) -> String {
    let mut patched = String::with_capacity(code.len() + 8 * insertions.len());
    let mut taken = 0;
    for (offset, text) in insertions {
        patched.push_str(&code[taken..*offset]);
        patched.push_str(text);
        taken = *offset;
    }
    patched.push_str(&code[taken..]);
    patched
}

struct Finder {
    edition: Edition,
    insertions: Insertions,
}

impl Finder {
    fn insert(&mut self, token: &TokenTree, text: &'static str) {
        self.insertions
            .push((token.span().byte_range().start, text));
    }

    fn tokens(&mut self, tokens: TokenStream, in_trait: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut after_trait = false;
        let mut after_fn = false;
        for (index, token) in tokens.iter().enumerate() {
            let before = &tokens[..index];
            let behind = tokens.get(index + 1);
            match token {
                TokenTree::Ident(ident) => {
                    let name = ident.to_string();
                    after_trait |= name == "trait";
                    after_fn |= name == "fn";
                    let is_called = matches!(behind, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
                    if ["Fn", "FnMut", "FnOnce"].contains(&name.as_str())
                        && is_called
                        && starts_bare_type(before)
                    {
                        self.insert(token, "dyn ");
                    }
                    let is_macro = is_punct(behind, '!');
                    let is_name = match name.as_str() {
                        "async" | "await" => true,
                        "try" => !is_macro,
                        "dyn" => !starts_bound(behind),
                        _ => false,
                    };
                    if is_name && self.edition == Edition::Rust2015 {
                        self.insert(token, "r#");
                    }
                }
                TokenTree::Group(group) => {
                    let is_body = group.delimiter() == Delimiter::Brace;
                    if in_trait && after_fn && group.delimiter() == Delimiter::Parenthesis {
                        self.parameters(group);
                        after_fn = false;
                    }
                    self.tokens(group.stream(), is_body && after_trait);
                    after_trait &= !is_body;
                    after_fn &= !is_body;
                }
                TokenTree::Punct(punct) if punct.as_char() == ';' => {
                    after_trait = false;
                    after_fn = false;
                }
                _ => {}
            }
        }
    }

    /// Names the parameters of a trait's method that have none.
    fn parameters(&mut self, group: &Group) {
        let mut parameter: Vec<TokenTree> = Vec::new();
        let mut angles = 0usize;
        let mut before = ' ';
        for token in group.stream() {
            let punct = match &token {
                TokenTree::Punct(punct) => punct.as_char(),
                _ => ' ',
            };
            match punct {
                '<' => angles += 1,
                '>' if before != '-' => angles = angles.saturating_sub(1),
                ',' if angles == 0 => {
                    self.parameter(&parameter);
                    parameter.clear();
                    before = punct;
                    continue;
                }
                _ => {}
            }
            before = punct;
            parameter.push(token);
        }
        self.parameter(&parameter);
    }

    fn parameter(&mut self, tokens: &[TokenTree]) {
        let mut angles = 0usize;
        let mut joint_colon = false;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) if ident == "self" => return,
                TokenTree::Punct(punct) => match punct.as_char() {
                    '<' => angles += 1,
                    '>' => angles = angles.saturating_sub(1),
                    ':' if joint_colon => joint_colon = false,
                    ':' if punct.spacing() == Spacing::Joint => joint_colon = true,
                    ':' if angles == 0 => return,
                    _ => {}
                },
                _ => {}
            }
        }
        let is_variadic = is_punct(tokens.first(), '.');
        let is_attribute = is_punct(tokens.first(), '#');
        if let Some(first) = tokens.first()
            && !is_variadic
            && !is_attribute
        {
            self.insert(first, "_: ");
        }
    }
}

fn is_punct(token: Option<&TokenTree>, expected: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == expected)
}

/// Whether `dyn` before this token is the keyword.
fn starts_bound(token: Option<&TokenTree>) -> bool {
    match token {
        Some(TokenTree::Ident(_)) => true,
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Parenthesis,
        token => is_punct(token, '\'') || is_punct(token, '?'),
    }
}

/// Whether a type may start behind these tokens, and a bound may not.
fn starts_bare_type(before: &[TokenTree]) -> bool {
    match before.last() {
        // An arrow, but not the end of `for<'a>`.
        last if is_punct(last, '>') => is_punct(before.iter().nth_back(1), '-'),
        Some(TokenTree::Punct(punct)) => {
            matches!(punct.as_char(), '<' | '&' | ',' | '=' | '*')
        }
        Some(TokenTree::Ident(ident)) => {
            // A lifetime's name, or a keyword before a type.
            !["dyn", "impl", "fn", "struct", "trait", "enum"]
                .iter()
                .any(|word| ident == word)
        }
        Some(TokenTree::Group(_) | TokenTree::Literal(_)) => false,
        None => true,
    }
}
