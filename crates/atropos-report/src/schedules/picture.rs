//! One execution as an SVG: a lane for each thread, a row for each step. Bars show which locks a thread holds, hatched bars
//! where it waits, arrows what a step follows from.

use std::fmt::Write as _;

use atropos_protocol::thread_trace::{StepKind, ThreadTrace, TraceStep};
use unicode_width::UnicodeWidthStr as _;

use super::{Holding, holdings, is_step_of, previous, thread_name};
use crate::html::escape::escaped;

/// Sizes, in pixels.
const ROW: usize = 22;
const HEAD: usize = 52;
const LETTER: usize = 7;
/// From a lane's left edge to its line; bars of locks lie left of it.
const LINE: usize = 34;
const BAR: usize = 6;
const LEAST_LANE: usize = 200;
const MOST_LANE: usize = 330;
const MOST_PLACE: usize = 420;

/// Colours of locks, by number, as classes of the page.
const COLOURS: usize = 6;

struct Layout {
    lane: usize,
    lanes: usize,
    width: usize,
    height: usize,
}

impl Layout {
    fn of(trace: &ThreadTrace) -> Layout {
        let words = trace.steps.iter().filter(|step| step.kind != StepKind::Gap);
        let longest = words
            .map(|step| trace.words(step).width())
            .max()
            .unwrap_or(0);
        let lane = (LINE + 14 + longest * LETTER).clamp(LEAST_LANE, MOST_LANE);
        let lanes = trace.thread_count().max(1);
        let places = trace.steps.iter().map(|step| step.place().width());
        let place = (places.max().unwrap_or(0) * LETTER + 16).min(MOST_PLACE);
        Layout {
            lane,
            lanes,
            width: lanes * lane + place,
            height: HEAD + trace.steps.len() * ROW + ROW / 2,
        }
    }

    /// Where the line of a thread is.
    fn x(&self, thread: u32) -> usize {
        thread as usize * self.lane + LINE
    }

    /// Where the middle of a row is.
    fn y(&self, row: usize) -> usize {
        HEAD + row * ROW + ROW / 2
    }
}

/// The picture, to stand in a page with the style of [`super::page()`]. `number` makes its names unique there.
pub fn picture(trace: &ThreadTrace, number: usize) -> String {
    let layout = Layout::of(trace);
    let Layout { width, height, .. } = layout;
    let mut svg = format!(
        "<svg class=\"schedule\" role=\"img\" aria-label=\"what each thread did, in order\" \
         viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" xmlns=\"http://www.w3.org/2000/svg\">\n\
         <defs><marker id=\"arrow{number}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto-start-reverse\"><path d=\"M0,0 L8,4 L0,8 z\" class=\"head\"/></marker>\
         <pattern id=\"hatch{number}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" class=\"hatch\"/>\
         <path d=\"M0,0 V6\" class=\"stripe\"/></pattern></defs>\n"
    );
    rows(&mut svg, trace, &layout);
    for thread in 0..layout.lanes {
        lane(&mut svg, trace, &layout, thread, number);
    }
    bars(&mut svg, trace, &layout);
    arrows(&mut svg, trace, &layout, number);
    for (row, step) in trace.steps.iter().enumerate() {
        mark(&mut svg, trace, &layout, row, step);
    }
    svg.push_str("</svg>\n");
    svg
}

/// Stripes behind rows in turn, and where each step was.
fn rows(svg: &mut String, trace: &ThreadTrace, layout: &Layout) {
    for (row, step) in trace.steps.iter().enumerate() {
        let top = HEAD + row * ROW;
        if row % 2 == 1 {
            put(
                svg,
                format_args!(
                    "<rect class=\"row\" x=\"0\" y=\"{top}\" width=\"{}\" height=\"{ROW}\"/>\n",
                    layout.width
                ),
            );
        }
        let place = step.place();
        if !place.is_empty() {
            let x = layout.lanes * layout.lane + 8;
            text(
                svg,
                "place",
                x,
                layout.y(row) + 4,
                &cut(&place, (MOST_PLACE - 16) / LETTER),
            );
        }
    }
}

