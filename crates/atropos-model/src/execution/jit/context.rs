//! The memory that compiled code works on: the state as flat bytes with an undo log, temporary values, labels.

use super::scheduler::Scheduler;
use crate::execution::BYTES_PER_STEP;
use crate::language::SourceSpan;
use crate::model::{CodeId, ErrorKind, ExecError, Label, Model, ObjectId, State};
use crate::mutation::MutantSet;
use std::sync::Arc;

/// The trace goes on.
pub const RUNNING: i64 = 0;
/// A guard was false.
pub const DISABLED: i64 = 1;
/// An execution error.
pub const FAILED: i64 = 2;

/// Bytes of temporary memory per block; larger values get a block of their own.
const BLOCK: usize = 64 << 10;

/// Compiled code reads the first fields at fixed places; see [`OFFSET_STATE`] and the others.
#[repr(C)]
pub struct JitContext {
    pub state: *mut u8,
    pub mode: *const u8,
    pub bases: *const u32,
    pub status: i64,
    /// How much may still be computed for this iteration.
    pub work: i64,
    // What follows is for Rust alone.
    pub model: Arc<Model>,
    pub scheduler: Scheduler,
    pub infected: MutantSet,
    pub labels: Vec<Label>,
    pub error: Option<ExecError>,
    pub filter: Filter,
    /// A trace ended at an input that the filter leaves out.
    pub cut: bool,
    /// What was recorded before the trace began with an input, if that is to be told apart.
    pub apart: Option<MutantSet>,
    /// What was recorded after inputs that turned out to be disabled.
    pub aside: Vec<(Label, MutantSet)>,
    /// The trace did so.
    pub is_apart: bool,
    /// How many `//` the trace is inside of, left of their last part.
    pub priorities: u32,
    bytes: Vec<u8>,
    offsets: Arc<Vec<u32>>,
    log: Vec<(u32, u32)>,
    logged: Vec<u8>,
    blocks: Vec<Box<[u64]>>,
    block: usize,
    used: usize,
    /// Per choice that the trace has asked for, how far it was.
    marks: Vec<Mark>,
    loaded: State,
}

/// How far a trace was.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    writes: usize,
    labels: usize,
    priorities: u32,
    block: usize,
    used: usize,
}

pub const OFFSET_STATE: i32 = 0;
pub const OFFSET_MODE: i32 = 8;
pub const OFFSET_BASES: i32 = 16;
pub const OFFSET_STATUS: i32 = 24;
pub const OFFSET_WORK: i32 = 32;

// SAFETY: the raw pointers point into this struct's own vectors and into a table that lives as long as a call.
unsafe impl Send for JitContext {}

impl JitContext {
    pub fn new(model: Arc<Model>, offsets: Arc<Vec<u32>>) -> Box<JitContext> {
        let mut bytes = Vec::with_capacity(model.state_size() + 8);
        for at in 0..model.objects.len() {
            bytes.extend_from_slice(model.initial.object(ObjectId(at as u32)));
        }
        // Room behind the last object, so that the pointer is never to nothing.
        bytes.extend_from_slice(&[0; 8]);
        let mut context = Box::new(JitContext {
            state: std::ptr::null_mut(),
            mode: std::ptr::null(),
            bases: offsets.as_ptr(),
            status: RUNNING,
            work: 0,
            loaded: model.initial.clone(),
            scheduler: Scheduler::default(),
            infected: MutantSet::for_all(&model.mutants),
            labels: Vec::new(),
            error: None,
            filter: Filter::All,
            cut: false,
            apart: None,
            is_apart: false,
            priorities: 0,
            aside: Vec::new(),
            marks: Vec::new(),
            bytes,
            offsets,
            log: Vec::new(),
            logged: Vec::new(),
            blocks: Vec::new(),
            block: 0,
            used: 0,
            model,
        });
        context.state = context.bytes.as_mut_ptr();
        context
    }

    /// Makes `state` the one that compiled code sees.
    pub fn load(&mut self, state: &State) {
        let (bytes, offsets) = (&mut self.bytes, &self.offsets);
        self.loaded.differences(state, |object, new| {
            let start = offsets[object.index()] as usize;
            bytes[start..start + new.len()].copy_from_slice(new);
        });
        self.loaded = state.clone();
        self.state = self.bytes.as_mut_ptr();
    }

    /// Before a trace.
    pub fn begin(&mut self) {
        self.status = RUNNING;
        self.labels.clear();
        self.is_apart = false;
        self.priorities = 0;
        self.error = None;
        self.log.clear();
        self.logged.clear();
        self.block = 0;
        self.used = 0;
    }

    /// The state that the trace made.
    pub fn changed_state(&mut self) -> State {
        let mut state = self.loaded.clone();
        let mut objects: Vec<usize> = self
            .log
            .iter()
            .map(|(offset, _)| self.object_at(*offset))
            .collect();
        objects.sort_unstable();
        objects.dedup();
        for object in objects {
            let start = self.offsets[object] as usize;
            let end = start + self.loaded.object(ObjectId(object as u32)).len();
            state.set_object(ObjectId(object as u32), &self.bytes[start..end]);
            self.work -= ((end - start) / BYTES_PER_STEP) as i64;
        }
        state
    }

