//! The book's page of options and config keys, from what clap and the config file's reader know. A test compares it
//! with the page in `docs/`; `cargo xtask docs` has the test write it.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command, CommandFactory as _};

use crate::arguments::Arguments;
use crate::config;

const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/src/reference/options.md"
);

const HEAD: &str = "\
<!-- Made by `cargo xtask docs`. Edit the code that it is made from, not this file. -->

# Options and config keys

Most options of a run can also stand in the file `.cargo/atropos.toml` in the workspace's root, under their long names
without the dashes. The command line goes before the file. A list on the command line is added to the list in the
file, but for `--package`, `--report` and `--fail-on`, which take its place.

```toml
workspace = true
exclude-re = [\"impl Debug\"]
jobs = 4
test-args = [\"--skip\", \"slow\"]
```

`--config FILE` reads another file, `--no-config` none. A mistake in the file is told with its line, and the exit code
is 1.
";

/// The whole page.
fn page() -> String {
    let mut command = Arguments::command();
    command.build();
    let mut page = HEAD.to_owned();
    // Writing to a string can't fail.
    let _ = write!(
        page,
        "\n## Options of a run\n\n`cargo atropos [OPTIONS] [-- TEST ARGS]`\n"
    );
    options_by_heading(&mut page, &command);
    examples(&mut page, &command);
    for subcommand in command.get_subcommands() {
        // What happens without any command is above, and help explains itself.
        if !matches!(subcommand.get_name(), "run" | "help") {
            commands(&mut page, subcommand, &command, "cargo atropos");
        }
    }
    page
}

/// The options of a run, under the headings of the help.
fn options_by_heading(page: &mut String, command: &Command) {
    for heading in headings(command) {
        let _ = write!(page, "\n### {heading}\n");
        for argument in under(command, heading) {
            option(page, argument, true);
        }
    }
}

/// A subcommand, and its own.
fn commands(page: &mut String, command: &Command, run: &Command, path: &str) {
    let path = format!("{path} {}", command.get_name());
    let _ = write!(page, "\n## `{path}`\n\n");
    paragraphs(page, command.get_long_about().or(command.get_about()));
    let (shared, own): (Vec<&Arg>, Vec<&Arg>) = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set() && !is_help(argument))
        .partition(|argument| is_of_a_run(argument, run));
    for argument in own {
        option(page, argument, false);
    }
    let shared = options_of_a_run(&shared, run);
    if !shared.is_empty() {
        let _ = write!(
            page,
            "\nIt takes these options of a run, too: {}.\n",
            shared.join(", ")
        );
    }
    examples(page, command);
    for subcommand in command.get_subcommands() {
        if subcommand.get_name() != "help" {
            commands(page, subcommand, run, &path);
        }
    }
}

/// What stands behind the options in the help: examples, exit codes.
fn examples(page: &mut String, command: &Command) {
    if let Some(text) = command.get_after_long_help() {
        let _ = write!(page, "\n```text\n{}\n```\n", text.to_string().trim());
    }
}

/// Options that a run has, too: a heading's name where all under it are among them, else one by one.
fn options_of_a_run(shared: &[&Arg], run: &Command) -> Vec<String> {
    let mut names = Vec::new();
    for heading in headings(run) {
        let all = under(run, heading).count();
        let some: Vec<&&Arg> = shared
            .iter()
            .filter(|argument| argument.get_help_heading() == Some(heading))
            .collect();
        if some.len() == all {
            let anchor = heading.to_lowercase().replace(' ', "-");
            names.push(format!("all of [{heading}](#{anchor})"));
        } else {
            let long = some.iter().filter_map(|argument| argument.get_long());
            names.extend(long.map(|long| format!("`--{long}`")));
        }
    }
    names
}

