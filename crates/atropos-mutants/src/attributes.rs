//! What attributes say about the code below them: that it is test code, that it shall not be
//! mutated, under which `cfg` it is built.

use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta, Path, Token};

use crate::paths::names_of;
use crate::source::Source;

/// The message of a list of attributes.
#[derive(Default)]
pub(crate) struct AttributeFacts {
    /// Built for tests only.
    pub test: bool,
    /// `#[mutants::skip]`, `#[atropos::skip]`, also behind `cfg_attr`.
    pub skip: bool,
    /// The patterns of `#[mutants::exclude_re("…")]`.
    pub exclusions: Vec<String>,
    /// Built where debug assertions are on: `#[cfg(debug_assertions)]`.
    pub debug: bool,
    /// No instruction may be added: `#[naked]`.
    pub untouchable: bool,
    /// The inner texts of `#[cfg(…)]`, each with its offset.
    pub cfg: Vec<(usize, String)>,
    /// The values of `#[path = "…"]`, with the predicate of the `cfg_attr` around each.
    pub paths: Vec<(Option<String>, String)>,
}

impl AttributeFacts {
    pub fn of(attributes: &[Attribute], source: &Source<'_>) -> AttributeFacts {
        let mut marks = AttributeFacts::default();
        for attribute in attributes {
            marks.read(&attribute.meta, None, source);
        }
        marks
    }

    fn read(&mut self, meta: &Meta, condition: Option<&Meta>, source: &Source<'_>) {
        let path = meta.path();
        if path.is_ident("cfg") {
            if let Meta::List(list) = meta {
                let start = source.span(&list.tokens).start;
                self.cfg.push((start, source.flat(&list.tokens)));
                let predicate = nested(meta).into_iter().next();
                self.test |= predicate.as_ref().is_some_and(implies_test);
                self.debug |= predicate.as_ref().is_some_and(implies_debug);
            }
        } else if path.is_ident("cfg_attr") {
            let mut metas = nested(meta).into_iter();
            if let Some(predicate) = metas.next() {
                for meta in metas {
                    self.read(&meta, Some(&predicate), source);
                }
            }
        } else if path.is_ident("unsafe") {
            for meta in nested(meta) {
                self.read(&meta, condition, source);
            }
        } else if path.is_ident("path") {
            if let Some(value) = string_value(meta) {
                let predicate = condition.map(|predicate| source.flat(predicate));
                self.paths.push((predicate, value));
            }
        } else if path.is_ident("naked") {
            self.untouchable = true;
        } else if is_ours(path, "skip") {
            self.skip = true;
        } else if is_ours(path, "exclude_re") {
            self.exclusions.extend(string_argument(meta));
        } else if is_test_like(path) {
            self.test = true;
        }
    }
}

/// `mutants::skip`, `atropos::skip` and so on.
fn is_ours(path: &Path, attribute: &str) -> bool {
    let names = names_of(path);
    match names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["mutants" | "atropos", name] => name == attribute,
        _ => false,
    }
}

/// Attributes that make a function a test, a benchmark or a part of one. Judged by the last name
/// alone, as every async runtime has its own `test`.
fn is_test_like(path: &Path) -> bool {
    const NAMES: [&str; 18] = [
        "test",
        "bench",
        "rstest",
        "rstest_parametrize",
        "fixture",
        "test_case",
        "test_matrix",
        "test_resources",
        "test_fuzz",
        "test_with_logger",
        "traced_test",
        "wasm_bindgen_test",
        "gtest",
        "quickcheck",
        "proptest",
        "property_test",
        "parameterized",
        "dir_test",
    ];
    path.segments
        .last()
        .is_some_and(|last| NAMES.iter().any(|name| last.ident == name))
}

/// Whether a cfg predicate can only hold in a test build.
pub(crate) fn implies_test(predicate: &Meta) -> bool {
    let path = predicate.path();
    if path.is_ident("test") || path.is_ident("doctest") {
        matches!(predicate, Meta::Path(_))
    } else if path.is_ident("all") {
        nested(predicate).iter().any(implies_test)
    } else if path.is_ident("any") {
        let alternatives = nested(predicate);
        !alternatives.is_empty() && alternatives.iter().all(implies_test)
    } else {
        false
    }
}

/// Whether a cfg predicate can only hold where debug assertions are on.
fn implies_debug(predicate: &Meta) -> bool {
    let path = predicate.path();
    path.is_ident("debug_assertions")
        || path.is_ident("all") && nested(predicate).iter().any(implies_debug)
}

/// The metas within a list; none if something else is among them.
fn nested(meta: &Meta) -> Vec<Meta> {
    let Meta::List(list) = meta else {
        return Vec::new();
    };
    Punctuated::<Meta, Token![,]>::parse_terminated
        .parse2(list.tokens.clone())
        .map(|metas| metas.into_iter().collect())
        .unwrap_or_default()
}

/// The text in `name("text")`.
fn string_argument(meta: &Meta) -> Option<String> {
    let Meta::List(list) = meta else {
        return None;
    };
    let text = syn::parse2::<LitStr>(list.tokens.clone()).ok()?;
    Some(text.value())
}

fn string_value(meta: &Meta) -> Option<String> {
    let Meta::NameValue(pair) = meta else {
        return None;
    };
    match &pair.value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(value),
            ..
        }) => Some(value.value()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(text: &str) -> AttributeFacts {
        let source = Source::new(text);
        let file = syn::parse_str::<syn::File>(source.code()).expect(text);
        let syn::Item::Mod(item) = &file.items[0] else {
            panic!("not a module: {text}");
        };
        AttributeFacts::of(&item.attrs, &source)
    }

    #[test]
    fn only_predicates_that_need_a_test_build_mark_test_code() {
        let check = |attribute: &str, expected: bool| {
            assert_eq!(
                marks(&format!("{attribute} mod m {{}}")).test,
                expected,
                "{attribute}"
            );
        };
        check("#[cfg(test)]", true);
        check("#[cfg(all(unix, test))]", true);
        check("#[cfg(any(test, doctest))]", true);
        check("#[cfg(any(test, feature = \"x\"))]", false);
        check("#[cfg(not(test))]", false);
        check("#[cfg(any())]", false);
        check("#[tokio::test(flavor = \"current_thread\")]", true);
        check("#[rstest]", true);
        check("#[case(1, 2)]", false);
        check("#[bench]", true);
        check("#[testing]", false);
    }

    #[test]
    fn skips_are_seen_behind_cfg_attr() {
        let check = |attribute: &str, expected: bool| {
            assert_eq!(
                marks(&format!("{attribute} mod m {{}}")).skip,
                expected,
                "{attribute}"
            );
        };
        check("#[mutants::skip]", true);
        check("#[atropos::skip]", true);
        check("#[atropos::skip(reason = \"drawn on the screen\")]", true);
        check("#[cfg_attr(test, mutants::skip)]", true);
        check("#[cfg_attr(any(), allow(x), mutants::skip)]", true);
        check("#[skip]", false);
        check("#[serde::skip]", false);
    }

    #[test]
    fn cfg_texts_and_paths_are_kept() {
        let marks = marks(
            "#[cfg(unix)] #[cfg(feature = \"a\")] #[path = \"x.rs\"]
             #[cfg_attr(windows, path = \"w.rs\")] mod m {}",
        );
        let cfg: Vec<&str> = marks.cfg.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(cfg, ["unix", "feature = \"a\""]);
        assert_eq!(
            marks.paths,
            [
                (None, "x.rs".to_string()),
                (Some("windows".to_string()), "w.rs".to_string())
            ]
        );
    }
}
