//! Values of the types that std and a few well-known crates define. Types are known by their last
//! name, so a type of the same name that is another's own gets values that rustc may refuse.

use syn::Type;

use crate::constants::MARKER;
use crate::return_values::iterated_type;
use crate::type_facts::last_name;
use crate::walk::Walker;

impl Walker<'_> {
    pub fn values_of_named(
        &self,
        name: &str,
        ty: &Type,
        arguments: &[Type],
        depth: usize,
    ) -> Vec<String> {
        let path = self.type_path(ty);
        let inner = |index: usize| match arguments.get(index) {
            Some(ty) => self.inner_values(ty, depth),
            None => Vec::new(),
        };
        match (name, arguments.len()) {
            ("String", 0) => vec![format!("{path}::new()"), format!("\"{MARKER}\".into()")],
            ("char", 0) => vec!["'\\0'".into(), "'x'".into()],
            ("PathBuf" | "OsString", 0) => {
                vec![format!("{path}::new()"), format!("\"{MARKER}\".into()")]
            }
            ("Option", 1) => {
                let some = inner(0).into_iter().map(|value| format!("Some({value})"));
                ["None".to_string()].into_iter().chain(some).collect()
            }
            ("Result", 1 | 2) => self.values_of_result(&path, arguments, depth),
            ("Result", 0) if path.ends_with("fmt::Result") => vec!["Ok(())".into()],
            // What is left to parse, and what was parsed.
            ("IResult", 2 | 3) if !self.facts.is_defined(name) => {
                let rest = self.first_inner(&arguments[0], depth);
                let parsed = inner(1).into_iter();
                rest.into_iter()
                    .flat_map(|rest| {
                        parsed
                            .clone()
                            .map(move |value| format!("Ok(({rest}, {value}))"))
                    })
                    .collect()
            }
            // Another's name for `Result`, which does not tell what its errors are.
            (_, 1 | 2) if name.ends_with("Result") && !self.facts.is_defined(name) => inner(0)
                .into_iter()
                .map(|value| format!("Ok({value})"))
                .collect(),
            ("Ordering", 0) => ["Less", "Equal", "Greater"]
                .map(|variant| format!("{path}::{variant}"))
                .into(),
            ("Duration", 0) => vec![format!("{path}::ZERO"), format!("{path}::from_secs(1)")],
            ("Vec", 1) => {
                let one = self.first_inner(&arguments[0], depth).map(|value| {
                    if self.options.no_std {
                        format!("{path}::from([{value}])")
                    } else {
                        format!("vec![{value}]")
                    }
                });
                let empty = if self.options.no_std {
                    format!("{path}::new()")
                } else {
                    "vec![]".into()
                };
                [empty].into_iter().chain(one).collect()
            }
            ("VecDeque" | "LinkedList" | "BinaryHeap" | "BTreeSet" | "HashSet", 1) => {
                let one = self
                    .first_inner(&arguments[0], depth)
                    .map(|value| format!("{path}::from([{value}])"));
                [format!("{path}::new()")].into_iter().chain(one).collect()
            }
            ("HashMap" | "BTreeMap", 2) => {
                let key = self.first_inner(&arguments[0], depth);
                let value = self.first_inner(&arguments[1], depth);
                let one = key
                    .zip(value)
                    .map(|(key, value)| format!("{path}::from([({key}, {value})])"));
                [format!("{path}::new()")].into_iter().chain(one).collect()
            }
            ("Box", 1) => self.values_of_box(&path, &arguments[0], depth),
            ("Rc" | "Arc", 1) => match &arguments[0] {
                Type::TraitObject(_) => Vec::new(),
                Type::Slice(slice) => self
                    .first_inner(&slice.elem, depth)
                    .map(|value| format!("{path}::from([{value}])"))
                    .into_iter()
                    .chain([format!("{path}::from([])")])
                    .collect(),
                inner if last_name(inner).as_deref() == Some("str") => {
                    vec![
                        format!("{path}::from(\"\")"),
                        format!("{path}::from(\"{MARKER}\")"),
                    ]
                }
                _ => wrapped(inner(0), &path),
            },
            ("Cell" | "RefCell" | "Mutex" | "RwLock" | "UnsafeCell", 1) => wrapped(inner(0), &path),
            ("Wrapping" | "Saturating" | "Reverse", 1) => inner(0)
                .into_iter()
                .map(|value| format!("{path}({value})"))
                .collect(),
            ("Cow", _) => self.values_of_cow(&path, arguments, depth),
            ("NonZero", 1) => {
                let argument = self.source.flat(&arguments[0]);
                let path = format!("{path}::<{argument}>");
                vec![format!("{path}::new(1).unwrap()"), format!("{path}::MAX")]
            }
            _ if name.starts_with("NonZero") && arguments.is_empty() => {
                vec![format!("{path}::new(1).unwrap()"), format!("{path}::MAX")]
            }
            _ => self.values_of_unknown(name, &path, ty),
        }
    }

    fn values_of_result(&self, path: &str, arguments: &[Type], depth: usize) -> Vec<String> {
        let mut values: Vec<String> = self
            .inner_values(&arguments[0], depth)
            .into_iter()
            .map(|value| format!("Ok({value})"))
            .collect();
        let error = match arguments.get(1) {
            Some(error) => self.error_value(error, depth),
            None => self.error_of_alias(path),
        };
        values.extend(error.map(|value| format!("Err({value})")));
        values
    }

    /// An error of a type that is known to be made easily.
    fn error_value(&self, ty: &Type, depth: usize) -> Option<String> {
        let text = self.source.compact(ty);
        match text.as_str() {
            "fmt::Error" | "std::fmt::Error" | "core::fmt::Error" | "::core::fmt::Error"
            | "::std::fmt::Error" => return Some(text),
            "io::Error" | "std::io::Error" | "::std::io::Error" => {
                return Some("::std::io::ErrorKind::Other.into()".into());
            }
            "anyhow::Error" => return Some("anyhow::Error::msg(\"xyzzy\")".into()),
            "eyre::Report" | "color_eyre::Report" => {
                return Some(format!("{text}::msg(\"xyzzy\")"));
            }
            _ => {}
        }
        let is_text_box = text.starts_with("Box<dyn") && text.contains("Error");
        if is_text_box || text == "String" {
            return Some(format!("\"{MARKER}\".into()"));
        }
        self.first_inner(ty, depth)
            .filter(|value| !value.ends_with("default()") || self.has_default(ty))
    }

    fn has_default(&self, ty: &Type) -> bool {
        last_name(ty).is_some_and(|name| self.facts.has_default(&name))
    }

    /// An error for `io::Result<T>` and its kind, whose error type is not written.
    fn error_of_alias(&self, path: &str) -> Option<String> {
        match path.trim_start_matches("::") {
            "io::Result" | "std::io::Result" => Some("::std::io::ErrorKind::Other.into()".into()),
            "anyhow::Result" => Some("anyhow::Error::msg(\"xyzzy\")".into()),
            _ => None,
        }
    }

    fn values_of_box(&self, path: &str, inner: &Type, depth: usize) -> Vec<String> {
        match inner {
            Type::TraitObject(object) => match iterated_type(&object.bounds) {
                Some(item) => {
                    let empty = self.path_in_core("iter::empty()");
                    let one = self.first_inner(item, depth).map(|value| {
                        let once = self.path_in_core("iter::once");
                        format!("{path}::new({once}({value}))")
                    });
                    [format!("{path}::new({empty})")]
                        .into_iter()
                        .chain(one)
                        .collect()
                }
                None => Vec::new(),
            },
            Type::Slice(slice) => {
                let one = self
                    .first_inner(&slice.elem, depth)
                    .map(|value| format!("{path}::new([{value}])"));
                [format!("{path}::new([])")]
                    .into_iter()
                    .chain(one)
                    .collect()
            }
            _ if last_name(inner).as_deref() == Some("str") => {
                vec!["\"\".into()".into(), format!("\"{MARKER}\".into()")]
            }
            _ => wrapped(self.inner_values(inner, depth), path),
        }
    }

    fn values_of_cow(&self, path: &str, arguments: &[Type], depth: usize) -> Vec<String> {
        match arguments.first() {
            Some(Type::Slice(_)) => vec![format!("{path}::Borrowed(&[])")],
            Some(inner) if last_name(inner).as_deref() == Some("str") => vec![
                format!("{path}::Borrowed(\"\")"),
                format!("{path}::Borrowed(\"{MARKER}\")"),
            ],
            Some(inner) => self
                .inner_values(inner, depth)
                .into_iter()
                .map(|value| format!("{path}::Owned({value})"))
                .collect(),
            None => Vec::new(),
        }
    }
}

