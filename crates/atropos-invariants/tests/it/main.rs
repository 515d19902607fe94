//! Laws that hold for any stream of values, tried on many streams from a generator of our own.

use atropos_invariants::{
    ENTRY_VARIABLES, EntryOrExit, Invariant, Learned, ObservedValue, PointState, Property,
    Relation, Variable,
};

/// Pseudo-random numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// One call of a function with two parameters, a result and a field that is seen twice.
#[derive(Clone, Copy)]
struct Call {
    x: ObservedValue,
    y: ObservedValue,
    result: ObservedValue,
    before: ObservedValue,
    after: ObservedValue,
}

fn state(calls: &[Call]) -> PointState {
    let mut state = PointState::EMPTY;
    for call in calls {
        let mut values = [None; ENTRY_VARIABLES];
        for (index, value) in [call.x, call.y, call.before].into_iter().enumerate() {
            values[index] = Some(value);
            state.enter(index, value, None);
        }
        state.relate_entry(&values);
        state.leave(0, call.result, None, &values, None);
        state.leave(1, call.after, None, &values, Some(2));
    }
    state
}

/// Calls of one of many characters: small ranges, multiples, masks, lines, floats, lengths.
fn calls(random: &mut Random) -> Vec<Call> {
    let count = random.below(60) as usize;
    let character = random.below(7);
    let spread = 1 + random.below(12);
    let offset = random.below(9) as i64 - 4;
    let mut calls = Vec::new();
    for _ in 0..count {
        let x = random.below(spread) as i64 + offset;
        let y = random.below(spread) as i64;
        let (x, y, result) = match character {
            0 => (
                ObservedValue::Number(x),
                ObservedValue::Number(y),
                ObservedValue::Number(3 * x + 2),
            ),
            1 => (
                ObservedValue::Number(4 * x),
                ObservedValue::Number(y),
                ObservedValue::Bool(y > 3),
            ),
            2 => (
                ObservedValue::Float(x as f64 / 2.0),
                ObservedValue::Float(if y == 7 { f64::NAN } else { y as f64 }),
                ObservedValue::Float(1.0 / x as f64),
            ),
            3 => (
                ObservedValue::Length(y as u64),
                ObservedValue::Number(x),
                ObservedValue::Length(y as u64 + 1),
            ),
            4 => (
                ObservedValue::Tag(y),
                ObservedValue::Tag(2),
                ObservedValue::Char('a'),
            ),
            5 => (
                ObservedValue::Number(x),
                ObservedValue::Number(x + y),
                ObservedValue::Number(i64::MAX - y),
            ),
            _ => (
                ObservedValue::Number(y * y),
                ObservedValue::Number(y),
                ObservedValue::Number(1),
            ),
        };
        calls.push(Call {
            x,
            y,
            result,
            before: ObservedValue::Length(y_of(y)),
            after: ObservedValue::Length(y_of(y) + random.below(spread)),
        });
    }
    calls
}

fn y_of(value: ObservedValue) -> u64 {
    value.bits().unsigned_abs() % 5
}

fn value_of(call: &Call, variable: Variable) -> Option<ObservedValue> {
    match (variable.when, variable.index, variable.is_inner) {
        (EntryOrExit::Entry, 0, false) => Some(call.x),
        (EntryOrExit::Entry, 1, false) => Some(call.y),
        (EntryOrExit::Entry, 2, false) => Some(call.before),
        (EntryOrExit::Exit, 0, false) => Some(call.result),
        (EntryOrExit::Exit, 1, false) => Some(call.after),
        _ => None,
    }
}

/// What an invariant means, said for a single call and without any state.
fn holds_of(invariant: &Invariant, call: &Call) -> bool {
    match *invariant {
        Invariant::Of(variable, property) => match value_of(call, variable) {
            Some(value) => property_holds(property, value),
            None => panic!("{invariant:?} is about a variable that was never seen"),
        },
        Invariant::Between(x, y, relation) => {
            let (x, y) = (value_of(call, x).unwrap(), value_of(call, y).unwrap());
            relation_holds(relation, x, y)
        }
    }
}

