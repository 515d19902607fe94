//! Compiles unmodified programs against the facades and runs them. This binary is its own compiler wrapper: started by
//! cargo with a path of rustc as first argument, it passes the facades on to it.

mod api;
mod build;
mod graph;
mod small;
mod toolchains;

use std::panic::catch_unwind;
use std::process::exit;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(facade) = std::env::var_os(build::FACADE) {
        exit(build::wrap(&arguments[1..], facade.as_ref()));
    }
    let tests: [(&str, fn()); 7] = [
        (
            "programs_of_every_edition_run_under_control",
            small::programs_of_every_edition_run_under_control,
        ),
        (
            "a_program_outside_an_exploration_does_what_it_does_with_std",
            small::a_program_outside_an_exploration_does_what_it_does_with_std,
        ),
        (
            "crates_without_std_share_atomics_with_those_with_std",
            small::crates_without_std_share_atomics_with_those_with_std,
        ),
        (
            "types_have_the_traits_of_std_s",
            api::types_have_the_traits_of_std_s,
        ),
        (
            "every_public_item_of_std_is_there",
            api::every_public_item_of_std_is_there,
        ),
        (
            "each_installed_toolchain_has_the_same_items_and_traits",
            toolchains::each_installed_toolchain_has_the_same_items_and_traits,
        ),
        (
            "dependencies_are_explored_unmodified",
            graph::dependencies_are_explored_unmodified,
        ),
    ];
    let filter = arguments
        .iter()
        .skip(1)
        .find(|argument| !argument.starts_with('-'));
    let mut failed = 0;
    for (name, test) in tests
        .into_iter()
        .filter(|(name, _)| filter.is_none_or(|filter| name.contains(filter.as_str())))
    {
        let passed = catch_unwind(test).is_ok();
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        failed += i32::from(!passed);
    }
    exit(if failed > 0 { 101 } else { 0 });
}
