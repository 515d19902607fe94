//! The book's page of operators, from the catalogue in `atropos-mutants`.

use std::fmt::Write as _;

use atropos_mutants::{BugPattern, Category, Operator, OperatorSelection};

use super::GENERATED;

const HEAD: &str = "
# Operators

An operator is a rule that makes mutants. It has a short code, which reports and `--operators` use, and belongs to a
category.

| to use | write |
|---|---|
| the default operators | nothing |
| just some operators | `--operators AOR,ROR` |
| a whole category | `--operators concurrency` |
| the default operators but one | `--operators -SDL` |
| the default operators and more | `--operators +extended` |
| all operators | `--operators all` |

`cargo atropos operators` prints the same catalogue, `cargo atropos operators AOR` one entry of it.
";

const PATTERNS: &str = "
## Mistakes with threads, and the operators that make them

The patterns are those of Bradbury, Cordy and Dingel, *Mutation Operators for Concurrent Java (J2SE 5.0)*, 2006, Table 4.
`cargo atropos operators --patterns` prints this table. Two patterns have no operator, there as here.

| mistake | operators |
|---|---|
";

/// The whole page.
pub fn page() -> String {
    let mut page = format!("{GENERATED}{HEAD}");
    let all: Vec<Operator> = OperatorSelection::all().iter().collect();
    for category in Category::ALL {
        let operators = all
            .iter()
            .filter(|operator| operator.category() == category);
        section(&mut page, category, operators.copied());
    }
    page.push_str(PATTERNS);
    for pattern in BugPattern::ALL {
        let codes: Vec<&str> = pattern.operators().map(Operator::code).collect();
        let codes = match codes.as_slice() {
            [] => "none".to_owned(),
            codes => codes.join(", "),
        };
        row(&mut page, &[pattern.name(), &codes]);
    }
    page
}

fn section(page: &mut String, category: Category, operators: impl Iterator<Item = Operator>) {
    let off = if category.is_default() {
        ""
    } else {
        " (off by default)"
    };
    // Writing to a string can't fail.
    let _ = write!(page, "\n## {category}{off}\n\n");
    page.push_str("| code | what it does | before | after |\n|---|---|---|---|\n");
    for operator in operators {
        let (before, after) = operator.example();
        let after = match after {
            "" => "(nothing)".to_owned(),
            after => code(after),
        };
        let cells = [operator.code(), operator.sentence(), &code(before), &after];
        row(page, &cells);
    }
}

fn row(page: &mut String, cells: &[&str]) {
    let escaped: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    let _ = writeln!(page, "| {} |", escaped.join(" | "));
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_has_a_row_with_an_example() {
        let page = page();
        for operator in OperatorSelection::all().iter() {
            let sentence = operator.sentence().replace('|', "\\|");
            let row = format!("| {} | {sentence} | `", operator.code());
            assert!(page.contains(&row), "{row}");
        }
    }

    #[test]
    fn a_bar_in_code_does_not_end_its_cell() {
        let mut text = String::new();
        row(&mut text, &["a | b", "c"]);
        assert_eq!(text, "| a \\| b | c |\n");
    }
}