/// A thread's name, its line from its first step to its last, and where it waits.
fn lane(svg: &mut String, trace: &ThreadTrace, layout: &Layout, thread: usize, number: usize) {
    let left = thread * layout.lane;
    let room = (layout.lane - 12) / LETTER;
    text(
        svg,
        "name",
        left + 8,
        20,
        &cut(&thread_name(trace, thread), room),
    );
    let started = trace
        .threads
        .get(thread)
        .map_or("", |thread| thread.started_at.as_str());
    if !started.is_empty() {
        text(
            svg,
            "place",
            left + 8,
            38,
            &cut(&format!("started at {started}"), room),
        );
    }
    let thread = thread as u32;
    let own = |step: &TraceStep| is_step_of(step, thread);
    let first = trace.steps.iter().position(own);
    let last = trace.steps.iter().rposition(own);
    let (Some(first), Some(last)) = (first, last) else {
        return;
    };
    let x = layout.x(thread);
    let (from, to) = (layout.y(first), layout.y(last));
    put(
        svg,
        format_args!("<path class=\"line\" d=\"M{x},{from} V{to}\"/>\n"),
    );
    for (row, step) in trace.steps.iter().enumerate() {
        if step.waited && own(step) {
            let from = previous(trace, row).map_or(HEAD, |before| layout.y(before) + 5);
            let height = layout.y(row).saturating_sub(from);
            put(
                svg,
                format_args!(
                    "<rect x=\"{}\" y=\"{from}\" width=\"8\" height=\"{height}\" fill=\"url(#hatch{number})\"><title>waits</title></rect>\n",
                    x - 4
                ),
            );
        }
    }
}

/// The locks that threads hold, those held at the same time beside each other.
fn bars(svg: &mut String, trace: &ThreadTrace, layout: &Layout) {
    let all = holdings(trace);
    let mut columns: Vec<usize> = Vec::new();
    for (nth, holding) in all.iter().enumerate() {
        let beside = |(other, _): &(&Holding, &usize)| {
            other.thread == holding.thread && other.until > holding.from
        };
        let earlier = all[..nth].iter().zip(&columns).filter(beside);
        let taken: Vec<usize> = earlier.map(|(_, column)| *column).collect();
        let free = (0..).find(|column| !taken.contains(column)).unwrap_or(0);
        columns.push(free);
        let right = layout
            .x(holding.thread)
            .saturating_sub(8 + free * (BAR + 2));
        let x = right
            .saturating_sub(BAR)
            .max(holding.thread as usize * layout.lane + 1);
        let end = match holding.until == trace.steps.len() {
            true => layout.height - 4,
            false => layout.y(holding.until),
        };
        let y = layout.y(holding.from);
        let name = trace
            .objects
            .get(holding.object)
            .map_or("a lock", String::as_str);
        put(
            svg,
            format_args!(
                "<rect class=\"held lock{}\" x=\"{x}\" y=\"{y}\" width=\"{BAR}\" height=\"{}\" rx=\"2\"><title>holds {}</title></rect>\n",
                holding.object % COLOURS,
                end.saturating_sub(y),
                escaped(name)
            ),
        );
    }
}

/// From each earlier step to the one that follows from it in another thread.
fn arrows(svg: &mut String, trace: &ThreadTrace, layout: &Layout, number: usize) {
    for (row, step) in trace.steps.iter().enumerate() {
        let Some(earlier) = step.follows_from else {
            continue;
        };
        let Some(source) = trace
            .steps
            .get(earlier)
            .filter(|source| source.thread != step.thread)
        else {
            continue;
        };
        let (from, to) = (layout.x(source.thread), layout.x(step.thread));
        let (top, bottom) = (layout.y(earlier), layout.y(row));
        // Down from its source, then into the step beside its words: from the left, or from above.
        let (start, bend) = (top + 5, (top + ROW).min(bottom));
        let end = match from < to {
            true => {
                let (side, to) = (to.saturating_sub(60).max(from), to - 7);
                format!("{side},{bottom} {to},{bottom}")
            }
            false => {
                let above = bottom.saturating_sub(ROW).max(start);
                format!("{to},{above} {to},{}", bottom - 6)
            }
        };
        let late = if step.detail.contains("an old value") {
            " late"
        } else {
            ""
        };
        put(
            svg,
            format_args!(
                "<path class=\"follows{late}\" d=\"M{from},{start} C{from},{bend} {end}\" \
             marker-end=\"url(#arrow{number})\"><title>{} → {}</title></path>\n",
                escaped(&trace.words(source)),
                escaped(&trace.words(step)),
            ),
        );
    }
}

