//! Programs, compiled in three ways: as they are, woven, and with one edit each.
//!
//! A program consists of sections, which are files of one crate each with a `pub fn main()`. The
//! edited versions are compiled together as modules of one crate; that is why sections are small.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use atropos_mutants::mutant::{FileMutants, Mutant, MutantId, Point, Span};
use atropos_mutants::{Edition, FindOptions, OperatorSelection, find_mutants};
use atropos_weave::{
    FileForms, FileWeave, PackageForms, WeaveOptions, diagnostics, find_points, rollback,
    weave_file,
};

/// The crate's root; the sections lie beside it.
const ROOT: &str = "program.rs";

pub struct Program {
    pub name: &'static str,
    pub edition: &'static str,
    pub sections: Vec<Section>,
}

pub struct Section {
    /// The name of its file.
    pub file: String,
    pub source: String,
    pub mutants: FileMutants,
}

impl Program {
    /// A text of sections: each begins with a line `//# title`.
    pub fn new(
        name: &'static str,
        edition: &'static str,
        selection: OperatorSelection,
        text: &str,
    ) -> Program {
        let options = FindOptions {
            selection,
            edition: Edition::from_year(edition).unwrap(),
            ..FindOptions::default()
        };
        let mut next = 1;
        let mut sections = Vec::new();
        for (index, section) in text.split("//# ").skip(1).enumerate() {
            let source = format!("// {section}");
            let mut mutants = find_points(&source, &options).unwrap();
            let needed = mutants.const_calls.names();
            mutants.keep_const(|function| needed.contains(&function.name));
            for mutant in mutants
                .points
                .iter_mut()
                .flat_map(|point| &mut point.mutants)
            {
                mutant.id = MutantId(next);
                next += 1;
            }
            sections.push(Section {
                file: format!("s{index}.rs"),
                source,
                mutants,
            });
        }
        Program {
            name,
            edition,
            sections,
        }
    }

    pub fn all_mutants(&self) -> impl Iterator<Item = (&Section, &Point, &Mutant)> {
        self.sections.iter().flat_map(|section| {
            let points = section.mutants.points.iter();
            points.flat_map(move |point| {
                let mutants = point.mutants.iter();
                mutants.map(move |mutant| (section, point, mutant))
            })
        })
    }

    /// How a mutant is named when a test fails.
    pub fn describe(&self, id: MutantId) -> String {
        let mut mutants = self.all_mutants();
        let (section, point, mutant) = mutants.find(|(.., mutant)| mutant.id == id).unwrap();
        let title = section.source.lines().next().unwrap_or_default();
        format!(
            "{} {title} {}: {} in `{}`",
            self.name,
            point.function,
            mutant.summary,
            point
                .span
                .text(&section.source)
                .lines()
                .next()
                .unwrap_or_default()
        )
    }

    /// The root of the crate of all sections: its argument says which of them runs.
    fn root(&self) -> String {
        let mut text = String::from("#![deny(warnings, missing_docs)]\n");
        if !self
            .sections
            .iter()
            .any(|section| section.source.contains("unsafe"))
        {
            text.push_str("#![forbid(unsafe_code)]\n");
        }
        text.push_str(declarations(self.edition));
        for index in 0..self.sections.len() {
            text.push_str(&format!("mod s{index};\n"));
        }
        text.push_str("pub fn main() {\n    helper::be_quiet();\n");
        text.push_str("    let wanted = ::std::env::args().nth(1).unwrap();\n");
        for index in 0..self.sections.len() {
            let name = format!("s{index}");
            text.push_str(&format!(
                "    if wanted == \"{name}.rs\" || wanted == \"all\" {{ {name}::main(); }}\n"
            ));
        }
        text.push_str("}\n");
        text
    }
}

impl Section {
    /// Whether something in the text is evaluated at compile time if its function is.
    fn is_const(&self, offset: usize) -> bool {
        let mut functions = self.mutants.const_functions.iter();
        functions.any(|function| function.evaluates(Span::new(offset, offset)))
    }

