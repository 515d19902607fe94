//! Every report of every run that the other tests know, in files, for validators that are no crates of ours: `cargo xtask
//! published` has them written and checks them against the schemas that their formats have published.

use std::fs;
use std::path::Path;

use atropos_report::gitlab::gitlab;
use atropos_report::html::html;
use atropos_report::junit::junit;
use atropos_report::outcomes::Outcomes;
use atropos_report::sarif::sarif;
use atropos_report::stryker::stryker;
use atropos_report::summary::Sources;

use crate::example::{ACCOUNT, scored};
use crate::odd;
use crate::page::large;

/// Where the files go.
const DIRECTORY: &str = "ATROPOS_TEST_WRITE_REPORTS";

fn write(directory: &Path, name: &str, outcomes: &Outcomes, sources: Sources) {
    let write = |ending: &str, text: String| {
        fs::write(directory.join(format!("{name}.{ending}")), text).expect("a file");
    };
    write("sarif", sarif(outcomes, sources, "rust/"));
    write("stryker.json", stryker(outcomes, sources));
    write("gitlab.json", gitlab(outcomes, "rust/"));
    write("junit.xml", junit(outcomes, sources));
    write("html", html(outcomes, sources));
}

#[test]
fn reports_can_be_written_for_validators() {
    let place = tempfile::tempdir().expect("a directory");
    let asked = std::env::var_os(DIRECTORY);
    let directory = asked.as_deref().map_or(place.path(), Path::new);
    write(directory, "usual", &scored(), &|_| Some(ACCOUNT.to_owned()));
    let number = std::cell::Cell::new(0);
    odd::every(|outcomes, sources| {
        write(
            directory,
            &format!("odd-{}", number.get()),
            outcomes,
            sources,
        );
        number.set(number.get() + 1);
    });
    let files = fs::read_dir(directory).expect("a directory").count();
    assert_eq!(files, 5 * (number.get() + 1));
}

/// The page of a large run, for browsers: `cargo xtask published --chromium PROGRAM` measures it.
#[test]
fn a_large_page_can_be_written() {
    let (outcomes, text) = large();
    let page = html(&outcomes, &|_| Some(text.clone()));
    if let Some(directory) = std::env::var_os(DIRECTORY) {
        fs::write(Path::new(&directory).join("large.html"), &page).expect("a file");
    }
    assert!(page.ends_with("</html>\n"), "the page has no end");
}
