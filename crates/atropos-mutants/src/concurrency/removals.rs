//! Statements: waits and signals removed (RTXC), other calls removed (RCXC), sleep instead of join
//! (RJS), fairness (MSF), fences removed (RVK).

use syn::{Expr, ExprCall, ExprMethodCall, Local, Macro, Stmt};

use super::atomics::ordering_of;
use super::construct::{Construct, Library, path_ends, peeled};
use crate::mutant::{Shape, Span};
use crate::operator::Operator;
use crate::source::{one_line, shortened};
use crate::walk::{Draft, Walker};

impl Walker<'_> {
    pub(super) fn removed_statement(&mut self, statement: &Stmt) {
        let span = self.source.span(statement);
        if self.source.slice(span).starts_with('#') {
            return;
        }
        match statement {
            Stmt::Expr(Expr::Assign(assign), Some(_)) if self.is_wait(peeled(&assign.right)) => {
                self.remove(Operator::Rtxc, span);
            }
            Stmt::Expr(expression, Some(_)) => self.removed_call(expression, span),
            Stmt::Local(local) => self.removed_binding(local, span),
            _ => {}
        }
    }

    fn removed_call(&mut self, expression: &Expr, span: Span) {
        let operator = match peeled(expression) {
            Expr::MethodCall(call) => self.removal_of_method(call),
            Expr::Call(call) => self.removal_of_function(call),
            // A task that is waited for.
            task @ Expr::Path(_) if waits(expression) => {
                let known = self.known(task);
                match known.map(|known| known.construct) {
                    Some(Construct::JoinHandle) => {
                        self.sleep_for(span, "::tokio::time::sleep", ".await");
                        Some(Operator::Rtxc)
                    }
                    Some(Construct::Receiver) => Some(Operator::Rcxc),
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some(operator) = operator {
            self.remove(operator, span);
        }
        if let Expr::MethodCall(call) = peeled(expression) {
            self.sleep_for_join(call, span);
        }
        if let Expr::Call(call) = peeled(expression) {
            self.fairness_of_unlock(call, span);
        }
    }

    /// `let _ = x.send(…);`, and a wait that hands the guard through.
    fn removed_binding(&mut self, local: &Local, span: Span) {
        let Some(init) = &local.init else {
            return;
        };
        if matches!(local.pat, syn::Pat::Wild(_)) {
            return self.removed_call(&init.expr, span);
        }
        self.removed_permit(local, &init.expr, span);
        if let Expr::MethodCall(call) = peeled(&init.expr)
            && matches!(call.method.to_string().as_str(), "wait" | "wait_while")
            && self.is_wait(peeled(&init.expr))
        {
            let guard = self.source.flat(&call.args[0]);
            let whole = self.source.span(&init.expr);
            let draft = self.replacement(Operator::Rtxc, whole, guard);
            self.block_draft(draft);
        }
    }

    /// RCXC for `let _permit = semaphore.acquire()…;`, whose name says that it is only held.
    fn removed_permit(&mut self, local: &Local, init: &Expr, span: Span) {
        let is_only_held =
            matches!(&local.pat, syn::Pat::Ident(name) if name.ident.to_string().starts_with('_'));
        let Expr::MethodCall(call) = peeled(init) else {
            return;
        };
        let acquires = call.method.to_string().starts_with("acquire");
        if is_only_held && acquires && self.may_be(&call.receiver, &[Construct::Semaphore]) {
            let text = one_line(self.source.slice(span));
            let summary = format!("remove {}", shortened(&text, 60));
            self.block_draft(Draft::new(Operator::Rcxc, span, String::new(), summary));
        }
    }

    fn remove(&mut self, operator: Operator, span: Span) {
        let text = one_line(self.source.slice(span));
        let summary = format!("remove {}", shortened(&text, 60));
        let draft = Draft::new(operator, span, String::new(), summary);
        self.point(span, Shape::Statement, vec![draft]);
    }

    /// Whether a call waits on a condition, with the guard as its first argument.
    fn is_wait(&self, expression: &Expr) -> bool {
        let Expr::MethodCall(call) = expression else {
            return false;
        };
        let is_named = matches!(
            (call.method.to_string().as_str(), call.args.len()),
            ("wait", 1)
                | ("wait_while" | "wait_timeout" | "wait_for" | "wait_until", 2)
                | ("wait_timeout_while" | "wait_while_for", 3)
        );
        is_named && self.may_be(&call.receiver, &[Construct::Condvar])
    }

    fn removal_of_method(&self, call: &ExprMethodCall) -> Option<Operator> {
        let is = |construct: Construct| self.may_be(&call.receiver, &[construct]);
        let has_task = call.args.iter().any(is_task);
        match (call.method.to_string().as_str(), call.args.len()) {
            ("join", 0) if is(Construct::JoinHandle) => Some(Operator::Rtxc),
            ("unpark", 0) => Some(Operator::Rtxc),
            ("park", 0) | ("park_timeout", 1) if is(Construct::Parker) => Some(Operator::Rtxc),
            ("notify_one" | "notify_all" | "notify_waiters", 0) => {
                self.is_waited_for(&call.receiver).then_some(Operator::Rtxc)
            }
            ("notified", 0) if is(Construct::Notify) => Some(Operator::Rtxc),
            ("wait", 0) if is(Construct::Barrier) || is(Construct::Latch) => Some(Operator::Rcxc),
            ("send" | "try_send" | "blocking_send", 1) | ("send_timeout", 2)
                if is(Construct::Sender) =>
            {
                Some(Operator::Rcxc)
            }
            ("recv" | "blocking_recv" | "changed", 0) | ("recv_timeout", 1)
                if is(Construct::Receiver) =>
            {
                Some(Operator::Rcxc)
            }
            ("acquire", 0) | ("acquire_many" | "release" | "add_permits", _)
                if is(Construct::Semaphore) =>
            {
                Some(Operator::Rcxc)
            }
            ("count_down" | "countdown" | "decrement", 0) if is(Construct::Latch) => {
                Some(Operator::Rcxc)
            }
            ("spawn" | "execute" | "submit" | "spawn_blocking", 1) if has_task => {
                Some(Operator::Rcxc)
            }
            ("store", 2) if ordering_of(&call.args[1]).is_some() => {
                let stays = self.known(&call.receiver).is_some_and(|known| known.stays);
                (!stays).then_some(Operator::Rcxc)
            }
            ("store", 1) if self.is_cell(&call.receiver) => Some(Operator::Rcxc),
            _ if self.is_wait(&Expr::MethodCall(call.clone())) => Some(Operator::Rtxc),
            _ => None,
        }
    }

    fn removal_of_function(&self, call: &ExprCall) -> Option<Operator> {
        let Expr::Path(path) = &*call.func else {
            return None;
        };
        let name = path.path.segments.last()?.ident.to_string();
        match (name.as_str(), call.args.len()) {
            ("sleep" | "sleep_ms" | "sleep_until" | "park_timeout", 1)
            | ("yield_now" | "park", 0) => {
                self.is_of_threads(call, &name).then_some(Operator::Rtxc)
            }
            ("spawn" | "spawn_blocking", 1) if call.args.iter().any(is_task) => {
                Some(Operator::Rcxc)
            }
            ("fence", 1) if ordering_of(&call.args[0]).is_some() => Some(Operator::Rvk),
            ("drop", 1) => {
                let argument = &call.args[0];
                let known = self.known_local(argument).cloned();
                let known = known.or_else(|| self.known(argument))?;
                let is_noticed = matches!(
                    known.construct,
                    Construct::Guard | Construct::Sender | Construct::Receiver
                );
                is_noticed.then_some(Operator::Rcxc)
            }
            _ => None,
        }
    }

    /// RJS
    fn sleep_for_join(&mut self, call: &ExprMethodCall, span: Span) {
        let is_join = call.method == "join" && call.args.is_empty();
        if is_join && self.may_be(&call.receiver, &[Construct::JoinHandle]) {
            self.sleep_for(span, "::std::thread::sleep", "");
        }
    }

    fn sleep_for(&mut self, span: Span, sleep: &str, wait: &str) {
        let text = format!("{sleep}(::std::time::Duration::from_millis(10)){wait};");
        let draft = self.replacement(Operator::Rjs, span, text);
        self.block_draft(draft);
    }

    /// MSF for parking_lot's guards.
    fn fairness_of_unlock(&mut self, call: &ExprCall, span: Span) {
        let [argument] = &call.args.iter().collect::<Vec<_>>()[..] else {
            return;
        };
        let guard = self.source.flat(*argument);
        let text = if path_ends(&call.func, "unlock_fair") {
            format!("drop({guard});")
        } else if path_ends(&call.func, "bump") {
            String::new()
        } else if path_ends(&call.func, "drop")
            && let Some(known) = self.known_local(argument)
            && known.construct == Construct::Guard
            && known.library == Library::ParkingLot
        {
            let ty = match known.method.as_str() {
                "read" => "RwLockReadGuard",
                "write" => "RwLockWriteGuard",
                _ => "MutexGuard",
            };
            format!("::parking_lot::{ty}::unlock_fair({guard});")
        } else {
            return;
        };
        let draft = self.replacement(Operator::Msf, span, text);
        self.block_draft(draft);
    }

    /// MSF for the choice between what is ready.
    pub(super) fn fairness_of_select(&mut self, mac: &Macro) {
        let Some(last) = mac.path.segments.last() else {
            return;
        };
        let library = match self.facts.import(&last.ident.to_string()) {
            Some(path) => path.split("::").next().unwrap_or_default().to_string(),
            None => mac.path.segments[0].ident.to_string(),
        };
        let open = self.source.token(mac.delimiter.span().open());
        let inside = Span::new(
            open.end,
            self.source.token(mac.delimiter.span().close()).start,
        );
        let start = inside.start;
        let body = self.source.slice(inside);
        let (span, text) = match (library.as_str(), last.ident.to_string().as_str()) {
            ("tokio" | "futures", "select") => match body.trim_start().strip_prefix("biased") {
                Some(rest) if rest.trim_start().starts_with(';') => {
                    let length = body.len() - rest.trim_start()[1..].len();
                    (Span::new(start, start + length), String::new())
                }
                _ if library == "tokio" => (Span::new(open.start, open.end), "{ biased;".into()),
                _ => return,
            },
            ("crossbeam" | "crossbeam_channel", name @ ("select" | "select_biased")) => {
                let other = match name {
                    "select" => "select_biased",
                    _ => "select",
                };
                // Its counterpart need not be imported.
                let home = match self
                    .facts
                    .import(name)
                    .and_then(|path| path.rsplit_once("::"))
                {
                    Some((home, _)) => format!("::{home}::"),
                    None => String::new(),
                };
                let text = format!("{home}{other}");
                (self.source.token(last.ident.span()), text)
            }
            _ => return,
        };
        let draft = self.replacement(Operator::Msf, span, text);
        self.block_draft(draft);
    }
}

/// Whether an expression awaits something, and at most unwraps the result of it.
fn waits(expression: &Expr) -> bool {
    match expression {
        Expr::Await(_) => true,
        Expr::MethodCall(call) => waits(&call.receiver),
        Expr::Try(attempt) => waits(&attempt.expr),
        Expr::Paren(inner) => waits(&inner.expr),
        _ => false,
    }
}

/// Whether an argument is something to run.
fn is_task(argument: &Expr) -> bool {
    matches!(argument, Expr::Closure(_) | Expr::Async(_))
}
