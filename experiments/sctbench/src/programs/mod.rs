//! Programs with one mistake each: under some schedules an assertion fails, or threads wait for each other for ever. The
//! names are those of SCTBench (Thomson, Donaldson and Betts, PPoPP 2014) and the patterns of JaConTeBe (Lin et al., ASE
//! 2015) that they follow.

mod data;
mod deadlocks;
mod order;
mod patterns;
mod structures;

/// A program by name.
pub struct Program {
    pub name: &'static str,
    pub run: fn(),
}

/// All programs.
pub fn all() -> Vec<Program> {
    let mut all = Vec::new();
    let mut add = |programs: &[(&'static str, fn())]| {
        all.extend(programs.iter().map(|&(name, run)| Program { name, run }));
    };
    add(data::PROGRAMS);
    add(deadlocks::PROGRAMS);
    add(order::PROGRAMS);
    add(structures::PROGRAMS);
    add(patterns::PROGRAMS);
    all
}
