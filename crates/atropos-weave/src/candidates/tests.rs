//! What is a candidate, and where its assertion stands.

use super::*;

const CODE: &str = "
pub struct Account { balance: i64, pub name: String }
impl Account {
    pub fn new(limit: u64) -> Account { made() }
    pub fn balance(&self) -> i64 { self.balance }
    fn secret(&self) -> i64 { 0 }
    pub fn deposit(&mut self, amount: u64) -> Result<(), ()> { Ok(()) }
    pub fn of(&self, owner: &str) -> u8 { 0 }
    pub fn clear(&self) -> u8 { 0 }
}
";

fn found(tests: &str, code: TestCode) -> Vec<(CandidatePlace, String)> {
    let types = PackageTypes::of([CODE].into_iter());
    let found = find(tests, code, &types);
    found
        .into_iter()
        .map(|candidate| (candidate.place, candidate.expression))
        .collect()
}

fn texts(tests: &str, code: TestCode) -> Vec<String> {
    let found = found(tests, code);
    found.into_iter().map(|(_, text)| text).collect()
}

#[test]
fn the_state_of_the_packages_values_is_looked_at_after_each_statement() {
    let tests = "#[test]
fn t() {
    let mut account = Account::new(1);
    account.deposit(30).unwrap();
    let other = 5;
}";
    let outside = texts(tests, TestCode::Whole);
    let after_new = ["account", "account.balance()", "account.name"];
    let after_deposit = [
        "account.deposit(30)",
        "account",
        "account.balance()",
        "account.name",
    ];
    assert_eq!(outside, [&after_new[..], &after_deposit[..]].concat());

    let module =
        format!("#[cfg(test)] mod tests {{ {tests} }} fn code() {{ let a = Account::new(2); }}");
    let inside = texts(&module, TestCode::TestModules);
    assert!(
        inside.contains(&"account.secret()".to_owned()),
        "{inside:?}"
    );
    assert!(!inside.contains(&"a".to_owned()), "{inside:?}");
}

#[test]
fn dropped_values_and_calls_within_statements_are_candidates() {
    let tests = "fn t() {
    set.insert(3);
    assert_eq!(size(&set), 1);
    assert!(parse(\"x\").is_ok());
    let _ = run(|| inner(1), outer(2));
    for x in all() { check(x); }
    loop { let c = step(); }
}";
    let found = found(tests, TestCode::Whole);
    let place = |text: &str| {
        let of = found.iter().find(|(_, other)| other == text);
        of.map(|(place, _)| match place {
            CandidatePlace::Dropped(_) => "dropped",
            CandidatePlace::Variable => "variable",
            CandidatePlace::State => "state",
            CandidatePlace::Within(_) => "within",
        })
    };
    assert_eq!(place("set.insert(3)"), Some("dropped"));
    assert_eq!(place("size(&set)"), None, "it is asserted already");
    assert_eq!(place("parse(\"x\")"), Some("within"));
    assert_eq!(place("outer(2)"), Some("within"));
    assert_eq!(
        place("inner(1)"),
        None,
        "nothing can be added in its closure"
    );
    assert_eq!(place("check(x)"), Some("dropped"));
    assert_eq!(place("c"), Some("variable"));
}

#[test]
fn assertions_stand_behind_their_statements_or_before_the_last() {
    let text = "fn t() {\n    f(1);\n    assert!(g(2) > 0)\n}";
    let types = PackageTypes::default();
    let candidates = find(text, TestCode::Whole, &types);
    let assertion = |expression: &str| format!("assert_eq!({expression}, 5)");
    let written = |index: usize| {
        let (span, new) = candidates[index].written(&assertion);
        format!("{}{new}{}", &text[..span.start], &text[span.end..])
    };
    assert!(
        written(0).contains("    assert_eq!(f(1), 5);\n"),
        "{}",
        written(0)
    );
    assert!(
        written(1).contains("    assert_eq!(g(2), 5);\nassert!(g(2) > 0)"),
        "{}",
        written(1)
    );
}