    /// The source with one mutant's edit and the step counters that the edit leaves.
    fn edited(&self, mutant: Option<&Mutant>) -> String {
        let mut edits: Vec<(usize, usize, &str)> = self
            .mutants
            .steps
            .iter()
            .filter(|step| !self.is_const(step.offset))
            .map(|step| (step.offset, step.offset, "::atropos_runtime::step(0);"))
            .collect();
        if let Some(mutant) = mutant {
            let span = mutant.span;
            edits.retain(|(offset, ..)| *offset <= span.start || span.end <= *offset);
            edits.push((span.start, span.end, &mutant.replacement));
        }
        // From the back; a counter stands before an edit at the same place.
        edits.sort_by_key(|(start, end, _)| (*start, *end));
        let mut text = self.source.clone();
        for (start, end, replacement) in edits.into_iter().rev() {
            text.replace_range(start..end, replacement);
        }
        text
    }
}

/// What a program does as far as anybody can see.
#[derive(Debug, PartialEq, Eq)]
pub struct Behaviour {
    pub stdout: String,
    pub code: Option<i32>,
}

/// A program that was woven, rolled back until rustc accepted it, and compiled.
pub struct Woven {
    pub files: BTreeMap<String, FileWeave>,
    pub rounds: usize,
    binary: PathBuf,
}

impl Woven {
    pub fn alive(&self) -> BTreeSet<MutantId> {
        let points = self.files.values().flat_map(|file| file.map.points());
        points
            .flat_map(|point| point.mutants.iter().copied())
            .collect()
    }

    fn reason(&self, mutant: MutantId) -> Option<&str> {
        let mut absent = self.files.values().flat_map(|file| &file.absent);
        absent.find_map(|(id, reason)| (*id == mutant).then_some(reason.as_str()))
    }

    /// Runs it as the original.
    pub fn run_original(&self) -> Behaviour {
        run(Command::new(&self.binary).arg("all"))
    }

    pub fn run_mutant(&self, section: &Section, point: &Point, mutant: MutantId) -> Behaviour {
        run(Command::new(&self.binary)
            .arg(&section.file)
            .env("ATROPOS_POINT", point.mutants[0].id.0.to_string())
            .env("ATROPOS_MUTANT", mutant.0.to_string()))
    }
}

/// All edited sections of a program that compile, some of them as one binary.
pub struct Reference {
    pub viable: BTreeSet<MutantId>,
    /// Those that are in the binary.
    runnable: BTreeSet<MutantId>,
    /// Why the others don't compile.
    refused: BTreeMap<MutantId, String>,
    binary: PathBuf,
}

impl Reference {
    pub fn run(&self, mutant: MutantId) -> Behaviour {
        run(Command::new(&self.binary).arg(mutant.0.to_string()))
    }
}

pub fn run(command: &mut Command) -> Behaviour {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // A thread reads, so that a full pipe stops nobody.
    let mut pipe = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let start = Instant::now();
    let code = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        if start.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            child.wait().unwrap();
            break Some(-1);
        }
        std::thread::sleep(Duration::from_micros(300));
    };
    Behaviour {
        stdout: reader.join().unwrap(),
        code,
    }
}

/// A fresh directory of the test that runs: others weave the same programs beside it.
fn scratch(name: &str) -> PathBuf {
    let thread = std::thread::current();
    let test = thread
        .name()
        .expect("tests run in threads that have their names");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("weave")
        .join(test.replace("::", "-"))
        .join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn rustc() -> Command {
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.args(["--cap-lints=warn", "--error-format=json"]);
    command
}

/// The directory with the compiled stand-in for the runtime and the helper.
fn libraries() -> &'static Path {
    static LIBRARIES: OnceLock<PathBuf> = OnceLock::new();
    LIBRARIES.get_or_init(|| {
        let directory = scratch("libraries");
        for (name, file, uses) in [
            ("atropos_values", "../atropos-values/src/lib.rs", None),
            (
                "atropos_runtime",
                "tests/it/runtime.rs",
                Some("atropos_values"),
            ),
            ("helper", "tests/it/helper.rs", None),
        ] {
            let crate_directory = Path::new(env!("CARGO_MANIFEST_DIR"));
            let output = rustc()
                .args([
                    "--crate-type=rlib",
                    "--edition=2024",
                    "-O",
                    "--crate-name",
                    name,
                ])
                .arg("--out-dir")
                .arg(&directory)
                .args(uses.map(|used| {
                    let library = directory.join(format!("lib{used}.rlib"));
                    format!("--extern={used}={}", library.display())
                }))
                .arg(crate_directory.join(file))
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", errors_of(&output));
        }
        directory
    })
}

