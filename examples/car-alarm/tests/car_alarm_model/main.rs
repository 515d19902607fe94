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

/// One step of a test: from a node, an input (`!`) or an output (`?`) or silence (`-`), to a node.
type Step = (u32, char, &'static str, u32);

/// Replays a test; the verdict is a panic with the trace, or nothing.
fn replay(system: &mut impl System, steps: &[Step], end: u32) {
    let mut node = 0;
    let mut trace: Vec<String> = Vec::new();
    while node != end {
        let here: Vec<&Step> = steps.iter().filter(|step| step.0 == node).collect();
        let input = here.iter().find(|step| step.1 == '!');
        let outputs = here.iter().any(|step| step.1 == '?');
        // Where an output may come as well, the input comes first; elsewhere silence is checked before it.
        let seen = if input.is_some() && outputs {
            None
        } else {
            system.observe()
        };
        let taken = match (&seen, input) {
            (None, Some(input)) => {
                give(system, input.2);
                trace.push(format!("gave {}", input.2));
                Some(*input)
            }
            (None, None) => here.iter().find(|step| step.1 == '-').copied(),
            (Some(output), _) => here
                .iter()
                .find(|step| step.1 == '?' && step.2 == output)
                .copied(),
        };
        if let Some(output) = &seen {
            trace.push(format!("saw {output}"));
        }
        match taken {
            Some(step) => node = step.3,
            None if here.is_empty() => {
                println!(
                    "inconclusive: the implementation took another way\n{}",
                    trace.join("\n")
                );
                return;
            }
            None => {
                let expected: Vec<&str> = here
                    .iter()
                    .filter(|step| step.1 != '!')
                    .map(|step| step.2)
                    .collect();
                let found = seen.as_deref().unwrap_or("silence");
                panic!(
                    "the model can't show {found} here; it shows {expected:?}\n{}",
                    trace.join("\n")
                );
            }
        }
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
        (0, '!', "Close", 1),
        (1, '!', "Lock", 2),
        (2, '!', "Open", 3),
        (2, '?', "after(20)", 153),
        (3, '!', "Unlock", 4),
        (4, '!', "Lock", 5),
        (5, '!', "Close", 6),
        (6, '?', "after(20)", 7),
        (7, '?', "ArmedOn", 8),
        (8, '!', "Open", 9),
        (9, '?', "ArmedOff", 10),
        (10, '?', "FlashOn", 11),
        (10, '?', "SoundOn", 154),
        (154, '?', "FlashOn", 12),
        (11, '?', "SoundOn", 12),
        (12, '!', "Unlock", 13),
        (12, '?', "after(30)", 155),
        (13, '?', "FlashOff", 14),
        (13, '?', "SoundOff", 156),
        (156, '?', "FlashOff", 15),
        (14, '?', "SoundOff", 15),
        (15, '!', "Lock", 16),
        (16, '!', "Close", 17),
        (17, '!', "Unlock", 18),
        (17, '?', "after(20)", 157),
        (18, '!', "Open", 19),
        (19, '!', "Lock", 20),
        (20, '!', "Close", 21),
        (21, '?', "after(20)", 22),
        (22, '?', "ArmedOn", 23),
        (23, '!', "Unlock", 24),
        (24, '?', "ArmedOff", 25),
        (25, '!', "Lock", 26),
        (26, '?', "after(20)", 27),
        (27, '?', "ArmedOn", 28),
        (28, '!', "Open", 29),
        (29, '?', "ArmedOff", 30),
        (30, '?', "FlashOn", 31),
        (30, '?', "SoundOn", 158),
        (158, '?', "FlashOn", 32),
        (31, '?', "SoundOn", 32),
        (32, '!', "Unlock", 33),
        (32, '?', "after(30)", 159),
        (33, '?', "FlashOff", 34),
        (33, '?', "SoundOff", 160),
        (160, '?', "FlashOff", 35),
        (34, '?', "SoundOff", 35),
        (35, '!', "Lock", 36),
        (36, '!', "Close", 37),
        (37, '?', "after(20)", 38),
        (38, '?', "ArmedOn", 39),
        (39, '!', "Open", 40),
        (40, '?', "ArmedOff", 41),
        (41, '?', "FlashOn", 42),
        (41, '?', "SoundOn", 161),
        (161, '?', "FlashOn", 43),
        (42, '?', "SoundOn", 43),
        (43, '!', "Unlock", 44),
        (43, '?', "after(30)", 162),
        (44, '?', "FlashOff", 45),
        (44, '?', "SoundOff", 163),
        (163, '?', "FlashOff", 46),
        (45, '?', "SoundOff", 46),
        (46, '!', "Lock", 47),
        (47, '!', "Unlock", 48),
        (48, '!', "Lock", 49),
        (49, '!', "Unlock", 50),
        (50, '!', "Lock", 51),
        (51, '!', "Unlock", 52),
        (52, '!', "Lock", 53),
        (53, '!', "Close", 54),
        (54, '?', "after(20)", 55),
        (55, '?', "ArmedOn", 56),
        (56, '!', "Open", 57),
        (57, '?', "ArmedOff", 58),
        (58, '?', "FlashOn", 59),
        (58, '?', "SoundOn", 164),
        (164, '?', "FlashOn", 60),
        (59, '?', "SoundOn", 60),
        (60, '!', "Unlock", 61),
        (60, '?', "after(30)", 165),
        (61, '?', "SoundOff", 62),
        (61, '?', "FlashOff", 166),
        (166, '?', "SoundOff", 63),
        (62, '?', "FlashOff", 63),
        (63, '!', "Lock", 64),
        (64, '!', "Close", 65),
        (65, '?', "after(20)", 66),
        (66, '?', "ArmedOn", 67),
        (67, '!', "Open", 68),
        (68, '?', "ArmedOff", 69),
        (69, '?', "FlashOn", 70),
        (69, '?', "SoundOn", 167),
        (167, '?', "FlashOn", 71),
        (70, '?', "SoundOn", 71),
        (71, '?', "after(30)", 72),
        (72, '?', "SoundOff", 73),
        (73, '!', "Unlock", 74),
        (73, '?', "after(270)", 168),
        (74, '?', "FlashOff", 75),
        (75, '!', "Lock", 76),
        (76, '!', "Close", 77),
        (77, '?', "after(20)", 78),
        (78, '?', "ArmedOn", 79),
        (79, '!', "Open", 80),
        (80, '?', "ArmedOff", 81),
        (81, '?', "FlashOn", 82),
        (81, '?', "SoundOn", 169),
        (169, '?', "FlashOn", 83),
        (82, '?', "SoundOn", 83),
        (83, '?', "after(30)", 84),
        (84, '?', "SoundOff", 85),
        (85, '!', "Unlock", 86),
        (85, '?', "after(270)", 170),
        (86, '?', "FlashOff", 87),
        (87, '!', "Lock", 88),
        (88, '!', "Close", 89),
        (89, '?', "after(20)", 90),
        (90, '?', "ArmedOn", 91),
        (91, '!', "Open", 92),
        (92, '?', "ArmedOff", 93),
        (93, '?', "FlashOn", 94),
        (93, '?', "SoundOn", 171),
        (171, '?', "FlashOn", 95),
        (94, '?', "SoundOn", 95),
        (95, '?', "after(30)", 96),
        (96, '?', "SoundOff", 97),
        (97, '!', "Unlock", 98),
        (97, '?', "after(270)", 172),
        (98, '?', "FlashOff", 99),
        (99, '!', "Lock", 100),
        (100, '!', "Close", 101),
        (101, '?', "after(20)", 102),
        (102, '?', "ArmedOn", 103),
        (103, '!', "Open", 104),
        (104, '?', "ArmedOff", 105),
        (105, '?', "FlashOn", 106),
        (105, '?', "SoundOn", 173),
        (173, '?', "FlashOn", 107),
        (106, '?', "SoundOn", 107),
        (107, '?', "after(30)", 108),
        (108, '?', "SoundOff", 109),
        (109, '?', "after(270)", 110),
        (110, '?', "FlashOff", 111),
        (111, '!', "Unlock", 112),
        (112, '!', "Lock", 113),
        (113, '!', "Close", 114),
        (114, '?', "after(20)", 115),
        (115, '?', "ArmedOn", 116),
        (116, '!', "Open", 117),
        (117, '?', "ArmedOff", 118),
        (118, '?', "FlashOn", 119),
        (118, '?', "SoundOn", 174),
        (174, '?', "FlashOn", 120),
        (119, '?', "SoundOn", 120),
        (120, '?', "after(30)", 121),
        (121, '?', "SoundOff", 122),
        (122, '?', "after(270)", 123),
        (123, '?', "FlashOff", 124),
        (124, '!', "Close", 125),
        (125, '?', "ArmedOn", 126),
        (126, '!', "Unlock", 127),
        (127, '?', "ArmedOff", 128),
        (128, '!', "Lock", 129),
        (129, '!', "Open", 130),
        (129, '?', "after(20)", 175),
        (130, '!', "Unlock", 131),
        (131, '!', "Lock", 132),
        (132, '!', "Unlock", 133),
        (133, '!', "Lock", 134),
        (134, '!', "Unlock", 135),
        (135, '!', "Lock", 136),
        (136, '!', "Unlock", 137),
        (137, '!', "Lock", 138),
        (138, '!', "Close", 139),
        (139, '?', "after(20)", 140),
        (140, '?', "ArmedOn", 141),
        (141, '!', "Open", 142),
        (142, '?', "ArmedOff", 143),
        (143, '?', "SoundOn", 144),
        (143, '?', "FlashOn", 176),
        (176, '?', "SoundOn", 145),
        (144, '?', "FlashOn", 145),
        (145, '!', "Unlock", 146),
        (145, '?', "after(30)", 177),
        (146, '?', "FlashOff", 147),
        (146, '?', "SoundOff", 178),
        (178, '?', "FlashOff", 148),
        (147, '?', "SoundOff", 148),
        (148, '!', "Lock", 149),
        (149, '!', "Unlock", 150),
        (150, '!', "Close", 151),
    ];
    replay(&mut adapter::Adapter::default(), STEPS, 151);
}

#[test]
fn model_test_001() {
    #[rustfmt::skip]
    const STEPS: &[Step] = &[
        (0, '!', "Lock", 1),
        (1, '!', "Close", 2),
        (2, '?', "after(20)", 3),
        (3, '?', "ArmedOn", 4),
        (4, '!', "Open", 5),
        (5, '?', "ArmedOff", 6),
        (6, '?', "SoundOn", 7),
        (6, '?', "FlashOn", 13),
        (13, '?', "SoundOn", 8),
        (7, '?', "FlashOn", 8),
        (8, '!', "Unlock", 9),
        (8, '?', "after(30)", 14),
        (9, '?', "SoundOff", 10),
        (9, '?', "FlashOff", 15),
        (15, '?', "SoundOff", 11),
        (10, '?', "FlashOff", 11),
    ];
    replay(&mut adapter::Adapter::default(), STEPS, 11);
}
