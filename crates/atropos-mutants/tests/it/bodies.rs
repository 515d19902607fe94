//! FBR: what bodies are replaced by, and which are not replaced.

use atropos_mutants::{Edition, Shape};

use crate::check::{check, found_with, options, return_values, return_values_with};

#[track_caller]
fn check_type(ty: &str, expected: &[&str]) {
    assert_eq!(return_values("", ty), expected, "{ty}");
}

#[track_caller]
fn check_with(before: &str, ty: &str, expected: &[&str]) {
    assert_eq!(return_values(before, ty), expected, "{before} … {ty}");
}

#[test]
fn bodies_return_other_numbers_and_bools() {
    check_type("bool", &["true", "false"]);
    check_type("u8", &["0", "1"]);
    check_type("isize", &["0", "1", "-1"]);
    check_type("f32", &["0.0", "1.0", "-1.0"]);
    check_type("char", &["'\\0'", "'x'"]);
    check_type("()", &["()"]);
}

#[test]
fn bodies_that_return_texts_return_others() {
    check_type("String", &["String::new()", "\"xyzzy\".into()"]);
    check_type(
        "std::string::String",
        &["std::string::String::new()", "\"xyzzy\".into()"],
    );
    check_type("&str", &["\"\"", "\"xyzzy\""]);
    check_type("&'static str", &["\"\"", "\"xyzzy\""]);
    check_type("Box<str>", &["\"\".into()", "\"xyzzy\".into()"]);
    check_type("Rc<str>", &["Rc::from(\"\")", "Rc::from(\"xyzzy\")"]);
    check_type(
        "Cow<'_, str>",
        &["Cow::Borrowed(\"\")", "Cow::Borrowed(\"xyzzy\")"],
    );
    check_type("PathBuf", &["PathBuf::new()", "\"xyzzy\".into()"]);
    check_type("&Path", &["Path::new(\"\")", "Path::new(\"xyzzy\")"]);
}

#[test]
fn options_and_results_hold_the_values_of_what_they_hold() {
    check_type("Option<i32>", &["None", "Some(0)", "Some(1)"]);
    check_type(
        "Option<Option<bool>>",
        &[
            "None",
            "Some(None)",
            "Some(Some(true))",
            "Some(Some(false))",
        ],
    );
    check_type("Result<(), String>", &["Ok(())", "Err(\"xyzzy\".into())"]);
    check_type("Result<bool, ()>", &["Ok(true)", "Ok(false)", "Err(())"]);
    check_type(
        "Result<u8, Box<dyn Error + Send>>",
        &["Ok(0)", "Ok(1)", "Err(\"xyzzy\".into())"],
    );
    check_type("Result<u8, OtherError>", &["Ok(0)", "Ok(1)"]);
    check_type(
        "io::Result<()>",
        &["Ok(())", "Err(::std::io::ErrorKind::Other.into())"],
    );
    check_type("Result<(), fmt::Error>", &["Ok(())", "Err(fmt::Error)"]);
    check_type("fmt::Result", &["Ok(())"]);
    check_type("ModalResult<u8, OtherError>", &["Ok(0)", "Ok(1)"]);
    check_type("PResult<()>", &["Ok(())"]);
    check_type("IResult<&str, u8>", &["Ok((\"\", 0))", "Ok((\"\", 1))"]);
    check_type(
        "anyhow::Result<()>",
        &["Ok(())", "Err(anyhow::Error::msg(\"xyzzy\"))"],
    );
}

#[test]
fn collections_are_empty_or_hold_one() {
    check_type("Vec<u8>", &["vec![]", "vec![0]"]);
    check_type("Vec<String>", &["vec![]", "vec![String::new()]"]);
    check_type("VecDeque<u8>", &["VecDeque::new()", "VecDeque::from([0])"]);
    check_type(
        "HashMap<String, u8>",
        &["HashMap::new()", "HashMap::from([(String::new(), 0)])"],
    );
    check_type(
        "collections::BTreeSet<u8>",
        &[
            "collections::BTreeSet::new()",
            "collections::BTreeSet::from([0])",
        ],
    );
    check_type("Box<[u8]>", &["Box::new([])", "Box::new([0])"]);
    check_type("[u8; 4]", &["[0; 4]", "[1; 4]"]);
    check_type(
        "[String; N]",
        &[
            "::core::array::from_fn(|_| String::new())",
            "::core::array::from_fn(|_| \"xyzzy\".into())",
        ],
    );
    check_type("Vec<Never>", &["vec![]", "vec![Default::default()]"]);
    check_with("struct Never;", "Vec<Never>", &["vec![]"]);
}

