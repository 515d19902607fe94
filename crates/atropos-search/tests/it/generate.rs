//! Random small programs of the little language, small enough to enumerate.

use atropos_search::XorShift;
use atropos_values::MutantId;

use crate::lang::{Instr, Program, Value};

/// What a random program may contain.
#[derive(Clone, Copy, Debug)]
pub struct Taste {
    pub threads: u64,
    pub instrs: u64,
    pub mutants: bool,
}

fn value(random: &mut XorShift) -> Value {
    match random.below(3) {
        0 => Value::Plus(random.below(2) as usize, random.below(3) as i32),
        _ => Value::Const(random.below(3) as i32 + 1),
    }
}

/// Which instructions a program is made of: few sorts in one program make threads meet more often.
const THEMES: [&[u64]; 11] = [
    &[30, 30, 30, 31, 31, 32],
    &[30, 30, 31, 31, 33, 34, 10],
    &[27, 28, 29, 8, 10, 13, 15],
    &[10, 11, 13, 14, 15, 16, 25],
    &[0, 1, 2, 3, 10, 13],
    &[4, 5, 6, 7, 8, 9, 8],
    &[17, 18, 19, 17, 10],
    &[12, 13, 14, 15, 21, 26],
    &[20, 20, 10, 13, 0],
    &[22, 23, 13, 15, 10, 2, 16],
    &[
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
        25, 26,
    ],
];

fn instrs(
    random: &mut XorShift,
    theme: &[u64],
    thread: usize,
    spawnable: Option<usize>,
) -> Vec<Instr> {
    let object = |random: &mut XorShift| usize::from(random.one_in(4));
    let register = |random: &mut XorShift| random.below(2) as usize;
    match theme[random.below(theme.len() as u64) as usize] {
        0 | 1 => {
            let l = object(random);
            let inner = simple(random);
            vec![Instr::Lock(l), inner, Instr::Unlock(l)]
        }
        2 => {
            let l = object(random);
            vec![
                Instr::TryLock(l),
                Instr::SkipUnless(1, 1, 2),
                simple(random),
                Instr::Unlock(l),
            ]
        }
        3 => {
            let l = object(random);
            vec![Instr::ReadLock(l), simple(random), Instr::ReadUnlock(l)]
        }
        4 => vec![Instr::Lock(0), Instr::Wait(0, 0), Instr::Unlock(0)],
        5 => vec![Instr::Lock(0), Instr::WaitOrWake(0, 0), Instr::Unlock(0)],
        6 => {
            let a = object(random);
            vec![
                Instr::Lock(0),
                Instr::Load(0, a),
                Instr::SkipUnless(0, 0, 1),
                Instr::Wait(0, 0),
                Instr::Unlock(0),
            ]
        }
        7 => vec![Instr::NotifyOne(0)],
        8 => vec![
            Instr::Lock(0),
            Instr::Store(object(random), value(random)),
            Instr::NotifyAll(0),
            Instr::Unlock(0),
        ],
        9 => vec![Instr::NotifyAll(0)],
        10 | 11 => vec![Instr::Load(register(random), object(random))],
        12 => vec![Instr::LoadOld(register(random), object(random))],
        13 | 14 => vec![Instr::Store(object(random), value(random))],
        15 => vec![Instr::Add(object(random), value(random))],
        16 => vec![Instr::Cas(object(random), Value::Const(0), value(random))],
        17 => vec![Instr::Send(object(random), value(random))],
        18 => vec![Instr::Recv(object(random), register(random))],
        19 => vec![Instr::TryRecv(object(random), register(random))],
        20 => vec![Instr::Barrier(0)],
        21 => vec![Instr::Flip(register(random), 2)],
        22 => match spawnable {
            Some(t) => vec![Instr::Spawn(t)],
            None => vec![Instr::Yield],
        },
        23 => match spawnable {
            Some(t) => vec![Instr::Spawn(t), Instr::Join(t)],
            None => vec![Instr::Set(0, value(random))],
        },
        30 | 31 if thread == 0 => vec![Instr::Take(register(random))],
        32 | 33 if thread == 0 => vec![Instr::TryTake(register(random))],
        34 if thread == 0 => vec![Instr::Close],
        30 | 32 => vec![Instr::Post(value(random))],
        31 => vec![Instr::Post(Value::Const(thread as i32))],
        33 | 34 => vec![Instr::Leave],
        27 | 28 => vec![Instr::Sleep(1 + random.below(2) as u32)],
        29 => vec![Instr::Lock(0), Instr::WaitAtMost(0, 0, 2), Instr::Unlock(0)],
        24 => vec![Instr::Refute(register(random), random.below(4) as i32)],
        25 => vec![
            Instr::Load(0, object(random)),
            Instr::Refute(0, random.below(4) as i32),
        ],
        _ => {
            let r = register(random);
            vec![
                Instr::SkipUnless(r, random.below(2) as i32, 1),
                simple(random),
            ]
        }
    }
}

fn simple(random: &mut XorShift) -> Instr {
    let a = usize::from(random.one_in(4));
    match random.below(4) {
        0 => Instr::Load(0, a),
        1 => Instr::Add(a, value(random)),
        2 => Instr::Store(a, value(random)),
        _ => Instr::Set(0, value(random)),
    }
}

fn mutated(random: &mut XorShift, instr: &Instr) -> Instr {
    let lone = match instr {
        Instr::NotifyAll(c) => Instr::NotifyOne(*c),
        Instr::NotifyOne(c) => Instr::NotifyAll(*c),
        Instr::Store(a, _) => Instr::Store(1 - *a, Value::Const(random.below(3) as i32)),
        Instr::Load(r, a) => Instr::Load(*r, 1 - *a),
        Instr::Lock(l) => Instr::Lock(1 - *l),
        Instr::Send(c, _) => Instr::Send(*c, Value::Const(0)),
        Instr::Refute(r, c) => Instr::Refute(*r, *c + 1),
        _ => simple(random),
    };
    if random.one_in(3) {
        Instr::Nothing
    } else {
        lone
    }
}

/// A random program; one seed, one program.
pub fn program(seed: u64, taste: Taste) -> Program {
    let mut random = XorShift::new(seed);
    let count = 2 + random.below(taste.threads - 1) as usize;
    let theme = THEMES[random.below(THEMES.len() as u64) as usize];
    let spawned = random.one_in(3);
    let initial = if spawned { count - 1 } else { count };
    let mut threads = Vec::new();
    for t in 0..count {
        let spawnable = (spawned && t < initial).then_some(count - 1);
        let wanted = 1 + random.below(taste.instrs) as usize;
        let mut code = Vec::new();
        while code.len() < wanted {
            code.extend(instrs(&mut random, theme, t, spawnable));
        }
        threads.push(code);
    }
    if taste.mutants {
        let mut id = 0;
        for code in &mut threads {
            for instr in code.iter_mut() {
                if random.one_in(3) {
                    id += 1;
                    let mutant = mutated(&mut random, instr);
                    *instr =
                        Instr::Mutated(MutantId(id), Box::new(instr.clone()), Box::new(mutant));
                }
            }
        }
    }
    Program {
        threads,
        initial,
        capacities: vec![1 + random.below(2) as usize, 2],
        barriers: vec![2],
        abort: random.one_in(4),
    }
}
