//! What a run leaves on disk: tests as .aut and .dot, report.json, one HTML page, plots.

mod aut;
mod chart;
mod dot;
mod json_tests;
mod page;
mod plot;
mod report;
pub mod rust_tests;
mod test_case;
mod write;

pub use aut::aut;
pub use json_tests::{JsonLabel, JsonNode, JsonSuite, JsonTest, VERSION};
pub use report::{GenerationReport, test_file};
pub use test_case::{Edge, TestCase};
pub use write::{check_suite, confirm, draw_tests, prepare, put, write_report, write_test};