fn wrapped(values: Vec<String>, path: &str) -> Vec<String> {
    values
        .into_iter()
        .map(|value| format!("{path}::new({value})"))
        .collect()
}

/// Well-known types without default (guards, handles, moments, addresses): none is tried.
pub(crate) fn has_no_default(name: &str) -> bool {
    const NAMES: [&str; 45] = [
        "Instant",
        "SystemTime",
        "Ipv4Addr",
        "Ipv6Addr",
        "IpAddr",
        "SocketAddr",
        "SocketAddrV4",
        "SocketAddrV6",
        "File",
        "Metadata",
        "TcpStream",
        "TcpListener",
        "UdpSocket",
        "MutexGuard",
        "RwLockReadGuard",
        "RwLockWriteGuard",
        "Ref",
        "RefMut",
        "MappedMutexGuard",
        "JoinHandle",
        "ScopedJoinHandle",
        "Thread",
        "ThreadId",
        "TypeId",
        "Layout",
        "Command",
        "Child",
        "ChildStdin",
        "ChildStdout",
        "Output",
        "Sender",
        "Receiver",
        "SyncSender",
        "NonNull",
        "Pin",
        "Poll",
        "Context",
        "Waker",
        "Drain",
        "Entry",
        "OccupiedEntry",
        "VacantEntry",
        "Location",
        "Infallible",
        "Formatter",
    ];
    NAMES.contains(&name)
}
