//! The part of the command line that is about what cargo builds: features, profile, targets, and what else it is given.

use clap::Args;

pub const BUILD_HEADING: &str = "How to build";

#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = BUILD_HEADING)]
pub struct BuildOptions {
    /// Features to build with (as for cargo)
    #[arg(long, value_name = "FEATURES", value_delimiter = ',')]
    pub features: Vec<String>,

    /// Build with all features
    #[arg(long)]
    pub all_features: bool,

    /// Build without the default features
    #[arg(long)]
    pub no_default_features: bool,

    /// The cargo profile to build the tests with
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,

    /// Don't use the network (as for cargo)
    #[arg(long)]
    pub offline: bool,

    /// Don't change Cargo.lock (as for cargo)
    #[arg(long)]
    pub locked: bool,

    /// Neither use the network nor change Cargo.lock (as for cargo)
    #[arg(long)]
    pub frozen: bool,

    /// Only the tests of the library (as for cargo; also leaves doctests out)
    #[arg(long)]
    pub lib: bool,

    /// Only the tests of this binary (may be repeated; also leaves doctests out)
    #[arg(long, value_name = "NAME")]
    pub bin: Vec<String>,

    /// Only this integration test (may be repeated; also leaves doctests out)
    #[arg(id = "test_target", long = "test", value_name = "NAME")]
    pub test: Vec<String>,

    /// Only the tests of this example (may be repeated; also leaves doctests out)
    #[arg(long, value_name = "NAME")]
    pub example: Vec<String>,

    /// One more argument for `cargo test`, for example --ignore-rust-version (may be repeated)
    #[arg(short = 'C', long, value_name = "ARG", allow_hyphen_values = true, value_parser = parse_cargo_argument)]
    pub cargo_arg: Vec<String>,
}

impl BuildOptions {
    /// The arguments that tell cargo of the features and the profile.
    pub fn cargo_arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if !self.features.is_empty() {
            arguments.push(format!("--features={}", self.features.join(",")));
        }
        if self.all_features {
            arguments.push("--all-features".into());
        }
        if self.no_default_features {
            arguments.push("--no-default-features".into());
        }
        if let Some(profile) = &self.profile {
            arguments.push(format!("--profile={profile}"));
        }
        for (is_set, argument) in [
            (self.offline, "--offline"),
            (self.locked, "--locked"),
            (self.frozen, "--frozen"),
        ] {
            if is_set {
                arguments.push(argument.into());
            }
        }
        arguments.extend(self.cargo_arg.iter().cloned());
        arguments
    }

    /// The arguments that turn off optimisation at link time.
    pub fn without_lto(&self) -> Vec<String> {
        let profiles = match self.profile.as_deref() {
            None => vec!["dev", "test"],
            Some(own) => vec![own],
        };
        let off = |profile| format!("--config=profile.{profile}.lto='off'");
        profiles.into_iter().map(off).collect()
    }

    /// Whether only some of the targets are tested; cargo leaves doctests out then.
    pub fn chooses_targets(&self) -> bool {
        self.lib || !(self.bin.is_empty() && self.test.is_empty() && self.example.is_empty())
    }

    /// The arguments that tell cargo which targets to test.
    pub fn test_targets(&self) -> Vec<String> {
        if !self.chooses_targets() {
            return vec!["--tests".to_owned()];
        }
        let lib = self.lib.then(|| "--lib".to_owned());
        let named = [
            ("bin", &self.bin),
            ("test", &self.test),
            ("example", &self.example),
        ];
        let named = named
            .into_iter()
            .flat_map(|(kind, names)| names.iter().map(move |name| format!("--{kind}={name}")));
        lib.into_iter().chain(named).collect()
    }
}

/// Arguments of cargo that a run sets itself, and what to use instead.
const REFUSED: [(&[&str], &str); 7] = [
    (
        &["--target-dir", "--artifact-dir", "--out-dir"],
        "the build lies in the output directory; `--output` names another",
    ),
    (
        &["--message-format", "--no-run", "--no-fail-fast", "--doc"],
        "a run sets it as it needs it",
    ),
    (&["--manifest-path"], "use `--manifest-path` without `-C`"),
    (
        &["-p", "--package", "--workspace", "--all", "--exclude"],
        "`--package`, `--workspace` and `--exclude` choose packages",
    ),
    (
        &[
            "--lib",
            "--bin",
            "--bins",
            "--test",
            "--tests",
            "--example",
            "--examples",
            "--bench",
            "--benches",
            "--all-targets",
        ],
        "`--lib`, `--bin`, `--test` and `--example` choose targets",
    ),
    (&["--target"], "tests have to run on this machine"),
    (&["--"], "arguments for the test binaries stand behind `--`"),
];

/// Refuses what a run must not be told by way of cargo.
pub fn parse_cargo_argument(text: &str) -> Result<String, String> {
    let name = text.split('=').next().unwrap_or(text);
    let is_meant = |refused: &&(&[&str], &str)| refused.0.contains(&name);
    match REFUSED.iter().find(is_meant) {
        Some((_, instead)) => Err(format!("cargo can't be given `{name}` here: {instead}")),
        None => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_sets_itself_is_refused_with_what_to_use_instead() {
        for argument in [
            "--target-dir=x",
            "--no-run",
            "-p",
            "--lib",
            "--target",
            "--",
            "--manifest-path",
        ] {
            let said = parse_cargo_argument(argument).unwrap_err();
            let name = argument.split('=').next().unwrap();
            assert!(
                said.starts_with(&format!("cargo can't be given `{name}` here: ")),
                "{said}"
            );
        }
        for argument in [
            "--ignore-rust-version",
            "-Zno-index-update",
            "--config=net.offline=true",
            "--timings",
        ] {
            assert_eq!(parse_cargo_argument(argument).as_deref(), Ok(argument));
        }
    }

    #[test]
    fn targets_are_named_as_for_cargo() {
        assert_eq!(BuildOptions::default().test_targets(), ["--tests"]);
        let options = BuildOptions {
            lib: true,
            test: vec!["a".into(), "b".into()],
            ..BuildOptions::default()
        };
        assert_eq!(options.test_targets(), ["--lib", "--test=a", "--test=b"]);
    }
}