    fn object_at(&self, offset: u32) -> usize {
        // Objects without attributes share their offset with the next: the last one that starts here holds bytes.
        self.offsets.partition_point(|start| *start <= offset) - 1
    }

    /// Takes back what the trace wrote.
    pub fn undo(&mut self) {
        let mut end = self.logged.len();
        for (offset, length) in self.log.iter().rev() {
            let start = end - *length as usize;
            let at = *offset as usize;
            self.bytes[at..at + *length as usize].copy_from_slice(&self.logged[start..end]);
            end = start;
        }
        self.log.clear();
        self.logged.clear();
    }

    /// Notes the bytes at an address before they change, if they belong to the state.
    pub fn note(&mut self, address: usize, length: usize) {
        let first = self.bytes.as_ptr() as usize;
        if address >= first && address + length <= first + self.bytes.len() {
            let offset = address - first;
            self.log.push((offset as u32, length as u32));
            self.logged
                .extend_from_slice(&self.bytes[offset..offset + length]);
        }
    }

    /// Before a choice is asked for.
    pub fn mark(&mut self) {
        let position = self.scheduler.position();
        self.marks.resize(position + 1, Mark::default());
        self.marks[position] = Mark {
            writes: self.log.len(),
            labels: self.labels.len(),
            priorities: self.priorities,
            block: self.block,
            used: self.used,
        };
    }

    /// After the alternative taken at a choice was disabled: if nothing but labels came of it, the same trace goes on
    /// with the next one, as the next trace would; else the trace ends.
    pub fn try_another(&mut self, position: usize) -> bool {
        if self.status == FAILED {
            return false;
        }
        self.status = DISABLED;
        let last = self.scheduler.position() == position + 1;
        let mark = self.marks.get(position).copied().unwrap_or_default();
        if !last || self.log.len() != mark.writes || !self.scheduler.advance(position) {
            return false;
        }
        if self.is_apart && mark.labels == 0 {
            let recorded = std::mem::take(&mut self.infected);
            if let Some(first) = self.labels.first() {
                self.aside.push((first.clone(), recorded));
            }
            self.is_apart = false;
        }
        self.labels.truncate(mark.labels);
        self.priorities = mark.priorities;
        (self.block, self.used) = (mark.block, mark.used);
        self.status = RUNNING;
        true
    }

    /// Zeroed temporary memory that lives until the trace ends.
    pub fn allocate(&mut self, size: usize) -> *mut u8 {
        let words = size.div_ceil(8).max(1);
        self.work -= (size / BYTES_PER_STEP) as i64;
        loop {
            if let Some(block) = self.blocks.get_mut(self.block) {
                if self.used + words <= block.len() {
                    let part = &mut block[self.used..self.used + words];
                    part.fill(0);
                    self.used += words;
                    return part.as_mut_ptr().cast();
                }
                self.block += 1;
                self.used = 0;
            } else {
                self.blocks
                    .push(vec![0u64; words.max(BLOCK / 8)].into_boxed_slice());
            }
        }
    }

    pub fn fail(&mut self, kind: ErrorKind, place: i64) {
        self.error = Some(ExecError::new(kind, unpack(place)));
        self.status = FAILED;
    }

    pub fn emit(&mut self, code: CodeId, reference: i64, args: &[u8]) {
        let Some(object) = ObjectId::from_reference(reference) else {
            return;
        };
        let kind = self.model.code(code).kind;
        let controllable =
            kind == crate::model::CodeKind::Action(crate::language::tree::ActionKind::Controllable);
        let label = Label {
            controllable,
            code,
            object,
            args: args.into(),
        };
        if controllable && self.labels.is_empty() && self.priorities == 0 {
            if self.filter.excludes(&label) {
                self.cut = true;
                self.status = DISABLED;
                return;
            }
            if let Some(apart) = &mut self.apart {
                apart.union(&self.infected);
                self.infected.clear();
                self.is_apart = true;
            }
        }
        self.labels.push(label);
    }
}

/// [`crate::execution::Inputs`] without its lifetime.
#[derive(Clone, Debug)]
pub enum Filter {
    All,
    None,
    Only(Label),
}

impl Filter {
    pub fn excludes(&self, label: &Label) -> bool {
        match self {
            Filter::All => false,
            Filter::None => label.controllable,
            Filter::Only(only) => label.controllable && only != label,
        }
    }
}

/// A place in one register.
pub fn pack(span: SourceSpan) -> i64 {
    i64::from(span.start) | i64::from(span.end) << 32
}

fn unpack(place: i64) -> SourceSpan {
    SourceSpan {
        start: place as u32,
        end: (place >> 32) as u32,
    }
}