fn property_holds(property: Property, value: ObservedValue) -> bool {
    let float = match value {
        ObservedValue::Float(number) => Some(number),
        _ => None,
    };
    let bits = value.bits();
    let at_least = |low: i64| match float {
        Some(number) => number.is_nan() || number >= f64::from_bits(low as u64),
        None => bits >= low,
    };
    let at_most = |high: i64| match float {
        Some(number) => number.is_nan() || number <= f64::from_bits(high as u64),
        None => bits <= high,
    };
    match property {
        Property::OneOf { values, count } => values[..usize::from(count)].contains(&bits),
        Property::AtLeast(low) => at_least(low),
        Property::AtMost(high) => at_most(high),
        Property::Within(low, high) => at_least(low) && at_most(high),
        Property::NonZero | Property::NonEmpty => bits != 0,
        Property::Modulus { modulus, remainder } => {
            i128::from(bits).rem_euclid(i128::from(modulus)) == i128::from(remainder)
        }
        Property::WithoutBits(never) => bits as u64 & never == 0,
        Property::NeverNan => !float.unwrap().is_nan(),
        Property::Finite => float.unwrap().is_finite(),
        Property::Tags(tags) => tags >> bits.clamp(0, 63) & 1 == 1,
        Property::Sorted => panic!("nothing was said about order"),
    }
}

fn relation_holds(relation: Relation, x: ObservedValue, y: ObservedValue) -> bool {
    let order = match (x, y) {
        (ObservedValue::Float(x), ObservedValue::Float(y)) => x.partial_cmp(&y),
        _ => Some(x.bits().cmp(&y.bits())),
    };
    match relation {
        Relation::Equal => order.is_some_and(|order| order.is_eq()),
        Relation::Less => order.is_some_and(|order| order.is_lt()),
        Relation::AtMost => order.is_some_and(|order| order.is_le()),
        Relation::Greater => order.is_some_and(|order| order.is_gt()),
        Relation::AtLeast => order.is_some_and(|order| order.is_ge()),
        Relation::NotEqual => order.is_some_and(|order| order.is_ne()),
        Relation::Linear { first, second } => {
            let wide = |place: [i64; 2]| place.map(i128::from);
            let ([x0, y0], [x1, y1]) = (wide(first), wide(second));
            let (x, y) = (i128::from(x.bits()), i128::from(y.bits()));
            (y1 - y0) * (x - x0) == (x1 - x0) * (y - y0)
        }
    }
}

fn is_nan(value: ObservedValue) -> bool {
    matches!(value, ObservedValue::Float(number) if number.is_nan())
}

#[test]
fn what_is_learned_holds_of_every_call_it_was_learned_from() {
    let mut random = Random(7);
    let mut learned = 0;
    for _ in 0..2000 {
        let calls = calls(&mut random);
        for invariant in state(&calls).invariants() {
            learned += 1;
            assert!(invariant.holds_in(&state(&calls)), "{invariant:?}");
            for call in &calls {
                assert!(holds_of(&invariant, call), "{invariant:?}");
            }
        }
    }
    assert!(learned > 2000, "only {learned}");
}

#[test]
fn a_state_decides_exactly_whether_an_invariant_held_in_its_run() {
    let mut random = Random(11);
    let (mut kept, mut broken) = (0, 0);
    for _ in 0..1000 {
        let clean = state(&calls(&mut random));
        let run = calls(&mut random);
        let after = state(&run);
        for invariant in clean.invariants() {
            // Of values that can't be compared (of other kinds, NaN) a state says nothing.
            let about = |call: &&Call| match invariant {
                Invariant::Of(variable, _) => {
                    let before = clean.slot(variable).and_then(|slot| slot.kind());
                    value_of(call, variable).map(ObservedValue::kind) == before
                }
                Invariant::Between(x, y, _) => {
                    clean.slot(x).and_then(|slot| slot.kind())
                        == value_of(call, x).map(ObservedValue::kind)
                        && clean.slot(y).and_then(|slot| slot.kind())
                            == value_of(call, y).map(ObservedValue::kind)
                }
            };
            let is_comparable = run.iter().all(|call| about(&call))
                && !run.iter().any(|call| {
                    matches!(invariant, Invariant::Between(..))
                        && [call.x, call.y, call.result].into_iter().any(is_nan)
                });
            if !is_comparable {
                continue;
            }
            let expected = run.iter().all(|call| holds_of(&invariant, call));
            assert_eq!(invariant.holds_in(&after), expected, "{invariant:?}");
            if expected {
                kept += 1;
            } else {
                broken += 1;
            }
        }
    }
    assert!(kept > 100 && broken > 100, "{kept} kept, {broken} broken");
}

