//! What users of cargo expect of a command: manifest paths, refused arguments, completions and a manual page.

use crate::cli::project::Project;

#[test]
fn a_manifest_path_names_the_package() {
    let project = Project::bank();
    let elsewhere = Project::bank();
    let manifest = project.path().join("Cargo.toml");
    let manifest = manifest.to_str().unwrap();
    let usual = project.atropos(&["list"]);
    let named = elsewhere.atropos(&["list", "--manifest-path", manifest]);
    assert_eq!((named.code, named.stdout), (0, usual.stdout));
    let wrong = project.atropos(&["list", "--manifest-path", "src"]);
    wrong.is_error(1, "`--manifest-path src` is not a path to a Cargo.toml");
}

#[test]
fn arguments_that_a_run_sets_itself_are_refused() {
    let answer = Project::bank().atropos(&["list", "-C", "--target-dir=elsewhere"]);
    assert_eq!(answer.code, 1);
    let words = "cargo can't be given `--target-dir` here";
    assert!(answer.stderr.contains(words), "{}", answer.stderr);
}

#[test]
fn lists_on_the_command_line_are_added_to_those_of_the_config_file() {
    let project = Project::bank();
    std::fs::create_dir_all(project.path().join(".cargo")).unwrap();
    let config = project.path().join(".cargo/atropos.toml");
    std::fs::write(config, "exclude-re = ['with -']\n").unwrap();
    let names = |arguments: &[&str]| -> Vec<String> {
        let mutants = project.mutants(&[&["--operators", "AOR"], arguments].concat());
        mutants.iter().map(|mutant| mutant.name()).collect()
    };
    let (by_file, by_both) = (names(&[]), names(&["-E", "fn sum"]));
    assert!(
        !by_both.is_empty() && by_both.len() < by_file.len(),
        "{by_both:?}"
    );
    let is_left_out = |name: &String| name.contains("with -");
    assert!(!by_both.iter().any(is_left_out), "{by_both:?}");
}

#[test]
fn shells_and_man_know_every_option() {
    let project = Project::bank();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = project.atropos(&["completions", shell]);
        assert_eq!(script.code, 0, "{shell}");
        for word in ["min-score", "accept", "manifest-path"] {
            assert!(script.stdout.contains(word), "{shell} lacks {word}");
        }
    }
    let page = project.atropos(&["man"]);
    assert_eq!(page.code, 0);
    assert!(
        page.stdout.contains(".TH cargo-atropos 1"),
        "{}",
        page.stdout
    );
    assert!(page.stdout.contains("\\-\\-min\\-score"));
}