#[test]
fn tuples_take_each_value_of_each_part_once() {
    check_type(
        "(bool, &str, f64)",
        &["(true, \"\", 0.0)", "(false, \"xyzzy\", 1.0)"],
    );
    check_type("(u8,)", &["(0,)", "(1,)"]);
}

#[test]
fn wrappers_wrap_values_of_what_they_hold() {
    check_type("Box<u8>", &["Box::new(0)", "Box::new(1)"]);
    check_type(
        "Arc<Mutex<bool>>",
        &["Arc::new(Mutex::new(true))", "Arc::new(Mutex::new(false))"],
    );
    check_type("Wrapping<u8>", &["Wrapping(0)", "Wrapping(1)"]);
    check_type("Cow<'a, [u8]>", &["Cow::Borrowed(&[])"]);
    check_type(
        "NonZeroU8",
        &["NonZeroU8::new(1).unwrap()", "NonZeroU8::MAX"],
    );
    check_type(
        "NonZero<u8>",
        &["NonZero::<u8>::new(1).unwrap()", "NonZero::<u8>::MAX"],
    );
    check_type("Duration", &["Duration::ZERO", "Duration::from_secs(1)"]);
    check_type(
        "cmp::Ordering",
        &[
            "cmp::Ordering::Less",
            "cmp::Ordering::Equal",
            "cmp::Ordering::Greater",
        ],
    );
}

#[test]
fn references_live_for_ever() {
    check_type("&u8", &["&0", "&1"]);
    check_type(
        "&mut u8",
        &["Box::leak(Box::new(0))", "Box::leak(Box::new(1))"],
    );
    check_type("&[u8]", &["&[]", "&[0]"]);
    check_type("&mut [u8]", &["&mut []", "Box::leak(Box::new([0]))"]);
    check_type(
        "&String",
        &[
            "Box::leak(Box::new(String::new()))",
            "Box::leak(Box::new(\"xyzzy\".into()))",
        ],
    );
    check_type("Option<&str>", &["None", "Some(\"\")", "Some(\"xyzzy\")"]);
}

#[test]
fn iterators_yield_nothing() {
    let source = "fn f(&self) -> impl Iterator<Item = u8> + '_ { self.a.iter().copied() }";
    let found = found_with(source, &options("FBR"));
    let point = &found.points[0];
    let Shape::IteratorBody { tail } = point.shape else {
        panic!("{:?}", point.shape);
    };
    assert_eq!(tail.text(source), "self.a.iter().copied()");
    assert_eq!(point.mutants[0].replacement, "::core::iter::empty()");
    check(
        "FBR",
        "fn f() -> impl Iterator<Item = u8> { if a { return b; } c }",
        &[],
    );
    check_type(
        "Box<dyn Iterator<Item = u8> + '_>",
        &[
            "Box::new(::core::iter::empty())",
            "Box::new(::core::iter::once(0))",
        ],
    );
}

#[test]
fn what_is_defined_in_the_file_is_known() {
    check_with(
        "#[derive(Default)] struct S { a: u8 }",
        "S",
        &["Default::default()"],
    );
    check_with("struct S { a: u8 }", "S", &[]);
    check_with(
        "struct S; impl Default for S { fn default() -> S { S } }",
        "S",
        &["Default::default()"],
    );
    check_with("enum E { A, B(u8), C }", "E", &["E::A", "E::C"]);
    check_with("enum E { A(u8) }", "E", &[]);
    check_with(
        "enum E { Bad }",
        "Result<u8, E>",
        &["Ok(0)", "Ok(1)", "Err(E::Bad)"],
    );
    check_with(
        "type R<T> = Result<T, E>; enum E { Bad }",
        "R<u8>",
        &["Ok(0)", "Ok(1)", "Err(E::Bad)"],
    );
    check_with("type Id = u32;", "Id", &["0", "1"]);
    check_type("Elsewhere", &["Default::default()"]);
    check_type("MutexGuard<'_, u8>", &[]);
}

#[test]
fn type_parameters_need_a_bound() {
    check("FBR", "fn f<T>() -> T { g(); h() }", &[]);
    check(
        "FBR",
        "fn f<T: Default>() -> T { g(); h() }",
        &["FBR: g(); h() => Default::default()"],
    );
    check(
        "FBR",
        "fn f<T>() -> Option<T> where T: Default { g() }",
        &["FBR: g() => None", "FBR: g() => Some(Default::default())"],
    );
    check("FBR", "impl<T> S<T> { fn f(&self) -> &T { g() } }", &[]);
}

