//! No function is so long that its reader loses the thread. Tests and generated text don't count.

use super::{Document, files, none};

/// The most lines that a function of `src` may have.
const MOST_LINES: usize = 80;

/// Longer ones that are flat: one table or one `match`, read from top to bottom.
const FLAT: &[&str] = &[
    "crates/atropos-model/src/check/expressions.rs expression",
    "crates/atropos-model/src/check/objects.rs evaluate",
    "crates/atropos-model/src/execution/interpreter/evaluate.rs evaluate",
    "crates/atropos-model/src/execution/interpreter/execute.rs execute",
    "crates/atropos-model/src/execution/jit/emit_expression.rs expression",
    "crates/atropos-model/src/synthetic/railway/elements.rs section",
    "crates/atropos-model/src/synthetic/railway/elements.rs signal",
    "crates/atropos-model/src/synthetic/railway/elements.rs switch",
    "crates/atropos-model/src/synthetic/railway/routes.rs route",
    "crates/atropos-model/src/synthetic/railway/station.rs class",
    "crates/atropos-mutants/src/expressions.rs bare_expression",
    "crates/atropos-mutants/src/std_values.rs values_of_named",
    "crates/atropos-mutants/src/types.rs type_within",
    "crates/atropos-threads/src/finding.rs fmt",
    "crates/atropos-weave/src/context.rs walk_children",
    "crates/atropos-weave/src/layout.rs wrap",
];

/// A function and how many lines it has.
struct Function<'a> {
    name: &'a str,
    line: usize,
    lines: usize,
}

/// The outermost functions of a file, found by the indentation that rustfmt gives them.
fn functions(text: &str) -> Vec<Function<'_>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, &str, usize)> = None;
    for (index, line) in text.lines().enumerate() {
        let indentation = line.len() - line.trim_start().len();
        match open {
            None => open = name_of_function(line).map(|name| (indentation, name, index)),
            // A declaration without a body.
            Some((at, ..)) if at == indentation && line.trim_end().ends_with(';') => open = None,
            Some((at, name, start)) if at == indentation && line.trim() == "}" => {
                found.push(Function {
                    name,
                    line: start + 1,
                    lines: index - start + 1,
                });
                open = None;
            }
            Some(_) => {}
        }
        if open.is_some_and(|(.., start)| start == index) && line.trim_end().ends_with([';', '}']) {
            open = None;
        }
    }
    found
}

fn name_of_function(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let mut words = before.split_whitespace();
    let is_qualifier = |word: &str| {
        word.starts_with("pub")
            || word.starts_with('"')
            || matches!(word, "const" | "async" | "unsafe" | "extern")
    };
    if !words.all(is_qualifier) {
        return None;
    }
    let end = after.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
    (end > 0).then(|| &after[..end])
}

fn is_source(file: &Document) -> bool {
    file.is_rust()
        && !file.path.contains("/tests/")
        && (file.path.starts_with("crates/") && file.path.contains("/src/")
            || file.path.starts_with("xtask/src/"))
}

#[test]
fn no_function_is_too_long() {
    let files = files();
    let mut long = Vec::new();
    for file in files.iter().filter(|file| is_source(file)) {
        let code = file.text.split("#[cfg(test)]\nmod tests").next();
        for function in functions(code.unwrap_or_default()) {
            let name = format!("{} {}", file.path, function.name);
            if function.lines > MOST_LINES && !FLAT.contains(&name.as_str()) {
                long.push(format!(
                    "{}:{}: {}, {} lines",
                    file.path, function.line, function.name, function.lines
                ));
            }
        }
    }
    none("these functions should be parted", long);
}

#[test]
fn every_exception_is_still_one() {
    let files = files();
    let is_long = |exception: &&&str| {
        let (path, name) = exception.split_once(' ').unwrap_or_default();
        let file = files.iter().find(|file| file.path == path);
        file.is_some_and(|file| {
            let mut functions = functions(&file.text).into_iter();
            functions.any(|one| one.name == name && one.lines > MOST_LINES)
        })
    };
    let stale = FLAT.iter().filter(|name| !is_long(name));
    none(
        "these are no longer too long",
        stale.map(|name| (*name).to_owned()).collect(),
    );
}

#[test]
fn functions_are_found_with_their_lengths() {
    let text = "pub(crate) fn one() {\n    1;\n}\n\nimpl A {\n    unsafe extern \"C\" fn two();\n    fn three(\n        a: u8,\n    ) {\n    }\n}\nfn four() {}\n";
    let found = functions(text);
    let names: Vec<(&str, usize)> = found.iter().map(|one| (one.name, one.lines)).collect();
    assert_eq!(names, [("one", 3), ("three", 4)]);
}
