//! Tests generated from the model `car_alarm`: each one kills mutants of the model.
//! Connect them to the implementation in `adapter.rs`; this file is written anew by `cargo atropos model rust`.

mod adapter;

/// What the tests need of an implementation.
pub trait System {
    fn lock(&mut self);
    fn unlock(&mut self);
    fn close(&mut self);
    fn open(&mut self);
    /// Waits for the next output, written as in the model (`Name` or `Name(argument, …)`); `None` if none comes.
    fn observe(&mut self) -> Option<String>;
}

/// One edge of a test, from a node to a node: `!` gives an input, `?` is an output and `-` silence that the model allows
/// there, `P` is the verdict pass and `I` inconclusive.
type Step = (u32, char, &'static str, u32);

/// How often a test is run again if the implementation took another way than the test.
const RETRIES: usize = 3;

enum TestVerdict {
    Pass,
    /// With the trace.
    Inconclusive(String),
}

/// Runs a test, again if it is inconclusive. A failure is a panic with the trace. So is a test that stays inconclusive: it has
/// shown nothing. `ATROPOS_ALLOW_INCONCLUSIVE=1` makes it a message on standard error.
fn run(steps: &[Step]) {
    let mut trace = String::new();
    for _ in 0..=RETRIES {
        match replay(&mut adapter::Adapter::default(), steps) {
            TestVerdict::Pass => return,
            TestVerdict::Inconclusive(way) => trace = way,
        }
    }
    let message = format!(
        "inconclusive: in {} runs the implementation took another way than the test, which the model allows\n{trace}",
        RETRIES + 1
    );
    if std::env::var_os("ATROPOS_ALLOW_INCONCLUSIVE").is_some_and(|value| value == "1") {
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "{message}");
        return;
    }
    panic!("{message}");
}

/// Runs a test once. A node gives an input at once, or waits for what the implementation shows.
fn replay(system: &mut impl System, steps: &[Step]) -> TestVerdict {
    let mut node = 0;
    let mut trace: Vec<String> = Vec::new();
    loop {
        let here: Vec<&Step> = steps.iter().filter(|step| step.0 == node).collect();
        match here.first() {
            Some((_, 'P', ..)) => return TestVerdict::Pass,
            Some((_, '!', input, to)) => {
                give(system, input);
                trace.push(format!("gave {input}"));
                node = *to;
                continue;
            }
            Some((_, 'I', ..)) | None => return TestVerdict::Inconclusive(trace.join("\n")),
            Some(_) => {}
        }
        let seen = system.observe();
        let found = seen.as_deref().unwrap_or("silence");
        let taken = here.iter().find(|step| match &seen {
            Some(output) => step.1 == '?' && step.2 == output,
            None => step.1 == '-',
        });
        let Some(step) = taken else {
            let expected: Vec<&str> = here.iter().map(|step| step.2).collect();
            panic!(
                "the model can't show {found} here; it shows {expected:?}\n{}",
                trace.join("\n")
            );
        };
        trace.push(format!("saw {found}"));
        node = step.3;
    }
}

fn give(system: &mut impl System, input: &str) {
    match input {
        "Lock" => system.lock(),
        "Unlock" => system.unlock(),
        "Close" => system.close(),
        "Open" => system.open(),
        other => unreachable!("no test gives {other}"),
    }
}

#[test]
fn model_test_000() {
    #[rustfmt::skip]
    const STEPS: &[Step] = &[
        (0, '-', "silence", 1),
        (1, '!', "Close", 2),
        (2, '-', "silence", 3),
        (3, '!', "Lock", 4),
        (4, '?', "after(20)", 5),
        (5, '?', "ArmedOn", 6),
        (6, '-', "silence", 7),
        (7, '!', "Open", 8),
        (8, '?', "ArmedOff", 9),
        (9, '?', "FlashOn", 10),
        (9, '?', "SoundOn", 66),
        (10, '?', "SoundOn", 11),
        (11, '?', "after(30)", 12),
        (12, '?', "SoundOff", 13),
        (13, '?', "after(270)", 14),
        (14, '?', "FlashOff", 15),
        (15, '-', "silence", 16),
        (16, '!', "Unlock", 17),
        (17, '-', "silence", 18),
        (18, '!', "Lock", 19),
        (19, '-', "silence", 20),
        (20, '!', "Unlock", 21),
        (21, '!', "Lock", 22),
        (22, '!', "Unlock", 23),
        (23, '!', "Close", 24),
        (24, '-', "silence", 25),
        (25, '!', "Open", 26),
        (26, '!', "Lock", 27),
        (27, '-', "silence", 28),
        (28, '!', "Close", 29),
        (29, '?', "after(20)", 30),
        (30, '?', "ArmedOn", 31),
        (31, '!', "Unlock", 32),
        (32, '?', "ArmedOff", 33),
        (33, '!', "Lock", 34),
        (34, '!', "Unlock", 35),
        (35, '-', "silence", 36),
        (36, '!', "Lock", 37),
        (37, '!', "Open", 38),
        (38, '-', "silence", 39),
        (39, '!', "Close", 40),
        (40, '?', "after(20)", 41),
        (41, '?', "ArmedOn", 42),
        (42, '!', "Open", 43),
        (43, '?', "ArmedOff", 44),
        (44, '?', "FlashOn", 45),
        (44, '?', "SoundOn", 66),
        (45, '?', "SoundOn", 46),
        (46, '!', "Unlock", 47),
        (47, '?', "SoundOff", 48),
        (47, '?', "FlashOff", 69),
        (48, '?', "FlashOff", 49),
        (49, '!', "Lock", 50),
        (50, '!', "Close", 51),
        (51, '?', "after(20)", 52),
        (52, '?', "ArmedOn", 53),
        (53, '!', "Open", 54),
        (54, '?', "ArmedOff", 55),
        (55, '?', "FlashOn", 56),
        (55, '?', "SoundOn", 66),
        (56, '?', "SoundOn", 57),
        (57, '?', "after(30)", 58),
        (58, '?', "SoundOff", 59),
        (59, '?', "after(270)", 60),
        (60, '?', "FlashOff", 61),
        (61, '!', "Close", 62),
        (62, '?', "ArmedOn", 63),
        (63, '!', "Open", 64),
        (64, '?', "ArmedOff", 65),
        (65, '?', "SoundOn", 66),
        (65, '?', "FlashOn", 74),
        (66, '?', "FlashOn", 67),
        (67, '!', "Unlock", 68),
        (68, '?', "FlashOff", 69),
        (68, '?', "SoundOff", 73),
        (69, '?', "SoundOff", 70),
        (70, '-', "silence", 72),
        (72, 'P', "pass", 71),
        (73, '?', "FlashOff", 70),
        (74, '?', "SoundOn", 67),
    ];
    run(STEPS);
}
