//! A test as its file says it, in the Aldebaran format: a node gives one input, or observes, or is a verdict.

use std::collections::BTreeMap;

/// What a test does at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeAction {
    /// Gives the input and goes on, without looking for outputs.
    Stimulate {
        input: String,
        to: usize,
    },
    /// Waits for the next output, or until none comes (`obs delta`); what has no branch is a failure.
    Observe(BTreeMap<String, usize>),
    Pass,
    Inconclusive,
}

/// Node 0 is the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenTest {
    pub nodes: BTreeMap<usize, NodeAction>,
}

impl WrittenTest {
    /// Reads a test.
    ///
    /// # Errors
    /// The line that is not as it should be, and why.
    pub fn parse(text: &str) -> Result<WrittenTest, String> {
        let mut lines = text.lines().enumerate();
        let head = lines.next().map_or("", |(_, head)| head);
        let numbers = head
            .strip_prefix("des (")
            .and_then(|rest| rest.strip_suffix(')'))
            .map(|rest| rest.split(',').map(|n| n.trim().parse::<usize>()).collect());
        let Some(Ok(numbers)) = numbers else {
            return Err("line 1: expected `des (0, transitions, states)`".into());
        };
        let numbers: Vec<usize> = numbers;
        let mut edges: BTreeMap<usize, Vec<(usize, &str, usize)>> = BTreeMap::new();
        let mut count = 0;
        for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let (from, label, to) =
                edge(line).ok_or(format!("line {}: expected `(from, \"label\", to)`", at + 1))?;
            edges.entry(from).or_default().push((at + 1, label, to));
            count += 1;
        }
        if numbers.len() != 3 || numbers[0] != 0 || numbers[1] != count {
            return Err(format!(
                "line 1: the head says {head}, but there are {count} transitions"
            ));
        }
        let nodes: Result<BTreeMap<usize, NodeAction>, String> = edges
            .into_iter()
            .map(|(node, edges)| Ok((node, kind(&edges)?)))
            .collect();
        let test = WrittenTest { nodes: nodes? };
        test.check()?;
        Ok(test)
    }

    /// Whatever a node leads to is a node.
    fn check(&self) -> Result<(), String> {
        let lost = |from: &usize, to: &usize| match self.nodes.contains_key(to) {
            true => Ok(()),
            false => Err(format!(
                "node {from} leads to node {to}, which has no edges"
            )),
        };
        if !self.nodes.contains_key(&0) {
            return Err("there is no node 0 to start at".into());
        }
        for (from, kind) in &self.nodes {
            match kind {
                NodeAction::Stimulate { to, .. } => lost(from, to)?,
                NodeAction::Observe(branches) => {
                    branches.values().try_for_each(|to| lost(from, to))?
                }
                NodeAction::Pass | NodeAction::Inconclusive => {}
            }
        }
        Ok(())
    }
}

fn edge(line: &str) -> Option<(usize, &str, usize)> {
    let inner = line.trim().strip_prefix('(')?.strip_suffix(')')?;
    let (from, rest) = inner.split_once('"')?;
    let (label, to) = rest.split_once('"')?;
    let from = from.trim().strip_suffix(',')?.trim().parse().ok()?;
    let to = to.trim().strip_prefix(',')?.trim().parse().ok()?;
    Some((from, label, to))
}

fn kind(edges: &[(usize, &str, usize)]) -> Result<NodeAction, String> {
    let (line, first, to) = edges[0];
    let alone = match edges {
        [_] => Ok(()),
        [_, (other, ..), ..] => Err(format!(
            "line {other}: a node that gives an input, or is a verdict, has one edge (see line {line})"
        )),
        [] => Ok(()),
    };
    match first {
        "pass" => return alone.map(|()| NodeAction::Pass),
        "inconc" => return alone.map(|()| NodeAction::Inconclusive),
        _ => {}
    }
    if let Some(input) = first.strip_prefix("ctr ") {
        let input = input.to_string();
        return alone.map(|()| NodeAction::Stimulate { input, to });
    }
    let mut branches = BTreeMap::new();
    for (line, label, to) in edges {
        if *label == "fail" {
            continue;
        }
        let Some(output) = label.strip_prefix("obs ") else {
            return Err(format!(
                "line {line}: `{label}` can't stand beside observations"
            ));
        };
        if branches.insert(output.to_string(), *to).is_some() {
            return Err(format!("line {line}: `{label}` stands there twice"));
        }
    }
    Ok(NodeAction::Observe(branches))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_read_as_it_stands() {
        let text = "des (0, 4, 4)\n(0, \"ctr Go(1, 2)\", 1)\n(1, \"obs delta\", 2)\n(1, \"fail\", 3)\n(2, \"pass\", 3)\n";
        let test = WrittenTest::parse(text).expect("it is right");
        assert_eq!(
            test.nodes[&0],
            NodeAction::Stimulate {
                input: "Go(1, 2)".into(),
                to: 1
            }
        );
        assert_eq!(
            test.nodes[&1],
            NodeAction::Observe([("delta".to_string(), 2)].into())
        );
        assert_eq!(test.nodes[&2], NodeAction::Pass);
    }

    #[test]
    fn what_is_no_test_is_refused_with_its_line() {
        let wrong = |text: &str| WrittenTest::parse(text).expect_err("it is wrong");
        assert!(wrong("").contains("line 1"));
        assert!(wrong("des (0, 2, 3)\n(0, \"ctr A\", 1)\n(0, \"obs B\", 1)\n").contains("line 3"));
        assert!(wrong("des (0, 1, 3)\n(0, \"ctr A, 1)\n").contains("line 2"));
        assert!(wrong("des (0, 1, 2)\n(0, \"ctr A\", 1)\n").contains("node 1"));
        assert!(wrong("des (0, 5, 2)\n(0, \"pass\", 1)\n").contains("1 transitions"));
    }
}
