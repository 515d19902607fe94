//! Critical regions: from the statement that takes a lock to the `drop` of its guard, or to the end
//! of the block. Shifted (SHCR), shrunk (SKCR), expanded (EXCR), split (SPCR), taken away (RSK, RSB).
//!
//! A statement that uses the guard can't stand outside the region in Rust. Where an operator moves
//! one out, it runs with a guard that excludes nobody, which only exploration can make.

use atropos_values::interface::FAULTS;
use quote::ToTokens;
use syn::visit::Visit;
use syn::{Block, Expr, Local, Pat, Stmt};

use super::construct::{Acquisition, Library, mentions, path_ends, uses};
use crate::mutant::{Shape, Span};
use crate::operator::Operator;
use crate::source::shortened;
use crate::type_facts::{TypeFacts, bound_names};
use crate::walk::{Draft, Walker};

/// In how many places one region is split.
const SPLITS: usize = 3;

/// A region of a block.
pub(super) struct Region<'b> {
    pub block: &'b Block,
    /// Which statement takes the lock.
    pub start: usize,
    /// The first statement behind it: the `drop`, if it has one.
    pub end: usize,
    has_drop: bool,
    pub guard: String,
    local: &'b Local,
    pub acquisition: Acquisition<'b>,
}

/// The lock, where its guard has taken its name.
const LOCK: &str = "__atropos_lock";

impl Region<'_> {
    /// Whether the guard hides the lock, so that it takes another name to lock again.
    fn hides_lock(&self) -> bool {
        uses(&self.guard, |uses| {
            uses.visit_expr(&self.acquisition.call.receiver)
        })
    }

    /// Whether a statement uses the guard.
    fn is_used_by(&self, index: usize) -> bool {
        uses(&self.guard, |uses| {
            uses.visit_stmt(&self.block.stmts[index])
        })
    }
}

/// Whether code can touch anything but its own variables.
struct Shared<'f> {
    facts: &'f TypeFacts,
    found: bool,
}

impl<'ast> Visit<'ast> for Shared<'_> {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        self.found |= match expression {
            Expr::Call(call) => !["Some", "Ok", "Err"]
                .iter()
                .any(|name| path_ends(&call.func, name)),
            Expr::MethodCall(_) | Expr::Field(_) | Expr::Macro(_) | Expr::Index(_) => true,
            Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Deref(_)),
            Expr::Path(path) => {
                let name = path.path.segments.last().map(|s| s.ident.to_string());
                name.is_some_and(|name| self.facts.is_static(&name))
            }
            _ => false,
        };
        syn::visit::visit_expr(self, expression);
    }

    fn visit_stmt_macro(&mut self, _: &'ast syn::StmtMacro) {
        self.found = true;
    }
}

impl Walker<'_> {
    /// Whether a statement in or beside a region can concern another thread.
    fn is_shared(&self, region: &Region<'_>, index: usize) -> bool {
        let mut shared = Shared {
            facts: self.facts,
            found: false,
        };
        shared.visit_stmt(&region.block.stmts[index]);
        shared.found || region.is_used_by(index)
    }

    /// Whether nothing in a region can concern another thread.
    fn is_private(&self, region: &Region<'_>) -> bool {
        !(region.start + 1..region.end).any(|index| self.is_shared(region, index))
    }
}

