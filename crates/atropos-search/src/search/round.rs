//! A search shared by processes, round by round.
//!
//! A round is a number of transitions that wait to be explored. Each is explored by one execution, which knows the states
//! that were visited before the round and nothing of the others in it, and goes on until it comes to one of these states or to
//! an end. So what it finds depends on the round alone, not on who explores what and when. The search then takes in what
//! was found, in the order of the transitions; where two executions came to the same state, what the second found
//! from there on is left out. No state is explored twice by that, only some executions are longer than they need be.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use super::node::{Node, NodeFacts, SearchSize};
use super::{Search, SearchOrder};
use crate::choice::{Choice, Thread};
use crate::graph::ROOT;
use crate::hash::Table;
use crate::pass_on;
use crate::schedule::Schedule;
use crate::strategy::{Coverage, Divergence, SearchProgress, Strategy};
use crate::system::{ExecutionEnd, Guide};

/// Transitions in the first round, if so many wait. Each round may have twice as many as the one before, up to the most:
/// to fork a process costs the more the more is known.
const FIRST: usize = 2048;
const MOST: usize = 32 * FIRST;
/// New nodes of a round, about. Whole paths wait to be explored from after a round, not only one as in a search by itself.
const MOST_NODES: usize = 1_000_000;
/// Paths that are too long for rounds.
const LONGEST: usize = 20_000;
/// Nodes that may be out of use before memory is cleared of them.
const IDLE: usize = 1000;

/// A transition that is to be explored, from a state of the search.
#[derive(Clone, Copy, Debug)]
pub struct WaitingTransition {
    from: u32,
    choice: Choice,
}

/// What the execution of a transition found.
#[derive(Clone, PartialEq, Debug)]
struct Path {
    nodes: Vec<PathNode>,
    end: PathEnd,
    cut_by_bound: bool,
}

/// A state on the way, or a choice in the middle of a step.
#[derive(Clone, PartialEq, Debug)]
struct PathNode {
    spot: NodeFacts,
    choices: Vec<Choice>,
    /// How many of these the execution took: the first or none.
    taken: u32,
}

/// How the execution of a transition ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PathEnd {
    /// In a state visited before the round.
    Known,
    /// It was given up in a new state, from which others go on.
    Open,
    /// At an end that is new.
    End,
}

/// The result of some of a round's transitions, one after the other; text, for other processes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RoundResult(Vec<Path>);

impl Search {
    /// Whether there is memory enough to go on in rounds. If not, the search goes on by itself: depth first, it needs little.
    pub fn fits_into_rounds(&self) -> bool {
        self.frontier.nodes.len() < 2 * MOST_NODES && self.execution.path.len() < LONGEST
    }

    /// Takes the transitions of the next round off the list; none when all are explored.
    pub fn begin_round(&mut self) -> Vec<WaitingTransition> {
        if self.frontier.nodes.len() > 2 * self.frontier.in_use + IDLE {
            self.drop_what_nobody_needs();
        }
        let fitting = MOST_NODES / self.execution.path.len().max(1);
        self.frontier.round = (2 * self.frontier.round).clamp(FIRST, MOST).min(fitting);
        let mut round = Vec::new();
        while round.len() < self.frontier.round {
            let next = match self.settings.order {
                SearchOrder::DepthFirst => self.frontier.worklist.back(),
                SearchOrder::BreadthFirst => self.frontier.worklist.front(),
            };
            let Some(&node) = next else { break };
            if self.frontier.nodes[node as usize].taken < self.frontier.nodes[node as usize].count {
                let choice = self.take(node);
                round.push(WaitingTransition { from: node, choice });
                continue;
            }
            match self.settings.order {
                SearchOrder::DepthFirst => self.frontier.worklist.pop_back(),
                SearchOrder::BreadthFirst => self.frontier.worklist.pop_front(),
            };
        }
        round
    }

    /// Takes in what was found behind these transitions of the round, or behind the first of them.
    pub fn take_in(&mut self, round: &[WaitingTransition], found: RoundResult) {
        for (waiting, path) in round.iter().zip(found.0) {
            self.take_in_path(waiting.from, waiting.choice, path);
        }
    }

    fn take_in_path(&mut self, mut from: u32, mut choice: Choice, path: Path) {
        self.status.cut_by_bound |= path.cut_by_bound;
        let mut leaf = path.end;
        for node in path.nodes {
            if node.spot.is_state && !self.is_news(&node.spot) {
                leaf = PathEnd::Known;
                break;
            }
            let next = node.choices.first().copied();
            let goes_on = node.taken > 0;
            from = self.add(from, choice, node);
            let Some(next) = next.filter(|_| goes_on) else {
                break;
            };
            choice = next;
        }
        self.visited.counted.size.transitions += u64::from(leaf == PathEnd::Known);
        match leaf {
            PathEnd::End => self.status.progress.executions += 1,
            PathEnd::Known | PathEnd::Open => self.status.progress.abandoned += 1,
        }
        if leaf != PathEnd::Open {
            let node = &self.frontier.nodes[from as usize];
            self.status.progress.share += match node.count {
                0 => node.weight,
                _ => node.weight_of_each(),
            };
        }
    }

