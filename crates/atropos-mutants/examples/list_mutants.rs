//! Lists the mutants of the files named on the command line: a look at what the operators make,
//! without building anything. Flags: `--all` (extended operators too), `--diff`.

use atropos_mutants::{FindOptions, OperatorSelection, display_name, find_mutants, unified_diff};

fn main() -> std::process::ExitCode {
    let (flags, files): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|word| word.starts_with("--"));
    let has = |flag: &str| flags.iter().any(|given| given == flag);
    let mut options = FindOptions::default();
    if has("--all") {
        options.selection = OperatorSelection::all();
    }
    let mut failed = false;
    for file in &files {
        let found = std::fs::read_to_string(file)
            .map_err(|error| error.to_string())
            .and_then(|text| {
                let found = find_mutants(&text, &options).map_err(|error| error.to_string())?;
                Ok((text, found))
            });
        match found {
            Err(error) => {
                eprintln!("{file}: {error}");
                failed = true;
            }
            Ok((text, found)) => {
                for point in &found.points {
                    for mutant in &point.mutants {
                        println!("{}", display_name(file, point, mutant));
                        if has("--diff") {
                            println!("{}", unified_diff(file, &text, mutant));
                        }
                    }
                }
            }
        }
    }
    if failed {
        std::process::ExitCode::FAILURE
    } else {
        std::process::ExitCode::SUCCESS
    }
}
