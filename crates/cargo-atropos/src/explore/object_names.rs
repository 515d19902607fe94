//! Names for the objects of a trace, from the sources at the places where they are used: `Pool.jobs` instead of `#3`.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use atropos_mutants::receivers::{ReceiverName, ReceiverNames};
use atropos_protocol::thread_trace::{StepKind, ThreadTrace, TraceStep, short};

/// Reads the sources that traces name, each once.
pub struct ObjectNames {
    /// What files are relative to, as the compiler names them.
    workspace_root: PathBuf,
    files: Mutex<HashMap<String, ReceiverNames>>,
}

impl ObjectNames {
    pub fn new(workspace_root: &Path) -> ObjectNames {
        ObjectNames {
            workspace_root: workspace_root.to_owned(),
            files: Mutex::default(),
        }
    }

    /// Gives the objects of a trace names, as far as the sources tell any.
    pub fn put_into(&self, trace: &mut ThreadTrace) {
        let mut names: Vec<Option<String>> = Vec::with_capacity(trace.objects.len());
        for object in 0..trace.objects.len() {
            let of_object = trace
                .steps
                .iter()
                .filter(|step| step.object == Some(object));
            names.push(self.name_of(of_object));
        }
        let steps = &trace.steps;
        let is_shown = |object: usize| {
            let mut steps = steps.iter();
            steps.any(|step| step.object == Some(object) || step.lock == Some(object))
        };
        for (object, name) in names.iter().enumerate() {
            let Some(name) = name else { continue };
            let same = (0..names.len())
                .filter(|other| names[*other].as_ref() == Some(name) && is_shown(*other));
            let same: Vec<usize> = same.collect();
            let unique = match same.iter().position(|other| *other == object) {
                Some(nth) if same.len() > 1 => format!("{name}#{nth}"),
                _ => name.clone(),
            };
            let number = std::mem::replace(&mut trace.objects[object], unique.clone());
            for note in &mut trace.notes {
                *note = note.replace(&format!(" {number} "), &format!(" {unique} "));
            }
        }
    }

    fn name_of<'a>(&self, steps: impl Iterator<Item = &'a TraceStep>) -> Option<String> {
        // Those of a condition's lock stand where the condition is named.
        let told = steps.filter(|step| !matches!(step.kind, StepKind::Wake | StepKind::Blocked));
        let named: Vec<(&TraceStep, ReceiverName)> = told
            .filter_map(|step| Some((step, self.receiver(step)?)))
            .collect();
        let of_kind = |kind: StepKind| {
            let mut named = named.iter();
            named
                .find(|(step, _)| step.kind == kind)
                .map(|(_, receiver)| &receiver.name)
        };
        if let (Some(sender), Some(receiver)) =
            (of_kind(StepKind::Send), of_kind(StepKind::Receive))
            && sender != receiver
        {
            return Some(format!("{sender}/{receiver}"));
        }
        let best = named.iter().min_by_key(|(step, receiver)| {
            let is_foreign = short(&step.file).len() < step.file.len();
            (is_foreign, !receiver.is_precise)
        });
        best.map(|(_, receiver)| receiver.name.clone())
    }

    fn receiver(&self, step: &TraceStep) -> Option<ReceiverName> {
        if step.line == 0 || step.file.is_empty() {
            return None;
        }
        let mut files = self.files.lock().expect("no reader panics");
        let names = files.entry(step.file.clone()).or_insert_with(|| {
            let text = fs::read_to_string(self.workspace_root.join(&step.file));
            text.map_or_else(
                |_| ReceiverNames::default(),
                |text| ReceiverNames::of(&text),
            )
        });
        names.at(step.line, step.column).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(kind: StepKind, object: usize, line: u32, column: u32) -> TraceStep {
        TraceStep {
            kind,
            object: Some(object),
            file: "src/lib.rs".to_owned(),
            line,
            column,
            ..TraceStep::default()
        }
    }

    #[test]
    fn objects_are_named_by_the_sources_and_namesakes_are_numbered() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("src")).unwrap();
        let text = "fn f() { first.lock(); tx.send(1); rx.recv(); }\n\
                    impl A { fn g(&self) { self.x.lock(); again.wait(x); } }\n";
        fs::write(root.path().join("src/lib.rs"), text).unwrap();
        let mut trace = ThreadTrace {
            objects: (0..6).map(|number| format!("#{number}")).collect(),
            steps: vec![
                step(StepKind::Lock, 0, 1, 16),
                step(StepKind::Lock, 0, 2, 31),
                step(StepKind::Lock, 1, 1, 16),
                step(StepKind::Send, 2, 1, 27),
                step(StepKind::Receive, 2, 1, 39),
                step(StepKind::Lock, 3, 1, 16),
                step(StepKind::Wake, 4, 2, 45),
                step(StepKind::Lock, 5, 9, 9),
            ],
            notes: vec!["thread 0 reads #1 and".to_owned()],
            ..ThreadTrace::default()
        };
        ObjectNames::new(root.path()).put_into(&mut trace);
        assert_eq!(
            trace.objects,
            ["A.x", "first#0", "tx/rx", "first#1", "#4", "#5"]
        );
        assert_eq!(trace.notes, ["thread 0 reads first#0 and"]);
    }
}
