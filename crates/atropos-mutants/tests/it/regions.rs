//! The concurrency operators on critical regions and on methods of types with locks.

use crate::check::{found_with, lines, options};

/// The edits of the body of `f`, each as the whole body that it makes.
#[track_caller]
fn bodies(operators: &str, body: &str, expected: &[&str]) {
    let source = format!(
        "use std::sync::Mutex; fn f(m: &Mutex<Vec<u8>>, n: &Mutex<Vec<u8>>) -> Result<(), String> {{ {body} }}"
    );
    let found = found_with(&source, &options(operators));
    let made: Vec<String> = lines(&source, &found)
        .into_iter()
        .map(|line| line.split_once(" => ").unwrap().1.to_string())
        .collect();
    assert_eq!(made, expected, "{operators} on\n{body}");
}

const BARE: &str = "(*::atropos_runtime::injected_faults::bare(&m))";

#[test]
fn skcr_moves_statements_out_of_the_region() {
    // Statements that don't use the guard leave in plain Rust.
    bodies(
        "SKCR",
        "let mut g = m.lock().unwrap(); a(); g.push(1); b();",
        &[
            "a(); let mut g = m.lock().unwrap(); g.push(1); b();",
            "let mut g = m.lock().unwrap(); a(); g.push(1); drop(g); b();",
        ],
    );
    // Others go on with a guard that excludes nobody.
    bodies(
        "SKCR",
        "let mut g = m.lock().unwrap(); g.push(1); g.push(2); drop(g); b()",
        &[
            &format!(
                "let mut g = {BARE}.lock().unwrap(); g.push(1); drop(g); let mut g = m.lock().unwrap(); g.push(2); drop(g); b()"
            ),
            &format!(
                "let mut g = m.lock().unwrap(); g.push(1); drop(g); let mut g = {BARE}.lock().unwrap(); g.push(2); drop(g); b()"
            ),
        ],
    );
    // A region of one statement would be empty.
    bodies("SKCR", "let mut g = m.lock().unwrap(); g.push(1);", &[]);
}

#[test]
fn only_edits_with_a_bare_guard_need_exploration() {
    let source = "use std::sync::Mutex; fn f(m: &Mutex<u8>) { let g = m.lock().unwrap(); a(); h(*g); k(*g); drop(g); }";
    let found = found_with(source, &options("SKCR"));
    let needs: Vec<bool> = found.points[0]
        .mutants
        .iter()
        .map(|mutant| mutant.needs_exploration)
        .collect();
    assert_eq!(needs, [false, true]);
}

#[test]
fn excr_takes_statements_in() {
    bodies(
        "EXCR",
        "a(); let mut g = m.lock().unwrap(); g.push(1); drop(g); b(); c()",
        &[
            "let mut g = m.lock().unwrap(); a(); g.push(1); drop(g); b(); c()",
            "a(); let mut g = m.lock().unwrap(); g.push(1); b(); drop(g); c()",
        ],
    );
    bodies(
        "EXCR",
        "{ let mut g = m.lock().unwrap(); g.push(1); } b(); c()",
        &["{ let mut g = m.lock().unwrap(); g.push(1); b(); } c()"],
    );
    // The lock needs what the statement before it makes.
    bodies(
        "EXCR",
        "let locks = [m, n]; let g = locks[0].lock().unwrap(); h(g.len()); k()",
        &[],
    );
}

#[test]
fn shcr_shifts_the_region() {
    bodies(
        "SHCR",
        "a(); let mut g = m.lock().unwrap(); g.push(1); b(); drop(g); c(); d()",
        &[
            "let mut g = m.lock().unwrap(); a(); g.push(1); drop(g); b(); c(); d()",
            &format!(
                "a(); let mut g = {BARE}.lock().unwrap(); g.push(1); drop(g); let mut g = m.lock().unwrap(); b(); c(); drop(g); d()"
            ),
        ],
    );
    // Nothing before it, and it ends with the block.
    bodies(
        "SHCR",
        "let mut g = m.lock().unwrap(); g.push(1); g.push(2);",
        &[],
    );
}

#[test]
fn spcr_splits_between_uses_of_the_guard() {
    bodies(
        "SPCR",
        "let mut g = m.lock().unwrap(); a(); let n = g.len(); g.push(n); b();",
        &[
            "let mut g = m.lock().unwrap(); a(); let n = g.len(); drop(g); let mut g = m.lock().unwrap(); g.push(n); b();",
        ],
    );
    bodies("SPCR", "let g = m.lock().unwrap(); a(); b();", &[]);
}

