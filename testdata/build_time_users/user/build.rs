//! Writes a type with an answer.

fn main() {
    let text = format!("pub struct Built; {}", core_of_both::answer_of("Built", 5));
    let directory = std::env::var("OUT_DIR").unwrap();
    std::fs::write(format!("{directory}/built.rs"), text).unwrap();
    println!("cargo::rerun-if-changed=build.rs");
}
