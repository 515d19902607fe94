//! A page on tests that fail under some schedule: what was found, a picture of the threads, the steps as text, and how to run it
//! again. One file that needs nothing else.

use std::fmt::Write as _;

use atropos_protocol::thread_trace::ThreadTrace;

use super::picture::picture;
use crate::html::escape::{escaped, long_text};

/// A test that fails, and how.
#[derive(Clone, Copy, Debug)]
pub struct FailingTest<'a> {
    /// With its target: `transfers (test bank)`.
    pub name: &'a str,
    /// What was found, in a few words.
    pub title: &'a str,
    /// All of it.
    pub text: &'a str,
    /// Empty if the process died of it.
    pub schedule: &'a str,
    pub trace: &'a ThreadTrace,
    /// The command that runs it again; empty if none does.
    pub again: &'a str,
}

const STYLE: &str = include_str!("page.css");

const LEGEND: &str = "<p class=\"legend\">From top to bottom in the order in which it happened; one thread runs at a time. \
    <span class=\"key held lock0\"></span> a lock is held &nbsp; <span class=\"key hatched\"></span> the thread waits &nbsp; \
    <span class=\"key arrow\">→</span> what a step follows from: a lock that was given back, a message, a wake-up, a value \
    that was read &nbsp; <span class=\"key arrow late\">→</span> an old value was read. \
    Point at anything to read all of it.</p>\n";

/// The page.
pub fn page(tests: &[FailingTest<'_>]) -> String {
    let count = match tests.len() {
        1 => "1 test fails".to_owned(),
        count => format!("{count} tests fail"),
    };
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Schedules: {count}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{count} under some schedule</h1>\n"
    );
    if tests.len() > 1 {
        page.push_str("<ul class=\"tests\">\n");
        for (number, test) in tests.iter().enumerate() {
            put(
                &mut page,
                format_args!(
                    "<li><a href=\"#t{number}\">{}</a>: {}</li>\n",
                    escaped(test.name),
                    escaped(test.title)
                ),
            );
        }
        page.push_str("</ul>\n");
    }
    page.push_str(LEGEND);
    for (number, test) in tests.iter().enumerate() {
        article(&mut page, number, test);
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn article(page: &mut String, number: usize, test: &FailingTest<'_>) {
    put(
        page,
        format_args!(
            "<article id=\"t{number}\">\n<h2>{}</h2>\n<pre>{}</pre>\n",
            escaped(test.name),
            long_text(test.text.trim_end())
        ),
    );
    if !test.trace.notes.is_empty() {
        page.push_str("<ul class=\"notes\">\n");
        for note in &test.trace.notes {
            put(page, format_args!("<li>{}</li>\n", escaped(note)));
        }
        page.push_str("</ul>\n");
    }
    if !test.trace.steps.is_empty() {
        put(
            page,
            format_args!(
                "<div class=\"scroll\" tabindex=\"0\">\n{}</div>\n<details><summary>the same as text</summary><pre>{}</pre></details>\n",
                picture(test.trace, number),
                long_text(test.trace.to_string().trim_end())
            ),
        );
    }
    if !test.schedule.is_empty() {
        put(
            page,
            format_args!(
                "<p>schedule <code>{}</code></p>\n",
                long_text(test.schedule)
            ),
        );
    }
    if !test.again.is_empty() {
        put(
            page,
            format_args!(
                "<p>to run it again: <code>{}</code></p>\n",
                escaped(test.again)
            ),
        );
    }
    page.push_str("</article>\n");
}

fn put(page: &mut String, text: std::fmt::Arguments<'_>) {
    page.write_fmt(text).expect("a string takes everything");
}

#[cfg(test)]
mod tests {
    use super::super::tests::deadlock;
    use super::*;

    #[test]
    fn a_page_has_a_picture_for_each_test_and_loads_nothing() {
        let mut trace = deadlock();
        trace.notes.push("a <i>note</i>".to_owned());
        let test = FailingTest {
            name: "transfers<u8> (test bank)",
            title: "deadlock",
            text: "deadlock:\n  thread 0 <locks>",
            schedule: "s1:0*3,1",
            trace: &trace,
            again: "cargo atropos replay transfers",
        };
        let page = page(&[test, test]);
        assert_eq!(page.matches("<svg ").count(), 2);
        for told in [
            "2 tests fail",
            "transfers&lt;u8&gt;",
            "a &lt;i&gt;note",
            "s1:0*3,1",
            "cargo atropos replay",
        ] {
            assert!(page.contains(told), "{told} in {page}");
        }
        let links = page.replace("http://www.w3.org/2000/svg", "");
        for outside in ["http", "<script", "@import", "<i>", "<locks>"] {
            assert!(!links.contains(outside), "{outside}");
        }
        let names = page.matches("id=\"arrow0\"").count() + page.matches("id=\"arrow1\"").count();
        assert_eq!(names, 2);
    }
}