#[test]
fn esp_exchanges_neighbours_and_eelo_what_is_further_apart() {
    bodies(
        "ESP,EELO",
        "let a = m.lock().unwrap(); let b = n.lock().unwrap(); h(a, b)",
        &["let b = n.lock().unwrap(); let a = m.lock().unwrap(); h(a, b)"],
    );
    bodies(
        "ESP",
        "h((m.lock().unwrap(), n.lock().unwrap()))",
        &["h({ let __atropos_second = n.lock().unwrap(); (m.lock().unwrap(), __atropos_second) })"],
    );
    let apart = "let a = m.lock().unwrap(); k(); let b = n.lock().unwrap(); h(a, b)";
    bodies("ESP", apart, &[]);
    bodies(
        "EELO",
        apart,
        &["let b = n.lock().unwrap(); let a = m.lock().unwrap(); k(); h(a, b)"],
    );
    // Taken within a block, or for one statement alone; then it is given back there.
    bodies(
        "ESP,EELO",
        "let a = m.lock().unwrap(); { let b = n.lock().unwrap(); h(&a, &b); } k()",
        &[
            "let mut __atropos_second = n.lock().unwrap(); let a = m.lock().unwrap(); { let b = __atropos_second; h(&a, &b); } k()",
        ],
    );
    bodies(
        "ESP,EELO",
        "let a = m.lock().unwrap(); n.lock().unwrap().push(*a); k(a)",
        &[
            "let mut __atropos_second = n.lock().unwrap(); let a = m.lock().unwrap(); __atropos_second.push(*a); drop(__atropos_second); k(a)",
        ],
    );
    // It may not be taken at all.
    bodies(
        "ESP,EELO",
        "let a = m.lock().unwrap(); if *a { n.lock().unwrap().push(1); } h(|| n.lock().unwrap().len());",
        &[],
    );
    // The second lock is found through the first.
    bodies(
        "ESP,EELO",
        "let a = m.lock().unwrap(); let b = a.inner.lock().unwrap(); h(b)",
        &[],
    );
    // Not held together.
    bodies(
        "ESP,EELO",
        "let a = m.lock().unwrap(); h(&a); drop(a); let b = n.lock().unwrap(); h(&b)",
        &[],
    );
}

#[test]
fn rsk_takes_away_a_method_s_exclusion_and_rsb_a_block_s() {
    let whole = "let mut g = m.lock().unwrap(); g.push(1); b();";
    bodies("RSK", whole, &[BARE]);
    bodies("RSB", whole, &[]);
    let part = "let mut g = m.lock().unwrap(); g.push(1); drop(g); b();";
    bodies("RSB", part, &[BARE]);
    bodies("RSK", part, &[]);
    let block = "{ let mut g = m.lock().unwrap(); g.push(1); } b();";
    bodies("RSB", block, &[BARE]);
    // A guard that is only held: plain Rust can do without it.
    bodies("RSK", "let _g = m.lock().unwrap(); b();", &["b();"]);
}

#[test]
fn a_region_in_which_nothing_is_shared_is_left_alone() {
    bodies(
        "SKCR,SHCR,EXCR,SPCR,RSK,RSB",
        "k(); let _g = m.lock().unwrap(); let x = 1; let y = x + 2;",
        &[],
    );
}

#[test]
fn statements_that_concern_nobody_else_are_not_moved() {
    bodies(
        "SKCR,EXCR,SHCR",
        "let x = 1; let mut g = m.lock().unwrap(); let y = x + 1; g.push(y); Ok(())",
        &[],
    );
}

#[test]
fn a_guard_may_have_the_name_of_its_lock() {
    let source = "use std::sync::Mutex; fn f(m: &Mutex<u8>) { let mut m = m.lock().unwrap(); let n = *m; *m = n + 1; drop(m); }";
    let found = found_with(source, &options("SPCR,RSB,RCXC"));
    assert_eq!(
        lines(source, &found),
        [
            "SPCR: let mut m = m.lock().unwrap(); let n = *m; *m = n + 1; drop(m); => let __atropos_lock = &m; let mut m = __atropos_lock.lock().unwrap(); let n = *m; drop(m); let mut m = __atropos_lock.lock().unwrap(); *m = n + 1; drop(m);",
            &format!("RSB: m => {BARE}"),
            "RCXC: drop(m); =>",
        ]
    );
}

#[test]
fn rfu_keeps_the_lock_on_early_ways_out() {
    bodies(
        "RFU",
        "let g = m.lock().unwrap(); if g.is_empty() { return Err(e()); } k(&g)?; h(g)",
        &[
            "let g = m.lock().unwrap(); if g.is_empty() { return { let __atropos_value = Err(e()); ::core::mem::forget(g); __atropos_value }; } k(&g)?; h(g)",
            "let g = m.lock().unwrap(); if g.is_empty() { return Err(e()); } (match k(&g) { Ok(__atropos_value) => __atropos_value, Err(__atropos_error) => { ::core::mem::forget(g); return Err(From::from(__atropos_error)); } }); h(g)",
        ],
    );
    bodies(
        "RFU",
        "let g = m.lock().unwrap(); assert!(g.is_empty()); h(g)",
        &["(*::atropos_runtime::injected_faults::kept_on_panic(&m))"],
    );
    // A closure's way out is not the region's.
    bodies(
        "RFU",
        "let g = m.lock().unwrap(); let c = || { return 1; }; h(g, c)",
        &[],
    );
}

