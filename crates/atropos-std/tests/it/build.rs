//! Builds the facades with plain rustc, as the tool does, and programs against them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

use runtime_crates::EXPLORED;

/// The lists of the tool itself.
#[allow(dead_code)]
#[path = "../../../cargo-atropos/runtime_crates.rs"]
mod runtime_crates;

/// Tells this binary that it is a compiler wrapper, and where the facades are.
pub const FACADE: &str = "ATROPOS_FACADE_DIR";

pub fn rustc() -> PathBuf {
    std::env::var_os("RUSTC").map_or_else(|| "rustc".into(), PathBuf::from)
}

/// Tells this binary that it runs for another toolchain than that of cargo, which `RUSTC` names, and how that is called.
pub const TOOLCHAIN: &str = "ATROPOS_FACADE_TOOLCHAIN";

/// A directory for this test's files.
pub fn scratch() -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    match std::env::var_os(TOOLCHAIN) {
        Some(toolchain) => directory.join("toolchains").join(toolchain),
        None => directory.join("facade"),
    }
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_path_buf()
}

/// When the newest file below a directory was changed.
fn newest(directory: &Path) -> SystemTime {
    let entries = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let changed = |path: PathBuf| {
        if path.is_dir() {
            newest(&path)
        } else {
            path.metadata().unwrap().modified().unwrap()
        }
    };
    entries.map(changed).max().unwrap_or(SystemTime::UNIX_EPOCH)
}

/// When the compiler was installed.
fn compiler() -> SystemTime {
    let library = run({
        let mut command = Command::new(rustc());
        command.args(["--print", "target-libdir"]);
        command
    });
    Path::new(library.trim())
        .metadata()
        .and_then(|directory| directory.modified())
        .unwrap_or(SystemTime::UNIX_EPOCH)
}

/// The directory with the facades' libraries.
pub fn facade() -> &'static Path {
    static FACADE: OnceLock<PathBuf> = OnceLock::new();
    FACADE.get_or_init(|| {
        let directory = scratch().join("libraries");
        std::fs::create_dir_all(&directory).unwrap();
        let mut rebuild = false;
        let mut build = |name: &str, folder: &str, needs: &[&str]| {
            let mut command = Command::new(rustc());
            command.args([
                "--edition",
                "2024",
                "-O",
                "--crate-type",
                "rlib",
                "--cap-lints",
                "allow",
                "-C",
                "metadata=atropos",
            ]);
            command
                .args(["--crate-name", name, "-L"])
                .arg(format!("dependency={}", directory.display()));
            for need in needs {
                command.arg("--extern").arg(format!(
                    "{need}={}",
                    directory.join(format!("lib{need}.rlib")).display()
                ));
            }
            let library = match name {
                "std" | "core" => format!("lib{name}-atropos.rlib"),
                _ => format!("lib{name}.rlib"),
            };
            let (source, library) = (crates().join(folder).join("src"), directory.join(library));
            // A library that is newer than every source is still right, unless the compiler is another.
            let built = std::fs::metadata(&library)
                .and_then(|library| library.modified())
                .ok();
            rebuild |= built.is_none_or(|built| built <= newest(&source))
                || built.is_some_and(|built| built <= compiler());
            if rebuild {
                command.arg(source.join("lib.rs")).arg("-o").arg(library);
                run(command);
            }
        };
        // Up to the facades: what stands behind them in the list needs them.
        for (folder, name, uses) in EXPLORED {
            build(name, folder, uses);
            if *name == "core" {
                break;
            }
        }
        directory
    })
}

/// The flags that put the facades under a crate.
pub fn flags(facade: &Path) -> Vec<String> {
    let extern_flag = |name: &str| {
        format!(
            "{name}={}",
            facade.join(format!("lib{name}-atropos.rlib")).display()
        )
    };
    ["-L".to_string(), format!("dependency={}", facade.display())]
        .into_iter()
        .chain(
            ["std", "core"]
                .iter()
                .flat_map(|name| ["--extern".to_string(), extern_flag(name)]),
        )
        .chain(["--cap-lints".to_string(), "allow".to_string()])
        .collect()
}

/// Runs a command that must succeed; its standard output.
#[track_caller]
pub fn run(mut command: Command) -> String {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}\n{}\n{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// Which std a program is compiled against.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Std {
    Real,
    Facade,
}

/// Starts a compilation of a text.
pub fn compile(
    name: &str,
    edition: &str,
    text: &str,
    std: Std,
    more: &[&str],
) -> (Command, PathBuf) {
    let directory = scratch().join("programs");
    std::fs::create_dir_all(&directory).unwrap();
    let suffix = if std == Std::Real { "real" } else { "facade" };
    let source = directory.join(format!("{name}-{edition}-{suffix}.rs"));
    std::fs::write(&source, text).unwrap();
    let program = directory.join(format!("{name}-{edition}-{suffix}"));
    let mut command = Command::new(rustc());
    command
        .args([
            "--edition",
            edition,
            "--crate-name",
            name,
            "--cap-lints",
            "allow",
        ])
        .args(more);
    if std == Std::Facade {
        command.args(flags(facade()));
    }
    command.arg(&source).arg("-o").arg(&program);
    (command, program)
}

/// Compiles and runs a program; its standard output.
#[track_caller]
pub fn output_of(name: &str, edition: &str, text: &str, std: Std) -> String {
    let (compiler, program) = compile(name, edition, text, std, &[]);
    run(compiler);
    run(Command::new(program))
}

/// Runs rustc as cargo asked for, with the facades unless the crate is for the compiler itself.
pub fn wrap(arguments: &[String], facade: &Path) -> i32 {
    let [rustc, arguments @ ..] = arguments else {
        return 1;
    };
    let value_of = |flag: &str| {
        arguments
            .iter()
            .position(|argument| argument == flag)
            .and_then(|at| arguments.get(at + 1))
    };
    let for_program = value_of("--crate-name")
        .is_some_and(|name| name != "build_script_build" && name != "___")
        && value_of("--crate-type").is_none_or(|kind| kind != "proc-macro");
    let mut command = Command::new(rustc);
    command.args(arguments);
    if for_program {
        command.args(flags(facade));
    }
    command
        .status()
        .ok()
        .and_then(|status| status.code())
        .unwrap_or(1)
}
