//! Which packages and files are searched for mutants.

use crate::cli::project::{Project, manifest};

fn adder(function: &str) -> String {
    format!("pub fn {function}(a: i32, b: i32) -> i32 {{\n    a + b\n}}\n")
}

/// The functions that hold the mutants.
fn functions(names: &[String]) -> Vec<&str> {
    names
        .iter()
        .map(|name| {
            let (_, function) = name.split_once(" in fn ").expect("a function");
            function.split(' ').next().expect("a name")
        })
        .collect()
}

fn workspace() -> Project {
    Project::empty()
        .file(
            "Cargo.toml",
            "[workspace]\nresolver = \"2\"\nmembers = [\"one\", \"two\", \"three\"]\n\
             default-members = [\"one\", \"two\"]\n",
        )
        .file("one/Cargo.toml", &manifest("one"))
        .file("one/src/lib.rs", &adder("in_one"))
        .file("two/Cargo.toml", &manifest("two"))
        .file("two/src/lib.rs", &adder("in_two"))
        .file("three/Cargo.toml", &manifest("three"))
        .file("three/src/lib.rs", &adder("in_three"))
}

#[test]
fn packages_are_chosen_as_cargo_chooses_them() {
    let project = workspace();
    let check = |directory: &str, arguments: &[&str], expected: &[&str]| {
        let names = project.names_in(directory, arguments);
        assert_eq!(functions(&names), expected, "{directory} {arguments:?}");
    };
    check("", &[], &["in_one", "in_two"]);
    check("three", &[], &["in_three"]);
    check("three/src", &[], &["in_three"]);
    check("", &["-d", "three"], &["in_three"]);
    check("", &["--workspace"], &["in_one", "in_two", "in_three"]);
    check("one", &["--workspace", "--exclude", "t*"], &["in_one"]);
    check(
        "one",
        &["-p", "two", "-p", "three"],
        &["in_two", "in_three"],
    );
    check("", &["-p", "t*"], &["in_two", "in_three"]);
    check("", &["-p", "one@0.1.0"], &["in_one"]);
}

#[test]
fn the_config_file_lies_in_the_workspace_root_and_the_command_line_wins() {
    let project = workspace().file(".cargo/atropos.toml", "package = 'three'\n");
    assert_eq!(functions(&project.names_in("one", &[])), ["in_three"]);
    assert_eq!(
        functions(&project.names_in("one", &["-p", "one"])),
        ["in_one"]
    );
    assert_eq!(
        functions(&project.names_in("one", &["--no-config"])),
        ["in_one"]
    );
}

#[test]
fn paths_are_relative_to_the_workspace() {
    let names = workspace().names_in("three/src", &[]);
    assert_eq!(
        names,
        ["three/src/lib.rs:2:7: replace + with - in fn in_three [AOR]"]
    );
}

#[test]
fn the_module_tree_is_followed_and_test_code_is_not_mutated() {
    let project = Project::empty()
        .file("Cargo.toml", &manifest("tree"))
        .file(
            "src/lib.rs",
            "mod a;\npub mod inline {\n    mod deep;\n}\n#[path = \"odd/name.rs\"]\nmod other;\n\
             #[cfg(test)]\nmod tests;\n#[cfg(windows)]\nmod missing_elsewhere;\n",
        )
        .file("src/a/mod.rs", &("mod b;\n".to_owned() + &adder("in_a")))
        .file("src/a/b.rs", &adder("in_b"))
        .file("src/inline/deep.rs", &adder("in_deep"))
        .file(
            "src/odd/name.rs",
            &("mod beside;\n".to_owned() + &adder("in_odd")),
        )
        .file("src/odd/beside.rs", &adder("beside_odd"))
        .file("src/tests.rs", &adder("in_tests"))
        .file("src/not_in_the_tree.rs", &adder("nowhere"))
        .file(
            "src/main.rs",
            &("mod a;\nfn main() {}\n".to_owned() + &adder("in_main")),
        )
        .file(
            "src/bin/more.rs",
            &("fn main() {}\n".to_owned() + &adder("in_more")),
        )
        .file(
            "tests/it.rs",
            &("mod common;\n".to_owned() + &adder("in_it")),
        )
        .file("tests/common/mod.rs", &adder("in_common"))
        .file("benches/speed.rs", &adder("in_bench"))
        .file(
            "examples/show.rs",
            &("fn main() {}\n".to_owned() + &adder("in_example")),
        )
        .file(
            "build.rs",
            &("fn main() {}\n".to_owned() + &adder("in_build")),
        );
    let names = project.names(&[]);
    let mut found = functions(&names);
    found.sort_unstable();
    let expected = [
        "beside_odd",
        "in_a",
        "in_b",
        "in_deep",
        "in_main",
        "in_more",
        "in_odd",
    ];
    assert_eq!(found, expected);
}

#[test]
fn build_scripts_and_proc_macros_are_named_as_left_alone() {
    let project = Project::empty()
        .file(
            "Cargo.toml",
            &(manifest("derive") + "[lib]\nproc-macro = true\n"),
        )
        .file("src/lib.rs", &adder("in_macro"))
        .file("build.rs", "fn main() {}\n");
    let answer = project.atropos(&["list"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""));
    assert_eq!(
        answer.stderr,
        "note: left alone: the proc macro of `derive`, the build script of `derive`\n\
         note: no mutants were found (constants and `const fn`, bodies of `macro_rules!` and test code have none)\n"
    );
}

#[test]
fn a_file_that_code_and_tests_share_is_code() {
    let project = Project::empty()
        .file("Cargo.toml", &manifest("shared"))
        .file(
            "src/lib.rs",
            "#[cfg(test)]\n#[path = \"both.rs\"]\nmod for_tests;\nmod both;\n",
        )
        .file("src/both.rs", &adder("in_both"));
    assert_eq!(functions(&project.names(&[])), ["in_both"]);
}