/// The edits of a type with a lock, as lines.
fn of_type(operators: &str, methods: &str) -> Vec<String> {
    let source = format!(
        "use std::sync::Mutex; static ALL: Mutex<u8> = Mutex::new(0); \
         struct S {{ m: Mutex<u8>, n: u8 }} impl S {{ {methods} }}"
    );
    lines(&source, &found_with(&source, &options(operators)))
}

#[test]
fn ask_holds_a_lock_throughout_methods_that_don_t_take_it() {
    let locks = "fn locks(&self) { *self.m.lock().unwrap() = 1; }";
    assert_eq!(
        of_type("ASK", &format!("{locks} fn f(&self) -> u8 {{ self.n }}")),
        ["ASK: self.n => let __atropos_held = self.m.lock(); self.n"]
    );
    // Nobody else locks it; it is no method; it is not shared; it locks already.
    assert_eq!(of_type("ASK", "fn f(&self) -> u8 { self.n }"), [""; 0]);
    assert_eq!(
        of_type(
            "ASK",
            &format!("{locks} fn new() -> S {{ g() }} fn f(&mut self) {{ self.n = 1; }}")
        ),
        [""; 0]
    );
}

#[test]
fn astk_and_rstk_change_whose_lock_it_is() {
    let astk = of_type("ASTK", "fn f(&self) { *self.m.lock().unwrap() = 1; }");
    assert_eq!(astk.len(), 1);
    assert!(
        astk[0].ends_with(
            "let __atropos_held = __ATROPOS_TYPE.lock(); *(*::atropos_runtime::injected_faults::bare(&self.m)).lock().unwrap() = 1;"
        ),
        "{astk:?}"
    );
    let rstk = of_type("RSTK", "fn f(&self) { *ALL.lock().unwrap() = 1; }");
    assert_eq!(rstk.len(), 1);
    assert!(
        rstk[0]
            .ends_with("*(*::atropos_runtime::injected_faults::bare(&ALL)).lock().unwrap() = 1;"),
        "{rstk:?}"
    );
    assert_eq!(
        of_type("ASTK", "fn f(&self) { *ALL.lock().unwrap() = 1; }"),
        [""; 0]
    );
    assert_eq!(
        of_type("RSTK", "fn f() { *ALL.lock().unwrap() = 1; }"),
        [""; 0]
    );
}

#[test]
fn one_edit_has_one_name() {
    // RSK, RSB and RCXC would all take this lock away.
    let source =
        "use std::sync::Mutex; fn f(m: &Mutex<u8>) { let mut g = m.lock().unwrap(); *g = 1; }";
    let found = found_with(source, &options("RSK,RSB,RCXC"));
    assert_eq!(lines(source, &found), [format!("RSK: m => {BARE}")]);
}

#[test]
fn locks_of_parking_lot_can_be_made_to_exclude_nobody() {
    const HEAD: &str = "use parking_lot::{Mutex, RwLock}; \
        struct S { all: Mutex<Vec<u8>>, some: RwLock<u8> } impl S { ";
    let made = |operators: &str, method: &str| {
        let source = format!("{HEAD}{method} }}");
        let found = found_with(&source, &options(operators));
        let mut all = found.points.iter().flat_map(|point| &point.mutants);
        assert!(all.all(|mutant| mutant.needs_exploration));
        lines(&source, &found)
    };
    let wrong = |mistake: &str, lock: &str| {
        format!(
            "(*::atropos_runtime::injected_faults::{mistake}_foreign(&{lock}, ({lock}).data_ptr()))"
        )
    };
    let whole = "fn f(&self) { let mut g = self.all.lock(); g.push(1); }";
    let bare = wrong("bare", "self.all");
    assert_eq!(made("RSK", whole), [format!("RSK: self.all => {bare}")]);
    assert!(made("ASTK", whole)[0].ends_with(&format!("let mut g = {bare}.lock(); g.push(1);")));
    assert_eq!(
        made(
            "RSB",
            "fn f(&self) { { let mut g = self.some.write(); *g += 1; } h(); }"
        ),
        [format!("RSB: self.some => {}", wrong("bare", "self.some"))]
    );
    assert_eq!(
        made("RCXC", "fn f(&self) -> u8 { *self.some.read() }"),
        [format!("RCXC: self.some => {}", wrong("bare", "self.some"))]
    );
    assert_eq!(
        made(
            "RFU",
            "fn f(&self) { let g = self.all.lock(); assert!(g.is_empty()); }"
        ),
        [format!(
            "RFU: self.all => {}",
            wrong("kept_on_panic", "self.all")
        )]
    );
    let two =
        "fn f(&self) { h(); let mut g = self.all.lock(); g.push(1); g.push(2); drop(g); h(); }";
    let moved = made("SHCR", two);
    assert!(moved[0].ends_with(&format!(
        "let mut g = self.all.lock(); h(); g.push(1); drop(g); \
         let mut g = {bare}.lock(); g.push(2); drop(g); h();"
    )));
    assert!(moved[1].ends_with(&format!(
        "h(); let mut g = {bare}.lock(); g.push(1); drop(g); \
         let mut g = self.all.lock(); g.push(2); h(); drop(g);"
    )));
    let shared = "fn f(&self) { let mut g = ALL.lock(); g.push(1); } } \
        static ALL: Mutex<Vec<u8>> = Mutex::new(Vec::new()); impl S {";
    let each = made("RSTK", shared);
    assert_eq!(each.len(), 1);
    assert!(each[0].contains("__ATROPOS_OBJECTS"));
    assert!(each[0].ends_with(&format!(
        "let mut g = {}.lock(); g.push(1);",
        wrong("bare", "ALL")
    )));
    // What is called for the lock would be called twice.
    assert_eq!(
        made(
            "RSK",
            "fn f(&self) { let mut g = self.lock_of(1).lock(); g.push(1); }"
        ),
        [""; 0]
    );
}

