//! The facades have what std and core of the toolchain in use have: the same names, methods and traits.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::build::{Std, TOOLCHAIN, compile, output_of};

/// Types to compare, with something in place of each parameter.
const TYPES: &[&str] = &[
    "std::sync::Mutex<u8>",
    "std::sync::Mutex<std::cell::Cell<u8>>",
    "std::sync::Mutex<std::rc::Rc<u8>>",
    "std::sync::Mutex<[u8]>",
    "std::sync::MutexGuard<'static, u8>",
    "std::sync::MutexGuard<'static, std::cell::Cell<u8>>",
    "std::sync::RwLock<u8>",
    "std::sync::RwLock<std::cell::Cell<u8>>",
    "std::sync::RwLockReadGuard<'static, u8>",
    "std::sync::RwLockWriteGuard<'static, u8>",
    "std::sync::RwLockWriteGuard<'static, std::cell::Cell<u8>>",
    "std::sync::Condvar",
    "std::sync::WaitTimeoutResult",
    "std::sync::Barrier",
    "std::sync::BarrierWaitResult",
    "std::sync::Once",
    "std::sync::OnceState",
    "std::sync::OnceLock<u8>",
    "std::sync::OnceLock<std::cell::Cell<u8>>",
    "std::sync::OnceLock<std::rc::Rc<u8>>",
    "std::sync::LazyLock<u8>",
    "std::sync::LazyLock<std::cell::Cell<u8>>",
    "std::sync::mpsc::Sender<u8>",
    "std::sync::mpsc::Sender<std::rc::Rc<u8>>",
    "std::sync::mpsc::SyncSender<u8>",
    "std::sync::mpsc::Receiver<u8>",
    "std::sync::mpsc::Iter<'static, u8>",
    "std::sync::mpsc::TryIter<'static, u8>",
    "std::sync::mpsc::IntoIter<u8>",
    "std::sync::mpsc::SendError<u8>",
    "std::sync::mpsc::RecvError",
    "std::sync::mpsc::TryRecvError",
    "std::sync::mpsc::TrySendError<u8>",
    "std::sync::mpsc::RecvTimeoutError",
    "std::sync::atomic::AtomicBool",
    "std::sync::atomic::AtomicPtr<u8>",
    "std::sync::atomic::AtomicPtr<std::rc::Rc<u8>>",
    "std::sync::atomic::AtomicI8",
    "std::sync::atomic::AtomicU16",
    "std::sync::atomic::AtomicI32",
    "std::sync::atomic::AtomicU64",
    "std::sync::atomic::AtomicUsize",
    "std::sync::atomic::Ordering",
    "core::sync::atomic::AtomicUsize",
    "std::thread::JoinHandle<u8>",
    "std::thread::JoinHandle<std::rc::Rc<u8>>",
    "std::thread::ScopedJoinHandle<'static, u8>",
    "std::thread::Scope<'static, 'static>",
    "std::thread::Thread",
    "std::thread::ThreadId",
    "std::thread::Builder",
    "std::thread::AccessError",
    "std::thread::LocalKey<u8>",
    "std::time::Instant",
];

const TRAITS: &[&str] = &[
    "Send",
    "Sync",
    "Unpin",
    "std::panic::UnwindSafe",
    "std::panic::RefUnwindSafe",
    "std::fmt::Debug",
    "std::fmt::Display",
    "std::fmt::Pointer",
    "std::error::Error",
    "Clone",
    "Copy",
    "Default",
    "PartialEq",
    "Eq",
    "PartialOrd",
    "Ord",
    "std::hash::Hash",
    "From<u8>",
    "From<bool>",
    "From<usize>",
    "From<*mut u8>",
    "Iterator",
    "IntoIterator",
    "std::ops::Deref",
    "std::ops::DerefMut",
    "std::os::unix::thread::JoinHandleExt",
];

/// What newer toolchains have and the facades have not: a crate that uses it is not explored, and the tool says so.
const MISSING: [&str; 1] = ["std::sync::LazyLock<u8>: From<u8> true"];