/// The step itself: a mark on its thread's line, and what was done.
fn mark(svg: &mut String, trace: &ThreadTrace, layout: &Layout, row: usize, step: &TraceStep) {
    let y = layout.y(row);
    let words = trace.words(step);
    if step.kind == StepKind::Gap {
        text(svg, "gap", 8, y + 4, &words);
        return;
    }
    let x = layout.x(step.thread);
    let is_last = row + 1 == trace.steps.len();
    let class = match step.kind {
        StepKind::Blocked => "blocked",
        _ if is_last => "last",
        kind => kind.word(),
    };
    let told = match step.place() {
        place if place.is_empty() => words.clone(),
        place => format!("{words} at {place}"),
    };
    put(
        svg,
        format_args!(
            "<g class=\"step {class}\"><title>{}</title><circle cx=\"{x}\" cy=\"{y}\" r=\"5\"/>",
            escaped(&told)
        ),
    );
    let room = (layout.lane - LINE - 12) / LETTER;
    text(svg, "words", x + 11, y + 4, &cut(&words, room));
    svg.push_str("</g>\n");
}

fn text(svg: &mut String, class: &str, x: usize, y: usize, words: &str) {
    put(
        svg,
        format_args!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>",
            escaped(words)
        ),
    );
}

/// At most so many letters.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let start: String = text.chars().take(most.saturating_sub(1)).collect();
    start + "…"
}

fn put(svg: &mut String, text: std::fmt::Arguments<'_>) {
    svg.write_fmt(text).expect("a string takes everything");
}

#[cfg(test)]
mod tests {
    use super::super::tests::{deadlock, step};
    use super::*;

    #[test]
    fn a_picture_is_xml_with_a_lane_per_thread_and_nothing_of_the_program_is_markup() {
        let svg = picture(&deadlock(), 0);
        let document =
            roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{error}\n{svg}"));
        let texts = |class: &str| -> Vec<String> {
            document
                .descendants()
                .filter(|node| node.attribute("class") == Some(class))
                .filter_map(|node| node.text().map(str::to_owned))
                .collect()
        };
        assert_eq!(texts("name"), ["thread 0", "thread 1 \"<b>\""]);
        assert_eq!(
            texts("words")[3..],
            [
                "locks Pool.jobs",
                "locks b & c",
                "waits for good: locks b & c",
                "waits for good: locks Pool.jobs"
            ]
        );
        let count = |class: &str| {
            let nodes = document.descendants();
            let classes = nodes.filter_map(|node| node.attribute("class"));
            classes
                .filter(|found| found.split(' ').any(|word| word == class))
                .count()
        };
        assert_eq!(
            (count("held"), count("follows"), count("blocked")),
            (2, 1, 2)
        );
        assert_eq!(svg.matches("<title>waits</title>").count(), 2);
    }

    #[test]
    fn everything_lies_within_the_picture() {
        let mut trace = deadlock();
        let long = "x".repeat(500);
        trace.steps.push(step(3, StepKind::Other, &long, None));
        let svg = picture(&trace, 1);
        let document = roxmltree::Document::parse(&svg).unwrap();
        let number = |node: roxmltree::Node<'_, '_>, name: &str| -> f64 {
            node.attribute(name)
                .map_or(0.0, |value| value.parse().unwrap())
        };
        let root = document.root_element();
        let (width, height) = (number(root, "width"), number(root, "height"));
        for node in root
            .descendants()
            .filter(|node| node.attribute("x").is_some() && node.tag_name().name() != "pattern")
        {
            let right = match node.text() {
                Some(words) if node.tag_name().name() == "text" => {
                    number(node, "x") + (words.chars().count() * LETTER) as f64
                }
                _ => number(node, "x") + number(node, "width"),
            };
            let bottom = number(node, "y") + number(node, "height");
            assert!(
                right <= width && bottom <= height,
                "{node:?}: {right} {bottom} in {width} {height}"
            );
        }
    }
}
