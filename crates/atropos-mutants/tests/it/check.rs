//! The data-driven check that the other files use: a piece of Rust, and its mutants as lines.

use atropos_mutants::{
    Edition, FileMutants, FindOptions, Mutant, OperatorSelection, Point, find_mutants, one_line,
};

pub fn options(operators: &str) -> FindOptions {
    FindOptions {
        selection: OperatorSelection::parse(&[operators]).expect(operators),
        ..FindOptions::default()
    }
}

pub fn found_with(source: &str, options: &FindOptions) -> FileMutants {
    find_mutants(source, options).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

/// The point's text with the mutant's edit made, on one line.
pub fn edited(source: &str, point: &Point, mutant: &Mutant) -> String {
    let before = &source[point.span.start..mutant.span.start];
    let behind = &source[mutant.span.end..point.span.end];
    one_line(&format!("{before}{}{behind}", mutant.replacement))
        .trim()
        .to_string()
}

/// `AOR: a + b => a - b` for every mutant.
pub fn lines(source: &str, found: &FileMutants) -> Vec<String> {
    let mut lines = Vec::new();
    for point in &found.points {
        let original = one_line(point.span.text(source));
        for mutant in &point.mutants {
            let edited = edited(source, point, mutant);
            let line = format!("{}: {} => {edited}", mutant.operator, original.trim());
            lines.push(line.trim_end().to_string());
        }
    }
    lines
}

/// Checks the mutants that the given operators make of a file.
#[track_caller]
pub fn check(operators: &str, source: &str, expected: &[&str]) {
    let found = found_with(source, &options(operators));
    assert_eq!(lines(source, &found), expected, "{operators} on\n{source}");
}

/// Checks the mutants of an expression that is bound to a variable, where it is a value.
#[track_caller]
pub fn check_value(operators: &str, parameters: &str, value: &str, expected: &[&str]) {
    let source = format!("fn f({parameters}) {{ let _v = {value}; }}");
    check(operators, &source, expected);
}

/// Checks the mutants of the statements of a function.
#[track_caller]
pub fn check_statements(operators: &str, statements: &str, expected: &[&str]) {
    check(operators, &format!("fn f() {{ {statements} }}"), expected);
}

/// The values that replace the body of a function with the given return type.
pub fn return_values(before: &str, ty: &str) -> Vec<String> {
    return_values_with(before, ty, Edition::Rust2024, false)
}

pub fn return_values_with(before: &str, ty: &str, edition: Edition, no_std: bool) -> Vec<String> {
    let source = format!("{before}\nfn f() -> {ty} {{ g(); h() }}");
    let options = FindOptions {
        edition,
        no_std,
        ..options("FBR")
    };
    let found = found_with(&source, &options);
    found
        .points
        .iter()
        .filter(|point| point.function == "f")
        .flat_map(|point| {
            point
                .mutants
                .iter()
                .map(|mutant| mutant.replacement.clone())
        })
        .collect()
}