impl Walker<'_> {
    pub(super) fn regions_of(&mut self, block: &Block) {
        let is_body = self.frame.block_drafts.len() == 1;
        for start in 0..block.stmts.len() {
            self.region_in_block(block, start);
            let Some(region) = self.region(block, start) else {
                continue;
            };
            if self.is_private(&region) {
                self.leave_out_bare(&region);
                continue;
            }
            self.exchanged(&region);
            self.removed_region(&region, is_body);
            self.shrunk(&region);
            self.expanded(&region);
            self.shifted(&region);
            self.split(&region);
            self.kept_locks(
                &region.acquisition,
                &region.guard,
                block,
                region.start,
                region.end,
            );
        }
    }

    fn region<'b>(&self, block: &'b Block, start: usize) -> Option<Region<'b>> {
        let Stmt::Local(local) = &block.stmts[start] else {
            return None;
        };
        let guard = guard_name(&local.pat)?;
        let init = local.init.as_ref()?;
        if !local.attrs.is_empty() {
            return None;
        }
        let acquisition = self.acquisition(&init.expr)?;
        let behind = &block.stmts[start + 1..];
        let drop = behind.iter().position(|statement| drops(statement, &guard));
        // A second guard of the same name ends what can be said about the first.
        let rebound = behind.iter().position(|statement| {
            matches!(statement, Stmt::Local(local) if bound_names(&local.pat).contains(&guard))
        });
        let has_drop = drop.is_some() && rebound.is_none_or(|rebound| drop < Some(rebound));
        let end = match (drop.filter(|_| has_drop), rebound) {
            (Some(drop), _) => start + 1 + drop,
            (None, Some(rebound)) => start + 1 + rebound,
            (None, None) => block.stmts.len(),
        };
        Some(Region {
            block,
            start,
            end,
            has_drop,
            guard,
            local,
            acquisition,
        })
    }

    pub(super) fn text(&self, block: &Block, index: usize) -> String {
        self.source.flat(&block.stmts[index])
    }

    /// What the lock is called within the region.
    fn lock_of(&self, region: &Region<'_>) -> String {
        match region.hides_lock() {
            true => LOCK.to_string(),
            false => self.source.flat(&region.acquisition.call.receiver),
        }
    }

    /// The acquisition once more.
    fn second_acquisition(&self, region: &Region<'_>) -> String {
        self.acquired(region, &self.lock_of(region))
    }

    /// The acquisition once more, of a guard that excludes nobody.
    fn second_acquisition_without_exclusion(&self, region: &Region<'_>) -> String {
        let library = region.acquisition.library;
        let method = region.acquisition.call.method.to_string();
        let bare = super::bare(library, &self.lock_of(region), &method);
        self.acquired(region, &bare)
    }

    /// The acquisition, of a lock of another name.
    fn acquired(&self, region: &Region<'_>, lock: &str) -> String {
        let whole = self.source.span(region.local);
        let receiver = self.source.span(&region.acquisition.call.receiver);
        let before = self.source.slice(Span::new(whole.start, receiver.start));
        let behind = self.source.slice(Span::new(receiver.end, whole.end));
        crate::source::one_line(&format!("{before}{lock}{behind}"))
    }

    /// As `rewritten`, for text that locks the region's lock again.
    fn relocked_region(
        &mut self,
        operator: Operator,
        region: &Region<'_>,
        (first, end): (usize, usize),
        text: String,
        summary: &str,
    ) {
        if !region.hides_lock() {
            return self.rewritten(operator, region.block, (first, end), text, summary);
        }
        let receiver = self.source.flat(&region.acquisition.call.receiver);
        let before = (region.start..first).map(|index| match index == region.start {
            true => self.second_acquisition(region),
            false => self.text(region.block, index),
        });
        let mut texts = vec![format!("let {LOCK} = &{receiver};")];
        texts.extend(before);
        texts.push(text);
        let range = (first.min(region.start), end);
        self.rewritten(operator, region.block, range, texts.join(" "), summary);
    }

    /// A draft that puts other text for the statements from `first` to before `end`.
    pub(super) fn rewritten(
        &mut self,
        operator: Operator,
        block: &Block,
        (first, end): (usize, usize),
        text: String,
        summary: &str,
    ) {
        let start = self.source.span(&block.stmts[first]).start;
        let span = Span::new(start, self.source.span(&block.stmts[end - 1]).end);
        if self.source.slice(span).starts_with('#') {
            return;
        }
        let is_bare = text.contains(FAULTS);
        let mut draft = Draft::new(operator, span, text, summary.to_string());
        draft.needs_exploration = is_bare;
        self.block_draft(draft);
    }

    /// RSK where the region is all of a body, else RSB.
    fn removed_region(&mut self, region: &Region<'_>, is_body: bool) {
        let operator = match is_body && !region.has_drop {
            true => Operator::Rsk,
            false => Operator::Rsb,
        };
        let is_used =
            (region.start + 1..region.block.stmts.len()).any(|index| region.is_used_by(index));
        if !is_used {
            let receiver = self.source.flat(&region.acquisition.call.receiver);
            let summary = format!("don't lock {}", shortened(&receiver, 40));
            let range = (region.start, region.start + 1);
            // One edit, under the first of the two names that is wanted.
            for operator in [operator, Operator::Rcxc] {
                self.rewritten(operator, region.block, range, String::new(), &summary);
            }
            self.leave_out_bare(region);
        } else if self.can_err(region.acquisition.library, region.acquisition.call) {
            let draft = self.without_exclusion(operator, &region.acquisition);
            match region.acquisition.library {
                // The guard has another type.
                Library::Tokio => self.block_draft(draft),
                _ => self.point(draft.span, Shape::Expression, vec![draft]),
            }
        }
    }

    /// Nobody looks at the guard: without exclusion it is as if there were none.
    fn leave_out_bare(&mut self, region: &Region<'_>) {
        let draft = self.without_exclusion(Operator::Rcxc, &region.acquisition);
        self.leave_out(&draft);
    }

    /// The text of a region's first statement outside it, if that can be.
    fn first_outside(&self, region: &Region<'_>) -> Option<String> {
        let first = region.start + 1;
        let text = self.text(region.block, first);
        if !self.is_shared(region, first) {
            return None;
        }
        if !region.is_used_by(first) {
            return Some(format!("{text} {}", self.second_acquisition(region)));
        }
        self.can_err(region.acquisition.library, region.acquisition.call)
            .then(|| {
                format!(
                    "{} {text} drop({}); {}",
                    self.second_acquisition_without_exclusion(region),
                    region.guard,
                    self.second_acquisition(region)
                )
            })
    }

    /// The text of a region's last statement outside it, if that can be.
    fn last_outside(&self, region: &Region<'_>) -> Option<String> {
        let last = region.end - 1;
        let text = self.text(region.block, last);
        let guard = &region.guard;
        if !self.is_shared(region, last) {
            return None;
        }
        if !region.is_used_by(last) {
            return Some(format!("drop({guard}); {text}"));
        }
        self.can_err(region.acquisition.library, region.acquisition.call)
            .then(|| {
                let drop = if region.has_drop {
                    format!(" drop({guard});")
                } else {
                    String::new()
                };
                format!(
                    "drop({guard}); {} {text}{drop}",
                    self.second_acquisition_without_exclusion(region)
                )
            })
    }

    fn shrunk(&mut self, region: &Region<'_>) {
        if region.end < region.start + 3 {
            return;
        }
        if let Some(text) = self.first_outside(region) {
            let range = (region.start, region.start + 2);
            let summary = "begin the critical region one statement later";
            self.relocked_region(Operator::Skcr, region, range, text, summary);
        }
        if let Some(text) = self.last_outside(region) {
            let range = (region.end - 1, region.end + usize::from(region.has_drop));
            let summary = "end the critical region one statement earlier";
            self.relocked_region(Operator::Skcr, region, range, text, summary);
        }
    }

    /// Whether the statement before a region can be taken into it.
    fn takes_in_before(&self, region: &Region<'_>) -> bool {
        let Some(before) = region.start.checked_sub(1) else {
            return false;
        };
        if !self.is_shared(region, before) {
            return false;
        }
        match &region.block.stmts[before] {
            Stmt::Item(_) => false,
            Stmt::Local(local) => {
                let is_needed = bound_names(&local.pat)
                    .iter()
                    .any(|name| mentions(region.local, name));
                let is_acquisition = local
                    .init
                    .as_ref()
                    .is_some_and(|init| self.acquisition(&init.expr).is_some());
                !is_needed && !is_acquisition
            }
            other => !drops_anything(other),
        }
    }

    /// Whether there is a statement behind a region's `drop` that can be taken in.
    fn takes_in_behind(&self, region: &Region<'_>) -> bool {
        let behind = region.block.stmts.get(region.end + 1);
        // The value of a block can't be followed by anything.
        region.has_drop
            && (region.end + 1 < region.block.stmts.len() && self.is_shared(region, region.end + 1))
            && match behind {
                Some(Stmt::Expr(_, semicolon)) => semicolon.is_some(),
                Some(Stmt::Item(_)) | None => false,
                Some(_) => true,
            }
    }

    fn expanded(&mut self, region: &Region<'_>) {
        let block = region.block;
        if self.takes_in_before(region) {
            let before = region.start - 1;
            let text = format!(
                "{} {}",
                self.text(block, region.start),
                self.text(block, before)
            );
            let summary = "begin the critical region one statement earlier";
            self.rewritten(
                Operator::Excr,
                block,
                (before, region.start + 1),
                text,
                summary,
            );
        }
        if self.takes_in_behind(region) {
            let behind = region.end + 1;
            let text = format!(
                "{} {}",
                self.text(block, behind),
                self.text(block, region.end)
            );
            let summary = "end the critical region one statement later";
            self.rewritten(
                Operator::Excr,
                block,
                (region.end, behind + 1),
                text,
                summary,
            );
        }
    }

    fn shifted(&mut self, region: &Region<'_>) {
        if region.end < region.start + 3 {
            return;
        }
        let block = region.block;
        let texts = |range: std::ops::Range<usize>| -> String {
            let texts: Vec<String> = range.map(|index| self.text(block, index)).collect();
            texts.join(" ")
        };
        let mut shifts = Vec::new();
        if self.takes_in_before(region)
            && let Some(last) = self.last_outside(region)
        {
            let before = region.start - 1;
            let text = format!(
                "{} {} {} {last}",
                self.second_acquisition(region),
                self.text(block, before),
                texts(region.start + 1..region.end - 1)
            );
            let end = region.end + usize::from(region.has_drop);
            shifts.push(((before, end), text, "shift the critical region up"));
        }
        if self.takes_in_behind(region)
            && let Some(first) = self.first_outside(region)
        {
            let behind = region.end + 1;
            let text = format!(
                "{first} {} {} {}",
                texts(region.start + 2..region.end),
                self.text(block, behind),
                self.text(block, region.end)
            );
            shifts.push((
                (region.start, behind + 1),
                text,
                "shift the critical region down",
            ));
        }
        for (range, text, summary) in shifts {
            self.relocked_region(Operator::Shcr, region, range, text, summary);
        }
    }

    fn split(&mut self, region: &Region<'_>) {
        let is_used =
            |range: std::ops::Range<usize>| range.into_iter().any(|index| region.is_used_by(index));
        let gaps: Vec<usize> = (region.start + 2..region.end)
            .filter(|&gap| is_used(region.start + 1..gap) && is_used(gap..region.end))
            .take(SPLITS)
            .collect();
        for gap in gaps {
            let text = format!(
                "drop({}); {} {}",
                region.guard,
                self.second_acquisition(region),
                self.text(region.block, gap)
            );
            let summary = "split the critical region";
            self.relocked_region(Operator::Spcr, region, (gap, gap + 1), text, summary);
        }
    }

    /// EXCR where the region is a block of its own, and a statement follows.
    fn region_in_block(&mut self, block: &Block, index: usize) {
        let Stmt::Expr(Expr::Block(inner), _) = &block.stmts[index] else {
            return;
        };
        let holds = (0..inner.block.stmts.len()).any(|start| {
            self.region(&inner.block, start)
                .is_some_and(|region| !region.has_drop && !self.is_private(&region))
        });
        let next = match block.stmts.get(index + 1) {
            Some(Stmt::Expr(_, Some(_))) | Some(Stmt::Macro(_)) => index + 1,
            _ => return,
        };
        if !holds || inner.label.is_some() || !inner.attrs.is_empty() {
            return;
        }
        let body = inner
            .block
            .stmts
            .iter()
            .map(|statement| self.source.flat(statement));
        let mut body: Vec<String> = body.collect();
        if let Some(Stmt::Expr(_, None)) = inner.block.stmts.last() {
            body.push(";".to_string());
        }
        let text = format!("{{ {} {} }}", body.join(" "), self.text(block, next));
        let summary = "end the critical region one statement later";
        self.rewritten(Operator::Excr, block, (index, next + 1), text, summary);
    }
}

/// The name that a guard is bound to.
fn guard_name(pattern: &Pat) -> Option<String> {
    match pattern {
        Pat::Ident(ident) if ident.subpat.is_none() && ident.by_ref.is_none() => {
            Some(ident.ident.to_string())
        }
        Pat::Type(typed) => guard_name(&typed.pat),
        // `let Ok(guard) = lock.lock() else { … };`
        Pat::TupleStruct(result) if result.path.is_ident("Ok") && result.elems.len() == 1 => {
            guard_name(&result.elems[0])
        }
        _ => None,
    }
}

/// Whether a statement is `drop(guard);`.
fn drops(statement: &Stmt, guard: &str) -> bool {
    drops_anything(statement) && mentions(statement, guard)
}

fn drops_anything(statement: &Stmt) -> bool {
    match statement {
        Stmt::Expr(Expr::Call(call), Some(_)) => {
            let function = call.func.to_token_stream().to_string().replace(' ', "");
            call.args.len() == 1 && (function == "drop" || function.ends_with("::drop"))
        }
        _ => false,
    }
}