    /// Notes a state; false if it was visited before with no more preemptions.
    fn is_news(&mut self, spot: &NodeFacts) -> bool {
        let cost = self.cost(spot);
        if self
            .visited
            .states
            .get(&spot.key)
            .is_some_and(|&fewest| fewest <= cost)
        {
            return false;
        }
        self.visited.states.insert(spot.key, cost);
        self.visited.counted.size.states += 1;
        self.visited.counted.size.transitions += 1;
        true
    }

    fn add(&mut self, from: u32, choice: Choice, path_node: PathNode) -> u32 {
        let node = self.frontier.nodes.len() as u32;
        self.frontier.nodes.push(Node {
            parent: Some(from),
            start: u32::MAX,
            choice,
            spot: path_node.spot,
            first: self.frontier.choices.len() as u32,
            count: path_node.choices.len() as u32,
            taken: path_node.taken,
            weight: self.frontier.nodes[from as usize].weight_of_each(),
            graph: ROOT,
        });
        self.frontier.choices.extend(path_node.choices);
        if self.frontier.nodes[node as usize].count > path_node.taken {
            self.frontier.worklist.push_back(node);
        }
        node
    }

    /// Keeps the nodes that lead to transitions which wait.
    fn drop_what_nobody_needs(&mut self) {
        let mut new_number = vec![u32::MAX; self.frontier.nodes.len()];
        for &node in &self.frontier.worklist {
            let mut at = Some(node);
            while let Some(node) = at.filter(|&node| new_number[node as usize] == u32::MAX) {
                new_number[node as usize] = 0;
                at = self.frontier.nodes[node as usize].parent;
            }
        }
        let (nodes, choices) = (
            std::mem::take(&mut self.frontier.nodes),
            std::mem::take(&mut self.frontier.choices),
        );
        for (old, mut node) in nodes.into_iter().enumerate() {
            if new_number[old] == u32::MAX {
                continue;
            }
            new_number[old] = self.frontier.nodes.len() as u32;
            let first = self.frontier.choices.len() as u32;
            let its = node.first as usize..(node.first + node.count) as usize;
            self.frontier.choices.extend_from_slice(&choices[its]);
            node.first = first;
            // Parents stand before their children.
            node.parent = node.parent.map(|parent| new_number[parent as usize]);
            self.frontier.nodes.push(node);
        }
        for node in &mut self.frontier.worklist {
            *node = new_number[*node as usize];
        }
        self.execution.edge = None;
        self.frontier.in_use = self.frontier.nodes.len();
    }
}

/// Explores some transitions of a round, and leaves the search as it was.
pub struct Round<'a> {
    search: &'a mut Search,
    waiting: &'a [WaitingTransition],
    begun: usize,
    found: Vec<Path>,
    before: SearchBefore,
    executions: u64,
}

/// What the search was like before an execution.
#[derive(Clone, Copy)]
struct SearchBefore {
    nodes: usize,
    choices: usize,
    worklist: usize,
    size: SearchSize,
    progress: SearchProgress,
    cut_by_bound: bool,
}

impl<'a> Round<'a> {
    pub fn new(search: &'a mut Search, waiting: &'a [WaitingTransition]) -> Round<'a> {
        let before = SearchBefore {
            nodes: search.frontier.nodes.len(),
            choices: search.frontier.choices.len(),
            worklist: search.frontier.worklist.len(),
            size: search.visited.counted.size,
            progress: search.status.progress,
            cut_by_bound: search.status.cut_by_bound,
        };
        search.visited.trial = Some(Table::default());
        Round {
            search,
            waiting,
            begun: 0,
            found: Vec::new(),
            before,
            executions: 0,
        }
    }

    /// What the executions have found.
    pub fn found(self) -> RoundResult {
        self.search.visited.trial = None;
        RoundResult(self.found)
    }

    /// What the execution added to the search, which forgets it.
    fn take_back(&mut self, end: PathEnd) -> Path {
        let (search, before) = (&mut *self.search, self.before);
        let choices = &search.frontier.choices;
        let nodes = search
            .frontier
            .nodes
            .drain(before.nodes..)
            .map(|node| PathNode {
                spot: node.spot,
                choices: choices[node.first as usize..(node.first + node.count) as usize].to_vec(),
                taken: node.taken,
            })
            .collect();
        search.frontier.choices.truncate(before.choices);
        search.frontier.worklist.truncate(before.worklist);
        search.visited.counted.size = before.size;
        search.status.progress = before.progress;
        if let Some(trial) = &mut search.visited.trial {
            trial.clear();
        }
        let cut_by_bound = std::mem::replace(&mut search.status.cut_by_bound, before.cut_by_bound);
        Path {
            nodes,
            end,
            cut_by_bound,
        }
    }
}

impl Guide for Round<'_> {
    pass_on!(self => self.search; choose, data, refine, wake, observe, reach, wants_fingerprint, is_fresh);
}

