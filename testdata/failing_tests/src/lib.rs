//! Two functions, one of which only an unsteady test looks at.

pub fn sum(a: u32, b: u32) -> u32 {
    a + b
}

pub fn product(a: u32, b: u32) -> u32 {
    a * b
}

#[cfg(test)]
mod tests {
    use std::{env, fs, path::Path};

    #[test]
    fn sums() {
        println!("about to sum");
        assert_eq!(super::sum(2, 3), if env::var("FAIL").is_ok() { 6 } else { 5 });
    }

    #[test]
    fn wavers() {
        assert_eq!(super::product(2, 3), 6);
        if env::var("WAVER").is_ok() {
            let mark = Path::new(&env::var("SCRATCH").unwrap()).join("mark");
            let marked = mark.exists();
            fs::write(mark, "").unwrap();
            assert!(marked, "the first time it fails");
        }
    }
}