fn errors_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Emit {
    Check,
    Binary,
}

/// Compiles the root file in a directory.
pub fn compile(directory: &Path, edition: &str, emit: Emit) -> Output {
    let (kind, output) = match emit {
        Emit::Check => ("metadata", "program.rmeta"),
        Emit::Binary => ("link", "program"),
    };
    let extern_flag = |name: &str| {
        let library = libraries().join(format!("lib{name}.rlib"));
        format!("--extern={name}={}", library.display())
    };
    rustc()
        .current_dir(directory)
        .args([format!("--edition={edition}"), format!("--emit={kind}")])
        .args([extern_flag("atropos_runtime"), extern_flag("helper")])
        .arg("-L")
        .arg(libraries())
        .args(["--crate-name=program", "-Cdebuginfo=0", "-Ccodegen-units=4"])
        .args(["-o", output, ROOT])
        .output()
        .unwrap()
}

fn compile_binary(directory: &Path, edition: &str) -> PathBuf {
    let output = compile(directory, edition, Emit::Binary);
    assert!(output.status.success(), "{}", errors_of(&output));
    directory.join("program")
}

/// The root of a program of the edition of 2015 has to declare what it uses.
fn declarations(edition: &str) -> &'static str {
    match edition {
        "2015" => "extern crate helper;\nfn old_style(n: u32) -> u32 { n }\n",
        _ => "",
    }
}

/// Compiles the program as it is.
pub fn compile_original(program: &Program) -> PathBuf {
    let directory = scratch(&format!("{}-{}-original", program.name, program.edition));
    fs::write(directory.join(ROOT), program.root()).unwrap();
    for section in &program.sections {
        fs::write(directory.join(&section.file), &section.source).unwrap();
    }
    compile_binary(&directory, program.edition)
}

/// Weaves, checks and rolls back until rustc accepts, then compiles.
pub fn weave(program: &Program) -> Woven {
    let directory = scratch(&format!("{}-{}-woven", program.name, program.edition));
    let root = program.root();
    let mutants = FileMutants {
        first_item: find_mutants(&root, &FindOptions::default())
            .unwrap()
            .first_item,
        ..FileMutants::default()
    };
    let root_options = WeaveOptions {
        edition_2015_root: program.edition == "2015",
        steps: false,
        first_function: 0,
    };
    let root = weave_file(&root, &mutants, &FileForms::new(), &root_options);
    fs::write(directory.join(ROOT), root.text).unwrap();
    let mut forms = PackageForms::default();
    for round in 1..=20 {
        let files = weave_sections(program, &forms, &directory);
        let output = compile(&directory, program.edition, Emit::Check);
        let errors = diagnostics::parse_errors(&errors_of(&output));
        if errors.is_empty() {
            assert!(output.status.success());
            return Woven {
                files,
                rounds: round,
                binary: compile_binary(&directory, program.edition),
            };
        }
        let name = |name: &str| files.contains_key(name).then(|| name.to_owned());
        let outcome = rollback::roll_back(&mut forms, &files, &errors, name);
        assert!(
            outcome.made_progress() && outcome.unmapped.is_empty(),
            "{}: {outcome}: {errors:#?}",
            program.name
        );
    }
    panic!("{}: rustc still refuses after 20 rounds", program.name);
}

fn weave_sections(
    program: &Program,
    forms: &PackageForms,
    directory: &Path,
) -> BTreeMap<String, FileWeave> {
    let options = WeaveOptions {
        edition_2015_root: false,
        steps: true,
        first_function: 0,
    };
    let mut files = BTreeMap::new();
    for section in &program.sections {
        let known = forms.file(&section.file);
        let weave = weave_file(&section.source, &section.mutants, known, &options);
        assert_same_lines(&section.source, &weave.text);
        fs::write(directory.join(&section.file), &weave.text).unwrap();
        files.insert(section.file.clone(), weave);
    }
    files
}

pub fn assert_same_lines(source: &str, woven: &str) {
    assert_eq!(source.matches('\n').count(), woven.matches('\n').count());
    assert_eq!(
        source.matches("\r\n").count(),
        woven.matches("\r\n").count()
    );
}