#[test]
fn locks_of_tokio_can_be_made_to_exclude_nobody() {
    const HEAD: &str = "use tokio::sync::{Mutex, RwLock}; \
        static ALL: Mutex<u8> = Mutex::const_new(0); \
        struct S { all: Mutex<Vec<u8>>, some: RwLock<u8> } impl S { ";
    let made = |operators: &str, method: &str| {
        let source = format!("{HEAD}{method} }}");
        let found = found_with(&source, &options(operators));
        let mut all = found.points.iter().flat_map(|point| &point.mutants);
        assert!(all.all(|mutant| mutant.needs_exploration));
        lines(&source, &found)
    };
    let is_bare = |made: &[String], of: &str, rest: &str| {
        let [made] = made else {
            panic!("{made:#?}");
        };
        assert!(
            made.contains("::atropos_runtime::injected_faults::bare_async(|| {"),
            "{made}"
        );
        assert!(made.contains(of) && made.ends_with(rest), "{made}");
    };
    let whole = "async fn f(&self) { let mut g = self.all.lock().await; g.push(1); }";
    is_bare(
        &made("RSK", whole),
        "tokio::sync::Mutex<T>",
        "(&self.all) }).lock().await; g.push(1);",
    );
    let read = "async fn f(&self) -> u8 { *self.some.read().await }";
    is_bare(
        &made("RCXC", read),
        "tokio::sync::RwLock<T>",
        "(&self.some) }).read().await",
    );
    is_bare(
        &made("ASTK", whole),
        "__ATROPOS_TYPE.lock().await",
        "(&self.all) }).lock().await; g.push(1);",
    );
    let shared = "async fn f(&self) { let mut g = ALL.lock().await; *g += 1; }";
    is_bare(
        &made("RSTK", shared),
        ".addr() / 8 % 61].lock().await",
        "(&ALL) }).lock().await; *g += 1;",
    );
    // A panic leaves no place to forget the guard, and tokio's locks don't keep what is asked of them.
    let fails = "async fn f(&self) { let g = self.all.lock().await; assert!(g.is_empty()); }";
    assert_eq!(made("RFU", fails), [""; 0]);
}

#[test]
fn guards_come_from_methods_and_out_of_results() {
    let source = "use std::sync::{Mutex, MutexGuard}; struct S { all: Mutex<Vec<u8>> } impl S { \
        fn all(&self) -> MutexGuard<'_, Vec<u8>> { self.all.lock().unwrap() } \
        fn f(&self) { let mut all = self.all(); all.push(1); all.push(2); } }";
    let found = found_with(source, &options("RSK,SPCR"));
    assert_eq!(
        lines(source, &found),
        [
            "SPCR: let mut all = self.all(); all.push(1); all.push(2); => let mut all = self.all(); all.push(1); drop(all); let mut all = self.all(); all.push(2);",
            "RSK: self => (*::atropos_runtime::injected_faults::bare(&self))",
        ]
    );
    bodies(
        "SPCR",
        "let Ok(mut g) = m.lock() else { return Ok(()) }; g.push(1); g.push(2);",
        &[
            "let Ok(mut g) = m.lock() else { return Ok(()) }; g.push(1); drop(g); let Ok(mut g) = m.lock() else { return Ok(()) }; g.push(2);",
        ],
    );
}
