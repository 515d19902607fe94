//! The table: for each program and strategy the number of seeds that found the mistake and the median number of
//! schedules it took.

use crate::programs;

/// Schedules after which a search is given up.
pub const MOST: u64 = 10_000;

/// One column: a name, and how many schedules it takes to find the mistake with a seed, if it does.
pub struct Column {
    pub name: &'static str,
    /// Another seed may give another number.
    pub is_seeded: bool,
    pub find: fn(program: fn(), seed: u64) -> Option<u64>,
}

/// Prints the table. Arguments: `--seeds N`, `--columns A,B`, then names of programs; all without them.
pub fn print(all: &[Column]) {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut value_of = |option: &str| {
        let at = arguments.iter().position(|argument| argument == option)?;
        arguments.remove(at);
        Some(arguments.remove(at))
    };
    let seeds: u64 = value_of("--seeds").map_or(20, |text| text.parse().expect("--seeds N"));
    let chosen = value_of("--columns");
    let is_chosen = |name: &str| {
        let mut names = chosen.iter().flat_map(|chosen| chosen.split(','));
        chosen.is_none() || names.any(|chosen| chosen == name)
    };
    let columns: Vec<&Column> = all.iter().filter(|column| is_chosen(column.name)).collect();
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    println!("| program | {} |", names.join(" | "));
    println!("|---|{}", "---|".repeat(names.len()));
    let mut found = vec![0; columns.len()];
    let mut count = 0;
    for program in programs::all() {
        if !arguments.is_empty() && !arguments.iter().any(|name| program.name.contains(name)) {
            continue;
        }
        count += 1;
        let mut cells = Vec::new();
        for (column, found) in columns.iter().zip(&mut found) {
            let seeds = if column.is_seeded { seeds } else { 1 };
            let mut taken: Vec<Option<u64>> = (0..seeds)
                .map(|seed| (column.find)(program.run, seed))
                .collect();
            taken.sort_by_key(|taken| taken.unwrap_or(u64::MAX));
            let hits = taken.iter().flatten().count();
            let median = taken[taken.len() / 2];
            *found += usize::from(median.is_some());
            cells.push(match median {
                Some(median) if hits as u64 == seeds => median.to_string(),
                Some(median) => format!("{median} ({hits}/{seeds})"),
                None => format!("– ({hits}/{seeds})"),
            });
        }
        println!("| {} | {} |", program.name, cells.join(" | "));
    }
    let found: Vec<String> = found.iter().map(|found| format!("{found}/{count}")).collect();
    println!("| **found** | {} |", found.join(" | "));
}
