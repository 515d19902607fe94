//! Tests for systems in any language: the JSON format, adapters, and recorded runs.

use crate::generation::{EngineKind, GenerationOptions, Workers, generate};
use crate::results::{JsonSuite, JsonTest, TestCase};
use crate::testing::{Adapter, Monitor, MonitorEvent, MonitorStep, TestVerdict};
use crate::tests::support::{class, example, load};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(60);

fn quick() -> GenerationOptions {
    GenerationOptions {
        engine: EngineKind::Interpreter,
        workers: 1,
        ..GenerationOptions::default()
    }
}

fn suite(text: &str) -> JsonSuite {
    let model = load(text);
    let options = quick();
    let mut generated = generate(&model, &options, &mut |_| {}).expect("generated");
    let mut workers = Workers::new(&model, &options).expect("compiled");
    let mut suite = JsonSuite::new("model");
    for (at, path) in generated.paths.clone().iter().enumerate() {
        let graph = &mut generated.graph;
        let test = TestCase::build(graph, &mut workers, path, options.limits);
        suite
            .tests
            .push(JsonTest::new(&format!("test_{at:03}"), &test, &model));
    }
    suite
}

#[test]
fn a_suite_in_json_is_read_as_it_was_written() {
    let suite = suite(&example("car_alarm.ooas"));
    let text = serde_json::to_string(&suite).expect("written");
    assert_eq!(JsonSuite::parse(&text).expect("read"), suite);
    let other = text.replace("\"version\":1", "\"version\":99");
    let error = JsonSuite::parse(&other).expect_err("another version");
    assert!(error.to_string().contains("version 99"));
}

/// Answers by `sed`: an echo of what is given, with this name.
fn echo(name: &str) -> String {
    format!(
        "while read -r line; do case $line in *observe*) if [ -n \"$given\" ]; then given=; echo '{{\"output\": \"{name}\"}}'; \
         else echo '{{\"silence\": true}}'; fi;; *give*) given=1; echo '{{\"ok\": true}}';; *start*) given=; echo '{{\"ok\": true}}';; esac; done"
    )
}

const ECHO: &str = "var asked: bool
    actions ctr Ask = requires not asked: asked := true end; obs Answer = requires asked: asked := false end
    do Answer() // Ask() od";

#[test]
fn an_adapter_in_any_language_passes_or_fails_with_a_trace() {
    let suite = suite(&class("", ECHO));
    let test = &suite.tests[0];
    let mut right = Adapter::start(&echo("Answer"), LONG).expect("it starts");
    assert_eq!(
        right.run(test).expect("it answers").verdict,
        TestVerdict::Pass
    );
    assert_eq!(right.run(test).expect("again").verdict, TestVerdict::Pass);
    let mut wrong = Adapter::start(&echo("Other"), LONG).expect("it starts");
    let end = wrong.run(test).expect("it answers");
    let seen = "Other".to_string();
    let expected = vec!["Answer".to_string()];
    assert_eq!(end.verdict, TestVerdict::Fail { seen, expected });
    assert_eq!(end.trace.last().map(String::as_str), Some("gave Ask"));
}

#[test]
fn an_adapter_that_ends_or_talks_nonsense_is_told() {
    let suite = suite(&class("", ECHO));
    let error = |command: &str| {
        let mut adapter = Adapter::start(command, LONG).expect("it starts");
        let error = adapter
            .run(&suite.tests[0])
            .expect_err("it does not answer");
        format!("{error:#}")
    };
    assert!(error("read -r line").contains("ended without an answer"));
    assert!(error("read -r line; echo hello").contains("is no JSON: hello"));
    let refused = error("read -r line; echo '{\"error\": \"no power\"}'");
    assert!(refused.contains("no power"), "{refused}");
}

#[test]
fn a_recorded_run_is_followed_to_its_first_disagreement() {
    let model = load(&example("car_alarm.ooas"));
    let options = quick();
    let explorer = Workers::new(&model, &options)
        .expect("compiled")
        .into_first();
    let mut monitor = Monitor::new(explorer, options.limits);
    let mut follow = |line: &str| {
        let event = MonitorEvent::parse(line)
            .expect("it is read")
            .expect("an event");
        monitor.follow(&event)
    };
    for line in [
        "ctr Close",
        "{\"input\": \"Lock\"}",
        "obs after(20)",
        "saw ArmedOn",
        "obs delta",
    ] {
        assert_eq!(follow(line), MonitorStep::Allowed, "{line}");
    }
    assert_eq!(
        follow("gave Close"),
        MonitorStep::Unspecified(vec!["Unlock".into(), "Open".into()])
    );
    assert_eq!(
        follow("obs SoundOn"),
        MonitorStep::Wrong(vec!["silence".into()])
    );
    assert_eq!(MonitorEvent::parse("# a remark"), Ok(None));
    assert!(MonitorEvent::parse("what").is_err());
}
