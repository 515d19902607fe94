//! The options of a run as `outcomes.json` records them: those that differ from the default, under
//! their long names, wherever they came from.

use std::collections::BTreeMap;
use std::path::Path;

use globset::Glob;
use regex::Regex;
use serde::Serialize;
use serde_json::Value;

use crate::arguments::Options;

impl Options {
    pub fn to_json(&self) -> BTreeMap<String, Value> {
        let Options {
            tree,
            select,
            build,
            execute,
            exploration,
            output,
            reports,
        } = self;
        let mut record = Record::default();
        record.one("dir", tree.dir.as_deref().map(path));
        record.list("package", &tree.package);
        record.flag("workspace", tree.workspace);
        record.list("exclude", &tree.exclude);
        record.one("config", tree.config.as_deref().map(path));
        record.flag("no-config", tree.no_config);
        record.list("file", &texts(&select.file, Glob::glob));
        record.list("exclude-file", &texts(&select.exclude_file, Glob::glob));
        record.list("re", &texts(&select.re, Regex::as_str));
        record.list("exclude-re", &texts(&select.exclude_re, Regex::as_str));
        record.one("in-diff", select.in_diff.as_deref().map(path));
        record.one("since", select.since.as_ref());
        let shard = select.shard;
        record.one(
            "shard",
            shard.map(|shard| format!("{}/{}", shard.index, shard.count)),
        );
        record.flag("iterate", select.iterate);
        record.one("order", select.order);
        record.list("operators", &select.operators);
        record.list("features", &build.features);
        record.flag("all-features", build.all_features);
        record.flag("no-default-features", build.no_default_features);
        record.one("profile", build.profile.as_ref());
        record.list("cargo-arg", &build.cargo_arg);
        record.one("jobs", execute.jobs);
        record.one("timeout-multiplier", execute.timeout_multiplier);
        record.flag("no-doc", execute.no_doc);
        record.flag("kill-matrix", execute.kill_matrix);
        record.one("way", execute.way);
        record.flag("impact", execute.impact);
        record.flag("no-impact", execute.no_impact);
        record.flag("impact-matrix", execute.impact_matrix);
        record.list("test-args", &execute.test_args);
        record.one("explore", exploration.explore.as_ref());
        let schedule = &exploration.schedule;
        record.one("budget", schedule.budget.map(|budget| budget.to_string()));
        record.one("technique", schedule.technique.as_ref());
        record.one("time", schedule.circumstances.time);
        record.one("memory", schedule.circumstances.memory);
        record.flag("spurious", schedule.circumstances.spurious);
        record.one("seed", schedule.seed);
        record.one("top", output.top);
        record.one("output", output.output.as_deref().map(path));
        let reports_asked_for = &reports.report;
        record.one(
            "report",
            (!reports_asked_for.is_empty()).then_some(reports_asked_for),
        );
        record.one("annotations", reports.annotations);
        record.0
    }
}

fn path(path: &Path) -> String {
    path.display().to_string()
}

fn texts<T>(items: &[T], text: impl Fn(&T) -> &str) -> Vec<String> {
    items.iter().map(|item| text(item).to_owned()).collect()
}

#[derive(Default)]
struct Record(BTreeMap<String, Value>);

impl Record {
    fn one(&mut self, name: &str, value: Option<impl Serialize>) {
        if let Some(value) = value {
            let value = serde_json::to_value(value).expect("numbers and texts are JSON");
            self.0.insert(name.to_owned(), value);
        }
    }

    fn list(&mut self, name: &str, items: &[String]) {
        self.one(name, (!items.is_empty()).then_some(items));
    }

    fn flag(&mut self, name: &str, is_set: bool) {
        self.one(name, is_set.then_some(true));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parse;

    #[test]
    fn only_what_differs_from_the_default_is_recorded() {
        let line =
            "cargo-atropos -p a -f src/*.rs -F x --shard 1/2 --operators=-SDL -j 3 --no-doc -- -q";
        let arguments = parse(line.split(' ').map(Into::into)).unwrap();
        let expected = serde_json::json!({
            "package": ["a"],
            "file": ["src/*.rs"],
            "re": ["x"],
            "shard": "1/2",
            "operators": ["-SDL"],
            "jobs": 3,
            "no-doc": true,
            "test-args": ["-q"],
        });
        let recorded = serde_json::to_value(arguments.options.to_json()).unwrap();
        assert_eq!(recorded, expected);
        assert!(Options::default().to_json().is_empty());
    }
}