/// Compiles all edited sections of a program, each as a module, without those that rustc refuses.
/// One in `every` of them can be run.
pub fn reference(program: &Program, every: usize) -> Reference {
    let directory = scratch(&format!("{}-{}-reference", program.name, program.edition));
    let mut versions: BTreeMap<MutantId, String> = program
        .all_mutants()
        .map(|(section, _, mutant)| (mutant.id, section.edited(Some(mutant))))
        .collect();
    let mut refused = BTreeMap::new();
    loop {
        let (text, starts) = all_in_one(&versions, program.edition);
        fs::write(directory.join(ROOT), &text).unwrap();
        let output = compile(&directory, program.edition, Emit::Check);
        let errors = diagnostics::parse_errors(&errors_of(&output));
        if errors.is_empty() {
            assert!(output.status.success());
            break;
        }
        let before = versions.len();
        for error in errors {
            let Some(span) = error.spans.iter().find(|span| span.file_name == ROOT) else {
                continue;
            };
            let module = starts
                .iter()
                .rev()
                .find(|(start, _)| *start <= span.byte_start);
            let (_, mutant) = module.unwrap();
            versions.remove(mutant);
            refused.insert(*mutant, error.headline());
        }
        assert!(versions.len() < before, "{}", errors_of(&output));
    }
    let viable: BTreeSet<MutantId> = versions.keys().copied().collect();
    let runnable: BTreeSet<MutantId> = viable.iter().copied().step_by(every).collect();
    versions.retain(|mutant, _| runnable.contains(mutant));
    let (text, _) = all_in_one(&versions, program.edition);
    fs::write(directory.join(ROOT), &text).unwrap();
    Reference {
        binary: compile_binary(&directory, program.edition),
        viable,
        runnable,
        refused,
    }
}

/// One text of all versions, and where each of them starts.
fn all_in_one(
    versions: &BTreeMap<MutantId, String>,
    edition: &str,
) -> (String, Vec<(usize, MutantId)>) {
    let mut text = declarations(edition).to_owned();
    let mut starts = Vec::new();
    if edition == "2015" {
        text.push_str("extern crate atropos_runtime;\n");
    }
    for (mutant, version) in versions {
        starts.push((text.len(), *mutant));
        text.push_str(&format!("mod m{} {{\n{version}\n}}\n", mutant.0));
    }
    text.push_str("fn main() {\n    helper::be_quiet();\n");
    text.push_str("    match ::std::env::args().nth(1).unwrap().as_str() {\n");
    for mutant in versions.keys() {
        text.push_str(&format!("        \"{0}\" => m{0}::main(),\n", mutant.0));
    }
    text.push_str("        _ => ::std::process::exit(99),\n    }\n}\n");
    (text, starts)
}

/// Mutants that only one of the two ways has.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// Compile alone, but are not in the woven program.
    pub lost: Vec<String>,
    /// Are in the woven program, but don't compile alone.
    pub impossible: Vec<String>,
}

/// Runs the original and every mutant that can be run in both ways; all must do the same.
pub fn compare(program: &Program, woven: &Woven, reference: &Reference) -> Differences {
    let original = run(Command::new(compile_original(program)).arg("all"));
    assert_eq!(
        woven.run_original(),
        original,
        "{}: the original",
        program.name
    );
    let alive = woven.alive();
    let mut differing = Vec::new();
    for (section, point, mutant) in program.all_mutants() {
        if !alive.contains(&mutant.id) || !reference.runnable.contains(&mutant.id) {
            continue;
        }
        let here = woven.run_mutant(section, point, mutant.id);
        let there = reference.run(mutant.id);
        if here != there {
            let name = program.describe(mutant.id);
            differing.push(format!(
                "{name}\n--- woven\n{here:#?}\n--- alone\n{there:#?}"
            ));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n\n"));
    let only_in = |one: &BTreeSet<MutantId>, other: &BTreeSet<MutantId>| {
        let mutants = one.difference(other);
        let name = |mutant: &MutantId| {
            let refused = reference.refused.get(mutant).map(String::as_str);
            let reason = woven.reason(*mutant).or(refused).unwrap_or_default();
            format!("{}: {reason}", program.describe(*mutant))
        };
        mutants.map(name).collect()
    };
    Differences {
        lost: only_in(&reference.viable, &alive),
        impossible: only_in(&alive, &reference.viable),
    }
}