#[test]
fn states_of_two_processes_say_together_what_one_process_would() {
    let mut random = Random(13);
    let mut compared = 0;
    for _ in 0..1000 {
        let all = calls(&mut random);
        let (first, second) = all.split_at(random.below(all.len() as u64 + 1) as usize);
        let mut merged = state(first);
        merged.merge(&state(second));
        let whole = state(&all);
        for invariant in whole.invariants().into_iter().chain(merged.invariants()) {
            assert!(invariant.holds_in(&merged), "{invariant:?}");
            assert!(invariant.holds_in(&whole), "{invariant:?}");
        }
        // The change from the last call of one to the first of the other may go uncounted, so the
        // whole may justify a little more.
        let other = state(&calls(&mut random));
        for invariant in other.invariants() {
            assert_eq!(
                invariant.holds_in(&merged),
                invariant.holds_in(&whole),
                "{invariant:?}"
            );
            compared += 1;
        }
    }
    assert!(compared > 500);
}

#[test]
fn two_or_three_calls_justify_nothing() {
    let mut random = Random(17);
    for _ in 0..500 {
        let mut calls = calls(&mut random);
        calls.truncate(3);
        assert_eq!(state(&calls).invariants(), []);
    }
}

#[test]
fn numbers_drawn_at_random_hardly_ever_look_lawful() {
    let mut random = Random(19);
    let mut found = 0;
    for _ in 0..300 {
        let mut state = PointState::EMPTY;
        for _ in 0..30 {
            let mut values = [None; ENTRY_VARIABLES];
            for (index, value) in values.iter_mut().take(2).enumerate() {
                *value = Some(ObservedValue::Number(random.next() as i64 >> 20));
                state.enter(index, value.unwrap(), None);
            }
            state.relate_entry(&values);
        }
        found += state.invariants().len();
    }
    assert!(found <= 9, "{found} of at most 300 × 0.03");
}

fn numbers(values: impl IntoIterator<Item = i64>) -> PointState {
    let mut state = PointState::EMPTY;
    for value in values {
        state.enter(0, ObservedValue::Number(value), None);
    }
    state
}

/// The invariants of one variable, as text.
fn texts(state: &PointState) -> Vec<String> {
    let name = |variable: Variable| match variable.when {
        EntryOrExit::Entry => format!("v{}", variable.index),
        EntryOrExit::Exit => format!("r{}", variable.index),
    };
    let kind = |invariant: &Invariant| state.slot(invariant.variable()).unwrap().kind().unwrap();
    let invariants = state.invariants();
    let text = |invariant: &Invariant| invariant.describe_as(&name, kind(invariant));
    invariants.iter().map(text).collect()
}

#[test]
fn each_kind_of_one_variable_is_found() {
    let many = |value: fn(i64) -> i64| numbers((0..200).map(move |i| value(i * 7919 % 101)));
    assert_eq!(texts(&numbers([4; 5])), ["v0 = 4"]);
    let few = (0..20).map(|i| [3, 5, 9][i % 3]);
    assert_eq!(texts(&numbers(few)), ["v0 is one of 3, 5, 9"]);
    assert_eq!(texts(&numbers((0..8).map(|i| i * (i + 1) / 2))), ["v0 ≥ 0"]);
    let deep = numbers((0..8).map(|i| -i * i));
    assert_eq!(texts(&deep), ["v0 ≤ 0"]);
    let small = numbers((0..200).map(|i| i * 7919 % 101 % 13 + 10));
    assert_eq!(texts(&small), ["10 ≤ v0 ≤ 22"]);
    assert!(texts(&many(|i| i * 6 + 2)).contains(&"v0 mod 6 = 2".to_owned()));
    let masked = texts(&many(|i| (i & !8) + 1024));
    assert!(masked.iter().any(|text| text.contains('&')), "{masked:?}");
    let straddling = numbers((0..200).map(|i| [-3, -2, -1, 1, 2, 3, 4][i * 5 % 7]));
    assert!(texts(&straddling).contains(&"v0 ≠ 0".to_owned()));
}