/// A program that prints which of the types have which of the traits.
fn matrix() -> String {
    let mut text =
        "use std::marker::PhantomData;\nstruct Of<T: ?Sized>(PhantomData<T>);\n".to_string();
    for (number, name) in TRAITS.iter().enumerate() {
        // An inherent constant hides the trait's, if the type has the trait.
        write!(
            text,
            "trait Not{number} {{ const HAS{number}: bool = false; }}\nimpl<T: ?Sized> Not{number} for T {{}}\n\
             impl<T: ?Sized + {name}> Of<T> {{ const HAS{number}: bool = true; }}\n"
        )
        .unwrap();
    }
    text += "fn main() {\n";
    for name in TYPES {
        for (number, of) in TRAITS.iter().enumerate() {
            writeln!(
                text,
                "    println!(\"{name}: {of} {{}}\", <Of<{name}>>::HAS{number});"
            )
            .unwrap();
        }
    }
    text + "}\n"
}

/// Whether this difference is one of a toolchain that is not the one in use.
fn is_known(real: &str) -> bool {
    std::env::var_os(TOOLCHAIN).is_some() && MISSING.contains(&real)
}

pub fn types_have_the_traits_of_std_s() {
    let real = output_of("matrix", "2021", &matrix(), Std::Real);
    let facade = output_of("matrix", "2021", &matrix(), Std::Facade);
    let different: Vec<(&str, &str)> = real
        .lines()
        .zip(facade.lines())
        .filter(|(real, facade)| real != facade && !is_known(real))
        .collect();
    assert!(different.is_empty(), "std's and ours:\n{different:#?}");
    assert_eq!(real.lines().count(), TYPES.len() * TRAITS.len());
}

/// Modules of which something is replaced, and so everything is compared.
const MODULES: &[&str] = &[
    "std::sync",
    "std::sync::atomic",
    "std::sync::mpsc",
    "std::thread",
    "std::hint",
    "std::time",
    "core::sync::atomic",
    "core::hint",
];

fn documentation() -> Option<PathBuf> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--print", "sysroot"])
        .output()
        .ok()?;
    let path = Path::new(String::from_utf8(output.stdout).ok()?.trim()).join("share/doc/rust/html");
    path.is_dir().then_some(path)
}

/// The public items of a module, as (kind, name).
fn items(directory: &Path) -> Vec<(String, String)> {
    let is_item = |kind: &str| {
        matches!(
            kind,
            "struct" | "enum" | "fn" | "constant" | "type" | "trait" | "macro"
        )
    };
    let mut items = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let parts: Vec<&str> = name.split('.').collect();
        if let [kind, name, "html"] = parts[..]
            && is_item(kind)
        {
            items.push((kind.to_string(), name.to_string()));
        }
    }
    items.sort();
    items
}

/// Whether a page, or a method's part of one, starts with a note that it is unstable.
fn is_unstable(html: &str) -> bool {
    html.split("class=\"docblock")
        .next()
        .unwrap_or("")
        .contains("stab unstable")
}

/// The stable methods that a type has of its own.
fn methods(html: &str) -> BTreeSet<String> {
    let own = html.split("id=\"implementations\"").nth(1).unwrap_or("");
    let own = own
        .split("id=\"trait-implementations\"")
        .next()
        .unwrap_or("");
    let own = own.split("id=\"deref-methods").next().unwrap_or("");
    let own = own
        .split("id=\"synthetic-implementations\"")
        .next()
        .unwrap_or("");
    let mut methods = BTreeSet::new();
    for part in own.split("<section id=\"method.").skip(1) {
        let name: String = part
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        if !is_unstable(part) {
            methods.insert(name);
        }
    }
    methods
}

