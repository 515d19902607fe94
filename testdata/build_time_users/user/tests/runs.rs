//! The library at run time, and what it generated.

#[test]
fn text_is_generated() {
    assert_eq!(core_of_both::answer_of("A", 1), "impl A { pub fn answer() -> u32 { 3 } }");
}

#[test]
fn both_answers_count() {
    assert_eq!(user::both(), 49);
}
