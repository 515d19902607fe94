//! Single calls: times (MXT), counts (MXC), leaders (MBR), notifications (RNA), waiting and trying
//! (ELPA), and what a call is made on (MSP, RXO, and the lock that RCXC takes away).

use syn::{Expr, ExprAwait, ExprCall, ExprMethodCall, Member};

use super::bare;
use super::construct::{Acquisition, Construct, Library};
use crate::operator::Operator;
use crate::paths::names_of;
use crate::type_facts::last_name;
use crate::walk::{Draft, Walker};

/// How many others of its type one thing is replaced by.
const MOST: usize = 2;

impl Walker<'_> {
    pub(super) fn method_with_threads(&mut self, call: &ExprMethodCall) {
        let name = call.method.to_string();
        match (name.as_str(), call.args.len()) {
            ("wait_timeout", 2) | ("wait_timeout_while", 3) => {
                self.time(&call.args[1]);
                self.no_time(call);
            }
            ("wait_timeout_ms" | "wait_for" | "send_timeout", 2) => self.time(&call.args[1]),
            ("wait_while_for", 3) => self.time(&call.args[2]),
            ("park_timeout", 1) if self.may_be(&call.receiver, &[Construct::Parker]) => {
                self.time(&call.args[0]);
            }
            (
                "recv_timeout"
                | "try_lock_for"
                | "try_read_for"
                | "try_write_for"
                | "blocking_recv_timeout",
                1,
            ) => self.time(&call.args[0]),
            (
                "acquire_many" | "try_acquire_many" | "add_permits" | "num_threads"
                | "worker_threads",
                1,
            ) => self.count(&call.args[0]),
            ("is_leader", 0) => self.no_leader(call),
            ("notify_all" | "notify_waiters", 0) => self.notify_one(call),
            _ => {}
        }
        self.exchanged_acquisition(call);
        self.other_receiver(call);
    }

    pub(super) fn function_with_threads(&mut self, call: &ExprCall) {
        let Expr::Path(path) = &*call.func else {
            return;
        };
        let names = names_of(&path.path);
        let Some(last) = names.last() else {
            return;
        };
        let owner = names
            .len()
            .checked_sub(2)
            .map(|index| names[index].as_str());
        match (owner, last.as_str(), call.args.len()) {
            (_, "sleep" | "park_timeout" | "sleep_ms", 1) if self.is_of_threads(call, last) => {
                self.time(&call.args[0]);
            }
            (_, "timeout", 2) if self.is_of_threads(call, last) => self.time(&call.args[0]),
            (
                Some("Barrier" | "Semaphore" | "CountDownLatch" | "CountdownLatch" | "ThreadPool"),
                "new" | "const_new",
                1,
            ) => self.count(&call.args[0]),
            (_, "sync_channel" | "bounded", 1) => self.count(&call.args[0]),
            (Some("mpsc" | "broadcast"), "channel", 1) => self.count(&call.args[0]),
            (None, "channel", 1) if self.is_bounded_channel() => self.count(&call.args[0]),
            _ => {}
        }
        self.racy_lazy(call);
    }

    /// Whether `channel` is imported from a module whose channels have a bound.
    fn is_bounded_channel(&self) -> bool {
        let import = self.facts.import("channel").unwrap_or_default();
        let home = import.rsplit("::").nth(1);
        matches!(home, Some("mpsc" | "broadcast"))
    }

    /// Whether a function of a common name is the one that deals with threads and time.
    pub(super) fn is_of_threads(&self, call: &ExprCall, name: &str) -> bool {
        let Expr::Path(path) = &*call.func else {
            return false;
        };
        let is_home = |name: &str| matches!(name, "thread" | "time" | "task" | "tokio");
        if path.path.segments.len() > 1 {
            return path
                .path
                .segments
                .iter()
                .any(|segment| is_home(&segment.ident.to_string()));
        }
        self.facts
            .import(name)
            .is_some_and(|path| path.split("::").any(is_home))
    }

    /// MXT
    fn time(&mut self, duration: &Expr) {
        let text = self.source.flat(duration);
        let operand = if is_atom(duration) {
            text
        } else {
            format!("({text})")
        };
        let span = self.source.span(duration);
        let variants = ["/ 2", "* 2"].map(|change| (Operator::Mxt, format!("{operand} {change}")));
        self.replacements(span, variants.into());
    }

    /// RTXC where what a wait gives is needed: it is over at once.
    fn no_time(&mut self, call: &ExprMethodCall) {
        if self.may_be(&call.receiver, &[Construct::Condvar]) {
            let span = self.source.span(&call.args[1]);
            let zero = self.path_in_core("time::Duration::ZERO");
            self.replacements(span, vec![(Operator::Rtxc, zero)]);
        }
    }

    /// MXC
    fn count(&mut self, count: &Expr) {
        let span = self.source.span(count);
        let text = self.source.flat(count);
        let literal = match count {
            Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Int(number) => number.base10_parse::<u64>().ok(),
                _ => None,
            },
            _ => None,
        };
        let operand = if is_atom(count) {
            text
        } else {
            format!("({text})")
        };
        let variants = match literal {
            Some(0) => vec!["1".to_string()],
            Some(number) => vec![(number + 1).to_string(), (number - 1).to_string()],
            None => vec![format!("{operand} + 1"), format!("{operand} - 1")],
        };
        let variants = variants.into_iter().map(|text| (Operator::Mxc, text));
        self.replacements(span, variants.collect());
    }

    /// MBR
    fn no_leader(&mut self, call: &ExprMethodCall) {
        let span = self.source.span(call);
        let text = match &*call.receiver {
            Expr::Path(_) => "false".to_string(),
            receiver => format!("({}, false).1", self.source.flat(receiver)),
        };
        self.replacements(span, vec![(Operator::Mbr, text)]);
    }

    /// RNA
    fn notify_one(&mut self, call: &ExprMethodCall) {
        if !self.is_waited_for(&call.receiver) {
            return;
        }
        let span = self.source.span(call);
        let text = format!("{}.notify_one()", self.source.flat(&call.receiver));
        let mut draft = self.replacement(Operator::Rna, span, text);
        draft.at = self.source.token(call.method.span()).start;
        let library = self.known(&call.receiver).map(|known| known.library);
        match library {
            // Both of std's return nothing.
            None | Some(Library::Std | Library::Tokio) => {
                self.point(span, crate::mutant::Shape::Expression, vec![draft]);
            }
            Some(_) => self.block_draft(draft),
        }
    }

    /// Whether anybody may wait on a condition: not if it is a private field or static of a file
    /// without children that nobody in the file waits on.
    pub(super) fn is_waited_for(&self, condition: &Expr) -> bool {
        match self.known(condition) {
            Some(known) if known.stays => false,
            Some(known) if !matches!(known.construct, Construct::Condvar | Construct::Notify) => {
                false
            }
            _ => match condition {
                Expr::Field(field) => match &field.member {
                    Member::Named(name) => self.facts.may_be_waited_for(&name.to_string()),
                    Member::Unnamed(_) => true,
                },
                Expr::Path(path) => {
                    let name = path.path.segments.last().map(|s| s.ident.to_string());
                    let is_local = name
                        .as_ref()
                        .is_some_and(|name| self.frame.scopes.find(name).is_some());
                    is_local || name.is_none_or(|name| self.facts.may_be_waited_for(&name))
                }
                _ => true,
            },
        }
    }

    /// ELPA: the method is replaced by its counterpart, as far as the results can be used alike.
    fn exchanged_acquisition(&mut self, call: &ExprMethodCall) {
        let name = call.method.to_string();
        let receiver = &call.receiver;
        let known = self.known(receiver);
        let library = known.as_ref().map(|known| known.library);
        let counterparts: &[&str] = match (name.as_str(), call.args.len()) {
            ("lock", 0) if self.may_be(receiver, &[Construct::Mutex]) => &["try_lock"],
            ("try_lock", 0) if self.may_be(receiver, &[Construct::Mutex]) => &["lock"],
            ("read", 0) if self.may_be(receiver, &[Construct::RwLock]) => &["try_read", "write"],
            ("write", 0) if self.may_be(receiver, &[Construct::RwLock]) => &["try_write", "read"],
            ("try_read", 0) if self.may_be(receiver, &[Construct::RwLock]) => &["read"],
            ("try_write", 0) if self.may_be(receiver, &[Construct::RwLock]) => &["write"],
            ("recv", 0) if self.may_be(receiver, &[Construct::Receiver]) => &["try_recv"],
            ("try_recv", 0) if self.may_be(receiver, &[Construct::Receiver]) => &["recv"],
            ("send", 1) if self.may_try_to_send(receiver) => &["try_send"],
            ("try_send", 1) if self.may_be(receiver, &[Construct::Sender]) => &["send"],
            _ => &[],
        };
        if self.frame.is_awaited(self.source.span(call)) {
            return;
        }
        if library == Some(Library::Tokio) {
            return self.exchanged_attempt(call);
        }
        for counterpart in counterparts {
            let is_trying = |name: &str| name.starts_with("try_");
            // parking_lot's lock gives the guard itself, and its attempt an `Option` of it.
            let is_plain =
                library == Some(Library::ParkingLot) && is_trying(&name) != is_trying(counterpart);
            let draft = if is_plain && is_trying(counterpart) {
                let span = self.source.span(call);
                let text = format!("{}.{counterpart}().unwrap()", self.source.flat(receiver));
                self.replacement(Operator::Elpa, span, text)
            } else if is_plain {
                let span = self.source.span(call);
                let text = format!("Some({}.{counterpart}())", self.source.flat(receiver));
                self.replacement(Operator::Elpa, span, text)
            } else {
                let span = self.source.token(call.method.span());
                self.replacement(Operator::Elpa, span, (*counterpart).to_string())
            };
            self.block_draft(draft);
        }
    }

    /// ELPA for tokio's attempts, and for what blocks the thread there.
    fn exchanged_attempt(&mut self, call: &ExprMethodCall) {
        let receiver = self.source.flat(&call.receiver);
        let arguments: Vec<String> = call.args.iter().map(|a| self.source.flat(a)).collect();
        let arguments = arguments.join(", ");
        let text = match call.method.to_string().as_str() {
            name @ ("try_lock" | "try_read" | "try_write") if self.frame.is_async => {
                let waiting = &name["try_".len()..];
                format!("Ok::<_, ::tokio::sync::TryLockError>({receiver}.{waiting}().await)")
            }
            "try_recv" if self.frame.is_async => format!(
                "{receiver}.recv().await.ok_or(::tokio::sync::mpsc::error::TryRecvError::Disconnected)"
            ),
            name @ ("try_send" | "try_acquire" | "try_acquire_many") if self.frame.is_async => {
                let waiting = &name["try_".len()..];
                format!("{receiver}.{waiting}({arguments}).await")
            }
            name @ ("blocking_lock" | "blocking_read" | "blocking_write") => {
                let kind = &name["blocking_".len()..];
                format!("{receiver}.try_{kind}().unwrap()")
            }
            "blocking_recv" => format!("{receiver}.try_recv().ok()"),
            "blocking_send" => format!("{receiver}.try_send({arguments})"),
            _ => return,
        };
        let draft = self.replacement(Operator::Elpa, self.source.span(call), text);
        self.block_draft(draft);
    }

    /// Senders without a bound have no `try_send`.
    fn may_try_to_send(&self, sender: &Expr) -> bool {
        match self.known(sender) {
            Some(known) => {
                known.construct == Construct::Sender
                    && (known.library != Library::Std || known.written.contains("sync"))
                    || known.written.contains("SyncSender")
            }
            None => {
                self.facts.has_word("SyncSender")
                    || self.facts.has_word("bounded")
                    || self.facts.has_word("sync_channel")
            }
        }
    }

    /// ELPA for what is awaited: the attempt does not wait.
    pub(super) fn awaited_acquisition(&mut self, wait: &ExprAwait) {
        let span = self.source.span(wait);
        self.frame.awaited = Some(self.source.span(&wait.base));
        let Expr::MethodCall(call) = &*wait.base else {
            return;
        };
        let receiver = self.source.flat(&call.receiver);
        let arguments: Vec<String> = call.args.iter().map(|a| self.source.flat(a)).collect();
        let arguments = arguments.join(", ");
        let text = match call.method.to_string().as_str() {
            "lock" if self.may_be(&call.receiver, &[Construct::Mutex]) => {
                format!("{receiver}.try_lock().unwrap()")
            }
            name @ ("read" | "write") if self.may_be(&call.receiver, &[Construct::RwLock]) => {
                let other = if name == "read" { "write" } else { "read" };
                let method = self.source.token(call.method.span());
                let draft = self.replacement(Operator::Elpa, method, other.to_string());
                self.block_draft(draft);
                format!("{receiver}.try_{name}().unwrap()")
            }
            name @ ("acquire" | "acquire_many")
                if self.may_be(&call.receiver, &[Construct::Semaphore]) =>
            {
                format!("{receiver}.try_{name}({arguments})")
            }
            "recv" if self.may_be(&call.receiver, &[Construct::Receiver]) => {
                format!("{receiver}.try_recv().ok()")
            }
            "send" if self.may_be(&call.receiver, &[Construct::Sender]) => {
                format!("{receiver}.try_send({arguments})")
            }
            "get_or_init" => return self.racy_initialisation(call, Some(span)),
            _ => return,
        };
        let draft = self.replacement(Operator::Elpa, span, text);
        self.block_draft(draft);
    }

    /// MSP and RXO, and RCXC where a lock is taken.
    fn other_receiver(&mut self, call: &ExprMethodCall) {
        let Some((operator, constructs)) = mechanism(call) else {
            return;
        };
        let mut texts: Vec<(Operator, String)> = Vec::new();
        if self.may_be(&call.receiver, constructs) {
            let others = self.others_like(&call.receiver);
            texts.extend(others.into_iter().map(|other| (operator, other)));
        }
        let span = self.source.span(&call.receiver);
        let mut drafts: Vec<Draft> = texts
            .into_iter()
            .map(|(operator, text)| self.replacement(operator, span, text))
            .collect();
        if let Some(library) = self.locking(call) {
            let is_awaited = self.frame.is_awaited(self.source.span(call));
            let library = match self.known(&call.receiver) {
                None if is_awaited => Library::Tokio,
                _ => library,
            };
            let is_its_way = is_awaited == (library == Library::Tokio);
            if is_its_way
                && self.can_err(library, call)
                && (library != Library::Std || !self.is_given_plainly(call))
            {
                let acquisition = Acquisition { call, library };
                let draft = self.without_exclusion(Operator::Rcxc, &acquisition);
                match library {
                    Library::Tokio => self.block_draft(draft),
                    _ => drafts.push(draft),
                }
            }
        }
        self.point(span, crate::mutant::Shape::Expression, drafts);
    }

    /// The same acquisition, of a guard that excludes nobody.
    pub(super) fn without_exclusion(
        &self,
        operator: Operator,
        acquisition: &Acquisition<'_>,
    ) -> Draft {
        let call = acquisition.call;
        let receiver = self.source.flat(&call.receiver);
        let span = self.source.span(&call.receiver);
        let summary = format!("take away the exclusion of {receiver}.{}()", call.method);
        let text = bare(acquisition.library, &receiver, &call.method.to_string());
        Draft::new(operator, span, text, summary).under_exploration()
    }

    /// Whether exploration can give a guard of this lock that excludes nobody. For a lock of another library it has to be
    /// named twice.
    pub(super) fn can_err(&self, library: Library, call: &ExprMethodCall) -> bool {
        match library {
            Library::Std => true,
            Library::ParkingLot => is_a_place(&call.receiver),
            Library::Tokio => true,
            Library::Other => false,
        }
    }

    /// Whether a lock gives the guard itself and not a result: it is not std's then.
    fn is_given_plainly(&self, call: &ExprMethodCall) -> bool {
        self.known(&call.receiver).is_none() && self.facts.imports_from("parking_lot")
    }

    /// Other things of the type of a receiver that are in reach.
    fn others_like(&self, receiver: &Expr) -> Vec<String> {
        let mut others = match receiver {
            Expr::Field(field) => self.fields_beside(field),
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) => self.names_beside(&name.to_string(), receiver),
                None => Vec::new(),
            },
            _ => Vec::new(),
        };
        others.truncate(MOST);
        others
    }

    fn fields_beside(&self, field: &syn::ExprField) -> Vec<String> {
        let Member::Named(name) = &field.member else {
            return Vec::new();
        };
        let Some(owner) = self.owner_of_field(field) else {
            return Vec::new();
        };
        let fields = self.facts.fields_of(&owner);
        let Some((_, ty)) = fields.iter().find(|(other, _)| name == other) else {
            return Vec::new();
        };
        let written = self.source.compact(*ty);
        let base = self.source.flat(&field.base);
        fields
            .iter()
            .filter(|(other, ty)| name != other && self.source.compact(*ty) == written)
            .map(|(other, _)| format!("{base}.{other}"))
            .collect()
    }

    fn names_beside(&self, name: &str, receiver: &Expr) -> Vec<String> {
        let Some(known) = self.known(receiver) else {
            return Vec::new();
        };
        if self.frame.scopes.find(name).is_none() {
            let statics = self.facts.statics_like(name, self.source);
            return statics.into_iter().map(ToString::to_string).collect();
        }
        let mut names: Vec<String> = self
            .frame
            .constructs
            .iter()
            .filter(|(other, like)| {
                *other != name
                    && like.origin != known.origin
                    && like.construct == known.construct
                    && like.written == known.written
                    && self.frame.scopes.find(other).is_some()
            })
            .map(|(other, _)| other.clone())
            .collect();
        let annotated = self.frame.scopes.known();
        names.extend(
            annotated
                .into_iter()
                .filter(|(other, ty)| {
                    *other != name
                        && self.known_type(ty).is_some_and(|like| {
                            like.construct == known.construct && like.written == known.written
                        })
                })
                .map(|(other, _)| other.to_string()),
        );
        names.sort();
        names.dedup();
        names
    }

    /// The name of the struct that a field belongs to.
    fn owner_of_field(&self, field: &syn::ExprField) -> Option<String> {
        let ty = match &*field.base {
            Expr::Path(path) if path.path.is_ident("self") => self.owner.self_type.clone(),
            base => self.type_of(base),
        }?;
        let ty = match &ty {
            syn::Type::Reference(reference) => (*reference.elem).clone(),
            _ => ty,
        };
        last_name(&ty)
    }
}