/// What to put in place of a type's parameters; several if they have different methods.
fn instances(path: &str) -> Vec<String> {
    let parameters: &[&str] = match path.rsplit("::").next().unwrap() {
        "Mutex" | "RwLock" | "OnceLock" | "LazyLock" | "Sender" | "SyncSender" | "Receiver"
        | "IntoIter" | "SendError" | "TrySendError" | "JoinHandle" | "AtomicPtr" | "Arc"
        | "Weak" | "PoisonError" | "TryLockError" => &["<u8>"],
        "MutexGuard" | "RwLockReadGuard" | "RwLockWriteGuard" | "Iter" | "TryIter"
        | "ScopedJoinHandle" => &["<'static, u8>"],
        "Scope" => &["<'static, 'static>"],
        "LocalKey" => &["<u8>", "<std::cell::Cell<u8>>", "<std::cell::RefCell<u8>>"],
        _ => &[""],
    };
    parameters
        .iter()
        .map(|parameters| format!("{path}{parameters}"))
        .collect()
}

/// Lines of a text that rustc rejects with one of these errors.
fn rejected(name: &str, text: &str, std: Std, errors: &[&str]) -> BTreeSet<usize> {
    let (mut compiler, _) = compile(
        name,
        "2021",
        text,
        std,
        &[
            "--crate-type",
            "lib",
            "--emit",
            "metadata",
            "--error-format",
            "short",
        ],
    );
    let output = compiler.output().unwrap();
    let mut lines = BTreeSet::new();
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        if errors
            .iter()
            .any(|error| line.contains(&format!("error[{error}]")))
        {
            let number: Option<usize> = line
                .split(".rs:")
                .nth(1)
                .and_then(|rest| rest.split(':').next())
                .and_then(|number| number.parse().ok());
            lines.extend(number);
        }
    }
    lines
}

pub fn every_public_item_of_std_is_there() {
    let Some(documentation) = documentation() else {
        println!("not run: the component rust-docs is not installed");
        return;
    };
    let mut names = String::new();
    let mut calls: Vec<(String, String)> = Vec::new();
    for module in MODULES {
        let directory = documentation.join(module.replace("::", "/"));
        for (kind, name) in items(&directory) {
            let html =
                std::fs::read_to_string(directory.join(format!("{kind}.{name}.html"))).unwrap();
            if is_unstable(&html) {
                continue;
            }
            writeln!(
                names,
                "pub use {module}::{name} as _N{};",
                names.lines().count()
            )
            .unwrap();
            let path = format!("{module}::{name}");
            // These two are std's own in the facade, and their methods hang on what they hold.
            let is_real = matches!(name.as_str(), "Arc" | "Weak");
            if matches!(kind.as_str(), "struct" | "enum") && !is_real {
                calls.extend(
                    methods(&html)
                        .into_iter()
                        .map(|method| (path.clone(), method)),
                );
            }
        }
    }
    // In the pages of other toolchains some methods are not found.
    let is_other = std::env::var_os(TOOLCHAIN).is_some();
    let at_least = if is_other { 100 } else { 300 };
    assert!(
        names.lines().count() > 90 && calls.len() > at_least,
        "{} names, {} methods",
        names.lines().count(),
        calls.len()
    );
    for std in [Std::Real, Std::Facade] {
        let missing = rejected("names", &names, std, &["E0432", "E0433", "E0658", "E0603"]);
        let missing: Vec<&str> = missing
            .iter()
            .map(|line| names.lines().nth(line - 1).unwrap())
            .collect();
        assert!(missing.is_empty(), "missing: {missing:#?}");
    }
    let mut text = String::new();
    let mut of_line = Vec::new();
    for (number, (path, method)) in calls.iter().enumerate() {
        for instance in instances(path) {
            of_line.push(number);
            writeln!(
                text,
                "pub fn f{}() {{ let _ = <{instance}>::{method}; }}",
                of_line.len()
            )
            .unwrap();
        }
    }
    for std in [Std::Real, Std::Facade] {
        let rejected = rejected("methods", &text, std, &["E0599", "E0658", "E0624"]);
        let mut missing: BTreeSet<usize> = (0..calls.len()).collect();
        for (line, number) in of_line.iter().enumerate() {
            if !rejected.contains(&(line + 1)) {
                missing.remove(number);
            }
        }
        let missing: Vec<_> = missing.iter().map(|number| &calls[*number]).collect();
        assert!(missing.is_empty(), "missing: {missing:#?}");
    }
}