/// The help's headings, in their order.
fn headings(command: &Command) -> Vec<&str> {
    let mut headings: Vec<&str> = Vec::new();
    for argument in command.get_arguments() {
        let heading = argument.get_help_heading().unwrap_or_default();
        if !heading.is_empty() && !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    headings
}

fn under<'c>(command: &'c Command, heading: &'c str) -> impl Iterator<Item = &'c Arg> {
    let is_shown = move |argument: &&Arg| {
        !argument.is_hide_set() && argument.get_help_heading() == Some(heading)
    };
    command.get_arguments().filter(is_shown)
}

fn is_help(argument: &Arg) -> bool {
    matches!(argument.get_id().as_str(), "help" | "version")
}

/// Whether a run has the same option.
fn is_of_a_run(argument: &Arg, run: &Command) -> bool {
    let same = |other: &Arg| {
        other.get_id() == argument.get_id()
            && text(other.get_help()) == text(argument.get_help())
            && other.get_help_heading() == argument.get_help_heading()
    };
    argument.get_help_heading().is_some() && run.get_arguments().any(same)
}

fn text(help: Option<&StyledStr>) -> String {
    help.map(ToString::to_string).unwrap_or_default()
}

fn paragraphs(page: &mut String, help: Option<&StyledStr>) {
    let _ = writeln!(page, "{}", text(help).trim());
}

fn option(page: &mut String, argument: &Arg, has_key: bool) {
    let value = match argument.get_action() {
        ArgAction::Set | ArgAction::Append => {
            argument.get_value_names().map(|names| names.join(" "))
        }
        _ => None,
    };
    let with_value = |name: String| match &value {
        Some(value) => format!("`{name} {value}`"),
        None => format!("`{name}`"),
    };
    let mut names = Vec::new();
    names.extend(
        argument
            .get_long()
            .map(|long| with_value(format!("--{long}"))),
    );
    names.extend(
        argument
            .get_short()
            .map(|short| with_value(format!("-{short}"))),
    );
    if names.is_empty() {
        let position = if argument.is_last_set() { "-- " } else { "" };
        names.push(format!(
            "`{position}{}`",
            value.as_deref().unwrap_or_default()
        ));
    }
    let _ = write!(page, "\n#### {}\n\n", names.join(", "));
    paragraphs(page, argument.get_long_help().or(argument.get_help()));
    values(page, argument);
    if has_key {
        key(page, argument);
    }
}

/// The words that an option takes, if these are all, and what it takes by default.
fn values(page: &mut String, argument: &Arg) {
    let takes_a_word = matches!(argument.get_action(), ArgAction::Set | ArgAction::Append);
    let values = argument.get_possible_values();
    if !takes_a_word {
        return;
    }
    if let [default] = argument.get_default_values() {
        let _ = write!(page, "\nDefault: `{}`.\n", default.display());
    }
    if !values.is_empty() {
        page.push('\n');
    }
    for value in values.iter().filter(|value| !value.is_hide_set()) {
        let help = match text(value.get_help()) {
            help if help.is_empty() => String::new(),
            help => format!(": {help}"),
        };
        let _ = writeln!(page, "- `{}`{help}", value.get_name());
    }
}

/// The key in the config file, and what the file's reader wants there.
fn key(page: &mut String, argument: &Arg) {
    let key = argument.get_long().unwrap_or("test-args");
    let _ = match config::value_of(key) {
        Some(wanted) => write!(page, "\nConfig: `{key}`, {wanted}.\n"),
        None => write!(page, "\nConfig: none.\n"),
    };
}

#[test]
fn the_page_of_options_is_current() {
    let page = page();
    if std::env::var_os("ATROPOS_TEST_WRITE_PAGES").is_some() {
        std::fs::write(PAGE, &page).expect("the page can be written");
    }
    let written = std::fs::read_to_string(PAGE).expect("the page exists");
    assert!(
        written == page,
        "docs/src/reference/options.md is stale: run `cargo xtask docs`"
    );
}

#[test]
fn every_option_and_key_is_on_the_page() {
    let page = page();
    for argument in Arguments::command().get_arguments() {
        if let Some(long) = argument.get_long().filter(|_| !argument.is_hide_set()) {
            let head = format!("\n#### `--{long}");
            assert!(page.contains(&head) || is_help(argument), "--{long}");
        }
    }
    for (key, wanted) in [
        ("jobs", "a number"),
        ("since", "a string"),
        ("re", "a list of strings"),
        ("no-doc", "true or false"),
    ] {
        let line = format!("Config: `{key}`, {wanted}.");
        assert!(page.contains(&line), "{line}");
    }
}