impl Strategy for Round<'_> {
    fn begin(&mut self) -> bool {
        let Some(&WaitingTransition { from, choice }) = self.waiting.get(self.begun) else {
            return false;
        };
        if self.search.status.divergence.is_some() {
            return false;
        }
        self.begun += 1;
        self.search.set_out(from, choice);
        true
    }

    fn end(&mut self, end: ExecutionEnd) {
        let last = self.search.frontier.nodes.last();
        let leaf = match end {
            _ if self.search.execution.ended_in_known => PathEnd::Known,
            ExecutionEnd::Stopped if last.is_some_and(|node| node.count > node.taken) => {
                PathEnd::Open
            }
            ExecutionEnd::Stopped => PathEnd::Known,
            _ => PathEnd::End,
        };
        self.executions += u64::from(leaf == PathEnd::End);
        let path = self.take_back(leaf);
        self.found.push(path);
    }

    fn schedule(&self) -> Schedule {
        self.search.schedule()
    }

    fn coverage(&self) -> Coverage {
        Coverage::Part {
            schedules: self.executions,
        }
    }

    fn progress(&self) -> SearchProgress {
        SearchProgress {
            executions: self.executions,
            abandoned: self.found.len() as u64 - self.executions,
            share: self.begun as f64 / self.waiting.len().max(1) as f64,
        }
    }

    fn divergence(&self) -> Option<Divergence> {
        self.search.status.divergence
    }
}

/// One path after the other, separated by `;`: how it ended, and each of its nodes as numbers separated by commas.
impl fmt::Display for RoundResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for path in &self.0 {
            f.write_char(match path.end {
                PathEnd::Known => 'k',
                PathEnd::Open => 'o',
                PathEnd::End => 'e',
            })?;
            f.write_char(if path.cut_by_bound { '!' } else { '.' })?;
            for node in &path.nodes {
                let spot = &node.spot;
                let last = spot.last.map_or(0, |last| last.0 + 1);
                let flags = u32::from(spot.is_state)
                    | u32::from(spot.last_could_go_on) << 1
                    | node.taken << 2;
                write!(
                    f,
                    " {:x},{last:x},{flags:x},{:x}",
                    spot.key, spot.preemptions
                )?;
                for choice in &node.choices {
                    write!(f, ",{:x}", choice.bits())?;
                }
            }
            f.write_char(';')?;
        }
        Ok(())
    }
}

/// The text tells no findings of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotFound;

impl FromStr for RoundResult {
    type Err = NotFound;

    fn from_str(text: &str) -> Result<RoundResult, NotFound> {
        let paths = text.split_terminator(';').map(path).collect::<Option<_>>();
        paths.map(RoundResult).ok_or(NotFound)
    }
}

fn path(text: &str) -> Option<Path> {
    let mut words = text.split(' ');
    let mut ended = words.next()?.chars();
    let end = match ended.next()? {
        'k' => PathEnd::Known,
        'o' => PathEnd::Open,
        'e' => PathEnd::End,
        _ => return None,
    };
    let cut_by_bound = ended.next()? == '!';
    Some(Path {
        nodes: words.map(node).collect::<Option<_>>()?,
        end,
        cut_by_bound,
    })
}

fn node(text: &str) -> Option<PathNode> {
    let mut numbers = text.split(',');
    let key = u64::from_str_radix(numbers.next()?, 16).ok()?;
    let mut small = numbers.map(|number| u32::from_str_radix(number, 16));
    let last = small.next()?.ok()?;
    let flags = small.next()?.ok()?;
    let preemptions = small.next()?.ok()?;
    Some(PathNode {
        spot: NodeFacts {
            key,
            is_state: flags & 1 != 0,
            last: last.checked_sub(1).map(Thread),
            last_could_go_on: flags & 2 != 0,
            preemptions,
        },
        choices: small
            .map(|bits| bits.ok().map(Choice::of_bits))
            .collect::<Option<_>>()?,
        taken: flags >> 2,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_survives_text_and_back() {
        let node = |key: u64, taken: u32| PathNode {
            spot: NodeFacts {
                key,
                is_state: key > 1,
                last: (key > 2).then_some(Thread(7)),
                last_could_go_on: key > 3,
                preemptions: key as u32,
            },
            choices: vec![Choice::thread(Thread(0)), Choice::data(3)],
            taken,
        };
        let found = RoundResult(vec![
            Path {
                nodes: vec![node(u64::MAX, 1), node(1, 1), node(3, 0)],
                end: PathEnd::End,
                cut_by_bound: true,
            },
            Path {
                nodes: Vec::new(),
                end: PathEnd::Known,
                cut_by_bound: false,
            },
        ]);
        assert_eq!(found.to_string().parse(), Ok(found));
        assert_eq!("".parse(), Ok(RoundResult::default()));
        for text in ["k", "x.", "k. 12", "k. g,0,0,0"] {
            assert_eq!(text.parse::<RoundResult>(), Err(NotFound), "{text}");
        }
    }
}