#[test]
fn self_and_associated_types_are_looked_up() {
    check(
        "FBR",
        "impl Iterator for S { type Item = u8; fn next(&mut self) -> Option<Self::Item> { g() } }",
        &[
            "FBR: g() => None",
            "FBR: g() => Some(0)",
            "FBR: g() => Some(1)",
        ],
    );
    check(
        "FBR",
        "impl S { fn a(mut self) -> Self { self.b = 1; self } }",
        &["FBR: self.b = 1; self => self"],
    );
    check(
        "FBR",
        "impl S { fn a(&mut self) -> &mut Self { self.b = 1; self } }",
        &["FBR: self.b = 1; self => self"],
    );
    check(
        "FBR",
        "impl S { fn a(&self) -> Self { b() } }",
        &["FBR: b() => Default::default()"],
    );
    check(
        "FBR",
        "trait T { fn a(&self) -> Self; fn b() -> Self::C { d() } }",
        &[],
    );
}

#[test]
fn bodies_that_nobody_should_replace_stay() {
    check("FBR", "fn main() { a(); }", &[]);
    check("FBR", "fn f() {}", &[]);
    check("FBR", "fn f() -> u8 { 0 }", &["FBR: 0 => 1"]);
    check(
        "FBR",
        "fn f() -> Vec<u8> { vec![] }",
        &["FBR: vec![] => vec![0]"],
    );
    check("FBR", "fn f() -> ! { loop {} }", &[]);
    check("FBR", "fn f() -> u8 { unimplemented!() }", &[]);
    check("FBR", "fn f() -> u8 { panic!(\"no\") }", &[]);
    check(
        "FBR",
        "const fn f() -> String { g() }",
        &["FBR: g() => String::new()"],
    );
    check("FBR", "const fn f(a: Vec<u8>) -> u8 { g(&a) }", &[]);
    check(
        "FBR",
        "impl Default for S { fn default() -> Self { g() } }",
        &[],
    );
    check(
        "FBR",
        "impl S { fn new() -> Self { g() } } impl Default for S { fn default() -> S { S::new() } }",
        &[],
    );
    check(
        "FBR",
        "fn f() -> Pin<Box<dyn Future<Output = u8>>> { g() }",
        &[],
    );
    check("FBR", "fn f() -> impl Fn(u8) -> u8 { g() }", &[]);
}

#[test]
fn async_and_unsafe_functions_are_like_others() {
    check(
        "FBR",
        "async fn f() -> bool { g().await }",
        &["FBR: g().await => true", "FBR: g().await => false"],
    );
    check(
        "FBR",
        "unsafe fn f() { g(); h(); }",
        &["FBR: g(); h(); => ()"],
    );
}

#[test]
fn display_does_not_fail() {
    check(
        "FBR",
        "impl fmt::Display for S { fn fmt(&self, f: &mut fmt::Formatter) -> Result<(), fmt::Error> { write!(f, \"x\") } }",
        &["FBR: write!(f, \"x\") => Ok(())"],
    );
}

#[test]
fn paths_suit_the_edition_and_no_std() {
    let iterator = "Box<dyn Iterator<Item = u8>>";
    assert_eq!(
        return_values_with("", iterator, Edition::Rust2015, false)[0],
        "Box::new(::std::iter::empty())"
    );
    assert_eq!(
        return_values_with("", iterator, Edition::Rust2015, true)[0],
        "Box::new(core::iter::empty())"
    );
    assert_eq!(
        return_values_with("", "Vec<u8>", Edition::Rust2021, true),
        ["Vec::new()", "Vec::from([0])"]
    );
    assert!(return_values_with("", "&mut u8", Edition::Rust2021, true).is_empty());
}

#[test]
fn the_point_lies_within_the_braces_and_the_edit_on_the_statements() {
    let source = "fn f() -> u8 {\n    #![allow(x)]\n    // why\n    g()\n    // end\n}";
    let found = found_with(source, &options("FBR"));
    let point = &found.points[0];
    assert_eq!(
        point.span.text(source),
        "\n    // why\n    g()\n    // end\n"
    );
    assert_eq!(point.mutants[0].span.text(source), "g()");
    assert_eq!(
        atropos_mutants::apply(source, &point.mutants[0]),
        "fn f() -> u8 {\n    #![allow(x)]\n    // why\n    0\n    // end\n}"
    );
}
