//! The program half: only a test that runs it can kill its mutants.

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match tool::parse(&words) {
        Ok(area) => println!("{}", decorated(area)),
        Err(problem) => {
            eprintln!("{problem}");
            std::process::exit(code(&problem));
        }
    }
}

fn decorated(area: u32) -> u32 {
    area * 10 + 1
}

fn code(problem: &str) -> i32 {
    if problem.ends_with("numbers") { 3 } else { 4 }
}

fn backwards(n: u32) -> u32 {
    100 - n
}

#[cfg(test)]
mod tests {
    #[test]
    fn programs_have_unit_tests_too() {
        assert_eq!(super::backwards(58), 42);
    }
}
