//! The harness as the driver sees it: this program starts itself with a request, and looks at what it responds.
//!
//! Started by the driver's half, it serves the tests in [`subjects`]; started by cargo, it runs the checks, each a test that
//! sends requests.

mod crashes;
mod driver;
mod exploring;
mod mutants;
mod requests;
mod subjects;

use atropos_explore_harness::{
    ShouldPanic, StaticTestFn, StaticTestName, TestDesc, TestDescAndFn, TestType, test_main_static,
};

/// A test that libtest would make of a function.
const fn test(name: &'static str, function: fn() -> Result<(), String>) -> TestDescAndFn {
    TestDescAndFn {
        desc: TestDesc {
            name: StaticTestName(name),
            ignore: false,
            ignore_message: None,
            source_file: file!(),
            start_line: 1,
            start_col: 1,
            end_line: 1,
            end_col: 1,
            should_panic: ShouldPanic::No,
            compile_fail: false,
            no_run: false,
            test_type: TestType::IntegrationTest,
        },
        testfn: StaticTestFn(function),
    }
}

/// Lists functions as tests of their names.
macro_rules! tests {
    ($($module:ident::$name:ident),* $(,)?) => {
        &[$(&test(concat!(stringify!($module), "::", stringify!($name)), || {
            $module::$name();
            Ok(())
        })),*]
    };
}

const SUBJECTS: &[&TestDescAndFn] = tests![
    subjects::passes_under_every_schedule,
    subjects::depends_on_the_order_of_a_map,
    subjects::loses_an_update,
    subjects::has_many_schedules,
    subjects::aborts_under_its_mutant,
    subjects::aborts_rarely,
    subjects::exits_rarely,
    subjects::panics_while_it_panics,
    subjects::goes_past_the_library,
];

const CHECKS: &[&TestDescAndFn] = tests![
    requests::tests_are_listed_in_their_order,
    requests::a_request_that_makes_no_sense_is_answered_with_an_error,
    requests::a_test_that_does_not_exist_is_an_error,
    requests::an_unknown_strategy_is_an_error_that_names_the_known_ones,
    exploring::a_small_test_is_explored_under_all_schedules,
    exploring::a_failing_schedule_is_found_and_replayed,
    exploring::random_data_varies_unless_it_is_fixed_and_what_was_covered_says_so,
    exploring::a_budget_of_time_that_ended_the_exploration_is_named,
    exploring::a_saved_schedule_is_run_alone_and_those_like_it_where_it_cant_be_followed,
    exploring::a_test_whose_executions_are_too_long_to_search_gets_random_schedules,
    exploring::the_number_of_processes_does_not_change_the_result,
    crashes::a_crash_has_its_schedule_its_trace_and_its_last_words,
    crashes::a_crash_is_found_in_the_same_schedule_by_any_number_of_processes,
    mutants::a_mutant_is_killed_by_a_schedule,
    mutants::a_mutant_that_takes_its_worker_down_is_killed_and_its_schedule_known,
    mutants::a_mutant_that_no_test_reaches_is_unreached,
    mutants::a_mutant_can_write_nowhere_where_there_is_a_list,
];

fn main() {
    let is_served = std::env::var_os(atropos_protocol::exploration::ENV_ORDER).is_some();
    test_main_static(if is_served { SUBJECTS } else { CHECKS });
}
