//! Needs the feature `extra`.

#[test]
fn the_extra_program_runs() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_extra-tool")).output().unwrap();
    assert_eq!(output.stdout, b"5\n");
}
