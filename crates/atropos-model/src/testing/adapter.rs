//! Runs tests against any program. An adapter, in any language, stands between: it reads requests, one line of JSON each,
//! from its standard input, and answers each with one line on its standard output.
//!
//! | request | answer |
//! |---|---|
//! | `{"start": "test_000", "version": 1}`: make the system as it is at first | `{"ok": true}` |
//! | `{"give": {"label": …, "name": …, "object": …, "arguments": […]}}` | `{"ok": true}` |
//! | `{"observe": true}`: wait for the next output | `{"output": "Name(argument, …)"}`, or `{"silence": true}` if none comes |
//! | `{"end": "pass"}` | none is waited for |
//!
//! `{"error": "…"}` ends a test at any time. Other lines that begin with `#` are shown to nobody.

use crate::results::{JsonLabel, JsonNode, JsonTest, VERSION};
use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestVerdict {
    Pass,
    /// What came, and what the model allows there.
    Fail {
        seen: String,
        expected: Vec<String>,
    },
    /// The system took another way than the test, which the model allows.
    Inconclusive,
}

/// A test's end, with what was given and seen before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestEnd {
    pub verdict: TestVerdict,
    pub trace: Vec<String>,
}

/// A running adapter.
pub struct Adapter {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<std::io::Result<String>>,
    limit: Duration,
}

impl Adapter {
    /// Starts an adapter by a command line.
    ///
    /// # Errors
    /// If it can't be started.
    pub fn start(command: &str, limit: Duration) -> anyhow::Result<Adapter> {
        let mut child = Command::new("sh")
            .args(["-c", command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("can't start the adapter `{command}`"))?;
        let requests = child.stdin.take().context("it has no standard input")?;
        let stdout = child.stdout.take().context("it has no standard output")?;
        let (send, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Adapter {
            child,
            requests,
            answers,
            limit,
        })
    }

    fn request(&mut self, request: &Value) -> anyhow::Result<()> {
        writeln!(self.requests, "{request}")
            .and_then(|()| self.requests.flush())
            .context("the adapter does not read any more")
    }

    fn answer(&mut self, to: &Value) -> anyhow::Result<Value> {
        loop {
            let line = match self.answers.recv_timeout(self.limit) {
                Ok(line) => line.context("can't read the adapter's answer")?,
                Err(RecvTimeoutError::Timeout) => bail!(
                    "the adapter did not answer {to} within {} s (--timeout allows more)",
                    self.limit.as_secs_f64()
                ),
                Err(RecvTimeoutError::Disconnected) => {
                    bail!("the adapter ended without an answer to {to}")
                }
            };
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let answer: Value = serde_json::from_str(&line)
                .with_context(|| format!("the adapter's answer to {to} is no JSON: {line}"))?;
            if let Some(error) = answer.get("error") {
                bail!("the adapter answers {to} with an error: {error}");
            }
            return Ok(answer);
        }
    }

    fn ask(&mut self, request: &Value) -> anyhow::Result<Value> {
        self.request(request)?;
        self.answer(request)
    }

    fn give(&mut self, input: &JsonLabel) -> anyhow::Result<()> {
        self.ask(&json!({ "give": input })).map(drop)
    }

    /// The next output, or none.
    fn observe(&mut self) -> anyhow::Result<Option<String>> {
        let request = json!({"observe": true});
        let answer = self.ask(&request)?;
        match (answer.get("output"), answer.get("silence")) {
            (Some(Value::String(output)), _) => Ok(Some(output.clone())),
            (_, Some(Value::Bool(true))) => Ok(None),
            _ => {
                bail!("the adapter answers {request} with {answer}, not with an output or silence")
            }
        }
    }

    /// Runs one test.
    ///
    /// # Errors
    /// If the adapter does not do its part.
    pub fn run(&mut self, test: &JsonTest) -> anyhow::Result<TestEnd> {
        self.ask(&json!({"start": test.name, "version": VERSION}))?;
        let mut trace = Vec::new();
        let mut node = 0;
        let verdict = loop {
            match &test.nodes[&node] {
                JsonNode::Give { input, to } => {
                    self.give(input)?;
                    trace.push(format!("gave {}", input.label));
                    node = *to;
                }
                JsonNode::Verdict(verdict) if verdict == "pass" => break TestVerdict::Pass,
                JsonNode::Verdict(_) => break TestVerdict::Inconclusive,
                JsonNode::Observe(branches) => {
                    let seen = self.observe()?;
                    let text = |output: &Option<String>| {
                        output.clone().unwrap_or_else(|| "silence".to_string())
                    };
                    match branches.iter().find(|branch| branch.output == seen) {
                        Some(branch) => {
                            trace.push(format!("saw {}", text(&seen)));
                            node = branch.to;
                        }
                        None => {
                            let expected = branches.iter().map(|branch| text(&branch.output));
                            break TestVerdict::Fail {
                                seen: text(&seen),
                                expected: expected.collect(),
                            };
                        }
                    }
                }
            }
        };
        let end = match &verdict {
            TestVerdict::Pass => "pass",
            TestVerdict::Fail { .. } => "fail",
            TestVerdict::Inconclusive => "inconclusive",
        };
        // One that ends with the last test is not missed.
        let _ = self.request(&json!({ "end": end }));
        Ok(TestEnd { verdict, trace })
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
