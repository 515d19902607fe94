//! Every command and option that the documents show is one that the program takes. (Tests only.)

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use atropos_search::STRATEGIES;
use clap::error::ErrorKind;
use clap::{Command, CommandFactory as _};

use crate::arguments::{self, Arguments};
use crate::config;

/// Options of other programs that the documents speak of.
const OTHERS: [&str; 9] = [
    "args", "bug", "seconds", "only", "skip", "test", "offline", "list", "timeout",
];

/// The page that is about another program's options.
const OTHER_PROGRAM: &str = "cargo-mutants.md";

fn documents() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut documents = Vec::new();
    for name in ["README.md", "CONTRIBUTING.md", "EXPERIMENTS.md"] {
        documents.push(root.join(name));
    }
    collect(&root.join("docs/src"), &mut documents);
    let text = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a document");
        (path, text)
    };
    documents.into_iter().map(text).collect()
}

fn collect(folder: &Path, documents: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, documents);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            documents.push(path);
        }
    }
}

/// What stands between backticks on one line.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().filter(|line| !line.starts_with("```"));
    lines.flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// The lines of a shell that call the program, without comments and what comes after the command.
fn shell_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut is_shell = false;
    text.lines().filter_map(move |line| {
        if let Some(language) = line.strip_prefix("```") {
            is_shell = matches!(language, "sh" | "yaml");
            return None;
        }
        let line = line.trim_start().trim_start_matches("- ");
        let line = line.strip_prefix("run: ").unwrap_or(line);
        let command = line.split(" #").next()?.split(" || ").next()?.trim_end();
        (is_shell && command.starts_with("cargo atropos")).then_some(command)
    })
}

/// A command line in words; what stands for any value gets one.
fn words(command: &str) -> Vec<OsString> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for letter in command.chars() {
        match letter {
            '\'' | '"' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            letter => words.last_mut().expect("never empty").push(letter),
        }
    }
    let value = |word: String| match word.as_str() {
        "ID" => "1".into(),
        "k/n" => "0/1".into(),
        "S" => "s1:0".into(),
        "FORMAT" => "html".into(),
        _ => OsString::from(word),
    };
    words.into_iter().skip(1).map(value).collect()
}

#[test]
fn every_command_in_the_documents_is_one_that_the_program_takes() {
    let mut refused = Vec::new();
    let mut count = 0;
    for (path, text) in documents() {
        let spans = code(&text).filter(|span| span.starts_with("cargo atropos"));
        for command in spans.chain(shell_lines(&text)) {
            if command.contains(['[', '…', '$']) {
                continue;
            }
            count += 1;
            let Err(error) = arguments::parse(words(command)) else {
                continue;
            };
            // A command may be named without what it needs.
            let is_named = matches!(
                error.kind(),
                ErrorKind::MissingRequiredArgument
                    | ErrorKind::DisplayHelp
                    | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            );
            if !is_named {
                refused.push(format!("{}: {command}\n{error}", path.display()));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(count > 50, "only {count} commands were found");
}

fn long_options(command: &Command, found: &mut BTreeSet<String>) {
    let options = command
        .get_arguments()
        .filter_map(|argument| argument.get_long());
    found.extend(options.map(str::to_owned));
    for subcommand in command.get_subcommands() {
        long_options(subcommand, found);
    }
}

#[test]
fn every_option_in_the_documents_is_one_of_the_program() {
    let mut known = BTreeSet::from(OTHERS.map(str::to_owned));
    let mut command = Arguments::command();
    command.build();
    long_options(&command, &mut known);
    let mut unknown = Vec::new();
    for (path, text) in documents() {
        if path.ends_with(OTHER_PROGRAM) || path.ends_with("EXPERIMENTS.md") {
            continue;
        }
        let options = code(&text)
            .filter(|span| span.starts_with("--"))
            .flat_map(|span| span.split([' ', '=']))
            .filter_map(|word| word.strip_prefix("--"));
        // The `--` before a test's own arguments, and the `---` of front matter, are no options.
        for option in options.filter(|option| option.starts_with(|c: char| c.is_alphanumeric())) {
            if !known.contains(option) {
                unknown.push(format!("{}: --{option}", path.display()));
            }
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

#[test]
fn every_config_file_in_the_book_is_right() {
    let mut count = 0;
    for (path, text) in documents() {
        for block in text.split("\n```toml\n").skip(1) {
            let (file, _) = block.split_once("\n```").expect("it ends");
            count += 1;
            let mistakes = config::mistakes_in(file);
            assert!(mistakes.is_empty(), "{}: {mistakes:?}", path.display());
        }
    }
    assert!(count >= 2, "only {count} were found");
}

#[test]
fn every_strategy_has_a_row_in_the_book() {
    let page = include_str!("../../../docs/src/schedules.md");
    // `replay` is a command of its own.
    for entry in STRATEGIES.iter().filter(|entry| entry.name != "replay") {
        assert!(
            page.contains(&format!("\n| `{}", entry.name)),
            "{}",
            entry.name
        );
    }
}

#[test]
fn commands_are_found_where_people_would_type_them() {
    let text = "a `cargo atropos -F 'fn a'` b\n```yaml\n- run: cargo atropos list # all\n```\n\
                ```text\ncargo atropos no\n```\n";
    let spans: Vec<&str> = code(text).collect();
    assert_eq!(spans, ["cargo atropos -F 'fn a'"]);
    let lines: Vec<&str> = shell_lines(text).collect();
    assert_eq!(lines, ["cargo atropos list"]);
    assert_eq!(words(spans[0]), ["atropos", "-F", "fn a"]);
}