#[test]
fn floats_lengths_tags_and_order_are_found() {
    let mut state = PointState::EMPTY;
    for i in 0..40u8 {
        state.enter(0, ObservedValue::Float(f64::from(i) / 3.0), None);
        state.enter(
            1,
            ObservedValue::Length(1 + u64::from(i) * u64::from(i)),
            None,
        );
        state.order(EntryOrExit::Entry, 1, true);
        state.enter(
            2,
            ObservedValue::Tag(i64::from(i % 2)),
            Some(ObservedValue::Number(5)),
        );
    }
    assert_eq!(
        texts(&state),
        [
            "v0 is finite",
            "v0 ≥ 0.0",
            "v1 is sorted",
            "v1 > 0",
            "v2 is variant 0 or variant 1",
            "v2 = 5"
        ]
    );
}

#[test]
fn relations_are_found() {
    let check = |pairs: &dyn Fn(i64) -> (i64, i64), expected: &str| {
        let mut state = PointState::EMPTY;
        for i in 0..200 {
            let (x, y) = pairs(i * 7919 % 101);
            let mut values = [None; ENTRY_VARIABLES];
            values[0] = Some(ObservedValue::Number(x));
            state.enter(0, ObservedValue::Number(x), None);
            state.leave(0, ObservedValue::Number(y), None, &values, None);
        }
        let texts = texts(&state);
        assert!(texts.iter().any(|text| text == expected), "{texts:?}");
    };
    check(&|i| (i, i), "v0 = r0");
    check(&|i| (i, i * i + 1), "v0 < r0");
    check(&|i| (i, i * i), "v0 ≤ r0");
    check(&|i| (i * i + 1, i), "v0 > r0");
    check(&|i| (i * i, i), "v0 ≥ r0");
    check(&|i| (i, 100 - 3 * i), "r0 = -3·v0 + 100");
    check(&|i| (2 * i, (i * i - 60) * 2 + 1), "v0 ≠ r0");
}

#[test]
fn a_field_is_seen_to_stay_or_to_grow() {
    let check = |after: &dyn Fn(i64) -> i64, expected: &str| {
        let mut state = PointState::EMPTY;
        for i in 0..20 {
            let mut values = [None; ENTRY_VARIABLES];
            values[3] = Some(ObservedValue::Number(i));
            state.enter(3, ObservedValue::Number(i), None);
            state.leave(2, ObservedValue::Number(after(i)), None, &values, Some(3));
        }
        assert!(texts(&state).contains(&expected.to_owned()));
    };
    check(&|i| i, "r2 is unchanged");
    check(&|i| i + 1, "r2 grows");
    check(&|i| i + i % 2, "r2 never shrinks");
}

#[test]
fn what_a_second_clean_run_breaks_is_dropped() {
    let mut learned = Learned::default();
    learned.learn(7, &numbers([4; 9]));
    learned.learn(8, &numbers((0..8).map(|i| i * (i + 1) / 2)));
    assert_eq!(learned.len(), 2);
    assert_eq!(learned.drop_broken(7, &numbers([4, 5])), 1);
    assert_eq!(learned.drop_broken(8, &numbers([7])), 0);
    assert_eq!((learned.of(7).len(), learned.of(8).len()), (0, 1));
    assert_eq!(learned.violations(7, &numbers([99])), []);
    let broken = learned.violations(8, &numbers([-1, 3]));
    assert_eq!(broken.len(), 1);
    assert_eq!(broken[0].seen, Some(ObservedValue::Number(-1)));
}

#[test]
fn the_value_that_breaks_an_invariant_is_named() {
    let check = |clean: PointState, run: &[i64], expected: i64| {
        let mut learned = Learned::default();
        learned.learn(1, &clean);
        let broken = learned.violations(1, &numbers(run.iter().copied()));
        assert_eq!(broken[0].seen, Some(ObservedValue::Number(expected)));
    };
    check(numbers([4; 5]), &[4, 7], 7);
    check(numbers((0..9).map(|i| -i * i)), &[-3, 12, 2], 12);
    let small = || numbers((0..200).map(|i| i * 7919 % 101 % 13 + 10));
    check(small(), &[12, 9], 9);
    check(small(), &[12, 23], 23);
}
