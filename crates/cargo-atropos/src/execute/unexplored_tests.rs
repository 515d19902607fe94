//! Tests with threads whose schedules are not explored, and what is said of them.

use atropos_protocol::{Effect, Effects};
use atropos_report::outcomes::TestRecord;

use super::test_case::RunnableTest;
use super::{Context, TestId};

/// The tests with threads that are to say something about a mutant.
pub fn threaded<'a>(
    context: &'a Context<'_>,
    tests: &'a [RunnableTest],
) -> impl Iterator<Item = usize> + 'a {
    let is_off = context.setting.options.exploration.is_off();
    (0..tests.len())
        .filter(move |&index| !is_off && tests[index].baseline.effects.contains(Effect::Threads))
        .filter(|&index| !context.standings.open_for(TestId(index)).is_empty())
}

/// Says that the schedules of some tests with threads are not explored, and why.
fn tell(context: &Context<'_>, records: &[TestRecord], told: &[usize], [its, their]: [&str; 2]) {
    let text = match *told {
        [] => return,
        [one] => format!(
            "note: the schedules of {} ({}) are not explored: {its}; it is run as it is",
            records[one].name, records[one].target
        ),
        _ => format!(
            "note: the schedules of {} tests are not explored: {their}; they are run as they are",
            told.len()
        ),
    };
    context.setting.progress.say(&text);
}

/// Says which tests have threads that are not the package's matter.
pub fn tell_of_libraries(context: &Context<'_>, tests: &[RunnableTest], records: &[TestRecord]) {
    let of_libraries = |index: &usize| !context.standings.has_schedules(TestId(*index));
    let told: Vec<usize> = threaded(context, tests).filter(of_libraries).collect();
    let why = [
        "its threads run no code of the package",
        "their threads run no code of the package",
    ];
    tell(context, records, &told, why);
}

/// Says which tests are known not to bear exploration because of what they do to files. (Those that use the network or start
/// processes don't expect to be explored.)
pub fn tell_of_files(context: &Context<'_>, tests: &[RunnableTest], records: &[TestRecord]) {
    let changes_files = |index: &usize| {
        let effects = tests[*index].baseline.effects;
        context.standings.has_schedules(TestId(*index))
            && effects.contains(Effect::LastingFiles)
            && !effects.intersects(Effects::WITH_OTHERS)
    };
    let told: Vec<usize> = threaded(context, tests).filter(changes_files).collect();
    let why = ["it changes files", "they change files"];
    tell(context, records, &told, why);
}