/// What a call is made on: the operator that changes it, and the constructs it may be.
fn mechanism(call: &ExprMethodCall) -> Option<(Operator, &'static [Construct])> {
    Some(match (call.method.to_string().as_str(), call.args.len()) {
        ("lock" | "try_lock" | "blocking_lock", 0) | ("try_lock_for", 1) => {
            (Operator::Msp, &[Construct::Mutex])
        }
        ("read" | "write" | "try_read" | "try_write" | "blocking_read" | "blocking_write", 0)
        | ("try_read_for" | "try_write_for", 1) => (Operator::Msp, &[Construct::RwLock]),
        ("notify_one" | "notify_all" | "notify_waiters" | "notified", 0) => {
            (Operator::Rxo, &[Construct::Condvar, Construct::Notify])
        }
        (
            "wait" | "wait_while" | "wait_timeout" | "wait_timeout_while" | "wait_for"
            | "wait_until" | "wait_while_for",
            1..=3,
        ) => (Operator::Rxo, &[Construct::Condvar]),
        ("wait", 0) => (Operator::Rxo, &[Construct::Barrier, Construct::Latch]),
        ("send" | "try_send" | "blocking_send", 1) | ("send_timeout", 2) => {
            (Operator::Rxo, &[Construct::Sender])
        }
        ("recv" | "try_recv" | "blocking_recv", 0) | ("recv_timeout", 1) => {
            (Operator::Rxo, &[Construct::Receiver])
        }
        ("acquire" | "try_acquire", 0)
        | ("acquire_many" | "try_acquire_many" | "add_permits" | "release", _) => {
            (Operator::Rxo, &[Construct::Semaphore])
        }
        ("load" | "fetch_not", 1)
        | ("store" | "swap", 2)
        | ("compare_exchange" | "compare_exchange_weak", 4)
        | ("fetch_update" | "try_update" | "update", 3) => (Operator::Rxo, &[Construct::Atomic]),
        (name, 2) if name.starts_with("fetch_") => (Operator::Rxo, &[Construct::Atomic]),
        _ => return None,
    })
}

/// Whether an operator behind an expression takes all of it.
fn is_atom(expression: &Expr) -> bool {
    matches!(
        expression,
        Expr::Path(_)
            | Expr::Lit(_)
            | Expr::Paren(_)
            | Expr::Field(_)
            | Expr::Call(_)
            | Expr::MethodCall(_)
            | Expr::Index(_)
    )
}

/// Whether an expression only names something, so that it can be evaluated twice.
fn is_a_place(expression: &Expr) -> bool {
    match expression {
        Expr::Path(_) => true,
        Expr::Field(field) => is_a_place(&field.base),
        Expr::Paren(inner) => is_a_place(&inner.expr),
        Expr::Reference(inner) => is_a_place(&inner.expr),
        Expr::Unary(inner) => matches!(inner.op, syn::UnOp::Deref(_)) && is_a_place(&inner.expr),
        _ => false,
    }
}
