//! The mistakes people make with threads: the 25 operators of Bradbury, Cordy and Dingel, as the
//! same mistakes look in Rust, for std, parking_lot, crossbeam and tokio.
//!
//! - `construct`: what is known of a name: a lock, a condition, a channel's end, of which library; `locals`: what the locals
//!   of a function are.
//! - `calls`: MXT, MXC, MBR, RNA, ELPA, MSP, RXO and the lock of RCXC, at single calls.
//! - `atomics`: EAN and RVK.
//! - `removals`: RTXC, RCXC, RJS and MSF, at statements.
//! - `regions`: SHCR, SKCR, EXCR, SPCR, RSK and RSB, at blocks that hold a lock; `exchanges`: ESP and EELO, at two of them.
//! - `methods`: ASK, ASTK and RSTK, at methods of types with locks.
//! - `leaks`: RFU, at the ways out of a region.
//!
//! An edit is plain Rust wherever Rust can make the mistake. Where its types forbid it (the data of
//! a lock can't be touched without the lock), the edit calls `atropos_runtime::injected_faults`, whose
//! functions do nothing but under exploration: such a mutant *needs exploration*.
//!
//! Not made, where it is visible in the file: anything on a lock, channel or atomic that never
//! leaves its thread, a notification on a condition that nobody waits for, a region in which
//! nothing is shared.

mod atomics;
mod calls;
pub(crate) mod construct;
mod exchanges;
mod leaks;
pub(crate) mod locals;
mod methods;
mod regions;
mod removals;

use atropos_values::interface::{
    FAULT_BARE, FAULT_BARE_ASYNC, FAULT_BARE_FOREIGN, FAULT_KEPT_ON_PANIC,
    FAULT_KEPT_ON_PANIC_FOREIGN,
};
use construct::Library;
use syn::{Block, ExprAwait, ExprCall, ExprMethodCall, ExprTuple, Macro};

use crate::mutant::{Shape, Span};
use crate::operator::{Category, Operator};
use crate::walk::{Draft, Walker};

/// The receiver of a call to a locking method whose guard shall not exclude anybody.
pub(crate) fn bare(library: Library, receiver: &str, method: &str) -> String {
    match library {
        Library::Tokio => bare_async(receiver, method),
        _ => faulty(FAULT_BARE, FAULT_BARE_FOREIGN, library, receiver),
    }
}

/// The receiver of a call whose guard shall not unlock when it is dropped by a panic.
pub(crate) fn kept_on_panic(library: Library, receiver: &str) -> String {
    faulty(
        FAULT_KEPT_ON_PANIC,
        FAULT_KEPT_ON_PANIC_FOREIGN,
        library,
        receiver,
    )
}

/// A receiver with a fault, by the function for locks of std or by that for others.
fn faulty(of_std: &str, foreign: &str, library: Library, receiver: &str) -> String {
    match library {
        Library::ParkingLot => format!("(*{foreign}(&{receiver}, ({receiver}).data_ptr()))"),
        _ => format!("(*{of_std}(&{receiver}))"),
    }
}

/// tokio's locks don't say where their data lies. A free one gives it away by its guard; of one that is taken it is known
/// by another lock of the same shape, with nothing in it.
fn bare_async(receiver: &str, method: &str) -> String {
    let lock = match method {
        "lock" => "::tokio::sync::Mutex",
        _ => "::tokio::sync::RwLock",
    };
    format!(
        "{FAULT_BARE_ASYNC}(|| {{ \
         fn __atropos_data<T>(lock: &{lock}<T>) -> *mut T {{ \
         if let Ok(held) = lock.try_{method}() {{ return (&raw const *held).cast_mut(); }} \
         let empty = {lock}::new(::std::mem::MaybeUninit::<T>::uninit()); \
         let data = &raw const *empty.try_{method}().unwrap(); \
         let offset = data.addr() - (&raw const empty).addr(); \
         (&raw const *lock).cast::<u8>().wrapping_add(offset).cast::<T>().cast_mut() }} \
         __atropos_data(&{receiver}) }})"
    )
}

impl Walker<'_> {
    /// Whether there is anything to do for these operators here.
    pub(crate) fn looks_at_concurrency(&self) -> bool {
        self.mode.mutates
            && self
                .options
                .selection
                .iter()
                .any(|operator| operator.category() == Category::Concurrency)
    }

    pub fn concurrent_method(&mut self, call: &ExprMethodCall) {
        if self.looks_at_concurrency() {
            self.method_with_threads(call);
            self.atomic_method(call);
        }
    }

    pub fn concurrent_call(&mut self, call: &ExprCall) {
        if self.looks_at_concurrency() {
            self.function_with_threads(call);
        }
    }

    pub fn concurrent_await(&mut self, wait: &ExprAwait) {
        if self.looks_at_concurrency() {
            self.awaited_acquisition(wait);
        }
    }

    pub fn concurrent_macro(&mut self, mac: &Macro) {
        if self.looks_at_concurrency() {
            self.fairness_of_select(mac);
        }
    }

    pub fn concurrent_tuple(&mut self, tuple: &ExprTuple) {
        if self.looks_at_concurrency() {
            self.exchanged_in_tuple(tuple);
        }
    }

    /// A block is entered: its statements and regions are looked at, and room is made for the
    /// drafts that need a copy of it.
    pub fn concurrent_block(&mut self, block: &Block) {
        self.frame.block_drafts.push(Vec::new());
        if !self.looks_at_concurrency() {
            return;
        }
        for statement in &block.stmts {
            self.removed_statement(statement);
        }
        self.regions_of(block);
    }

    /// A block is left: what needs a copy of it becomes a point.
    pub fn concurrent_block_end(&mut self, block: &Block) {
        let drafts = self.frame.block_drafts.pop().unwrap_or_default();
        if !drafts.is_empty() {
            self.block_point(block, drafts);
        }
    }

    /// A point whose mutants are copies of a block.
    fn block_point(&mut self, block: &Block, drafts: Vec<Draft>) {
        let start = self.source.token(block.brace_token.span.open()).end;
        let end = self.source.token(block.brace_token.span.close()).start;
        let span = Span::new(start, end);
        // Inner attributes belong to the block itself and can't be copied into another.
        if self.source.slice(span).trim_start().starts_with("#!") {
            return;
        }
        self.point(span, Shape::Block, drafts);
    }

    /// A mutant whose edit changes types or scopes, so that the block around it is copied.
    pub fn block_draft(&mut self, draft: Draft) {
        if self.mode.mutates
            && let Some(drafts) = self.frame.block_drafts.last_mut()
        {
            drafts.push(draft);
        }
    }

    /// A point of mutants that each put another expression in one's place.
    fn replacements(&mut self, span: Span, texts: Vec<(Operator, String)>) {
        let drafts = texts
            .into_iter()
            .map(|(operator, text)| self.replacement(operator, span, text))
            .collect();
        self.point(span, Shape::Expression, drafts);
    }

    fn replacement(&self, operator: Operator, span: Span, text: String) -> Draft {
        let old = crate::source::one_line(self.source.slice(span));
        let summary = format!(
            "replace {} with {}",
            crate::source::shortened(&old, 60),
            crate::source::shortened(&text, 60)
        );
        Draft::new(operator, span, text, summary)
    }
}
