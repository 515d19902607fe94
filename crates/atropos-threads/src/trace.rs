//! What happened in an execution, step by step: kept when a schedule is replayed to be shown.

use std::fmt;

use atropos_explore::Object;

use crate::control::code::Code;
use crate::control::objects::Site;

/// One step.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub thread: u32,
    pub code: Code,
    /// What was touched first; nothing for local steps.
    pub object: Object,
    pub site: Option<Site>,
    /// For a started thread: its number.
    pub value: u64,
}

/// All steps of an execution.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub events: Vec<Event>,
}

impl Trace {
    /// Short names for the objects, in the order in which they are first met.
    pub fn objects(&self) -> Vec<Object> {
        let mut objects = Vec::new();
        for event in &self.events {
            if event.object != Object::default()
                && event.code != Code::Spawn
                && !objects.contains(&event.object)
            {
                objects.push(event.object);
            }
        }
        objects
    }
}

/// One line per step: the thread's column, what it did, to which object, where.
impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let objects = self.objects();
        for event in &self.events {
            let number = objects.iter().position(|object| *object == event.object);
            write!(
                f,
                "{:indent$}{} {}",
                "",
                event.thread,
                event.code,
                indent = event.thread as usize * 4
            )?;
            match (event.code, number) {
                (Code::Spawn, _) => write!(f, " {}", event.value)?,
                (_, Some(number)) => write!(f, " #{number}")?,
                _ => {}
            }
            match event.site {
                Some(site) => writeln!(f, "  at {}:{}", site.file(), site.line())?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}
