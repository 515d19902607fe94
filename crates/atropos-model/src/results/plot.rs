//! The MoMuT paper's Figure 8 as SVG: how many states were visited how often, both axes logarithmic.

use std::collections::BTreeMap;
use std::fmt::Write as _;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 320.0;
const MARGIN: f64 = 48.0;

/// `visits` holds per state how often it was visited.
pub fn states_visited(visits: &BTreeMap<u64, u32>) -> String {
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    for visited in visits.values() {
        *counts.entry(*visited).or_default() += 1;
    }
    let most_visits = counts.keys().copied().max().unwrap_or(1).max(10);
    let most_states = counts.values().copied().max().unwrap_or(1).max(10);
    let x = |value: u32| MARGIN + (WIDTH - 2.0 * MARGIN) * log(value) / log(most_visits);
    let y = |value: u32| HEIGHT - MARGIN - (HEIGHT - 2.0 * MARGIN) * log(value) / log(most_states);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"11\">\n"
    );
    let (left, right, top, bottom) = (MARGIN, WIDTH - MARGIN, MARGIN, HEIGHT - MARGIN);
    let _ = writeln!(
        out,
        "<path d=\"M{left} {top}V{bottom}H{right}\" fill=\"none\" stroke=\"currentColor\"/>"
    );
    for tick in ticks(most_visits) {
        let at = x(tick);
        let _ = writeln!(
            out,
            "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"currentColor\">{tick}</text>",
            bottom + 16.0
        );
    }
    for tick in ticks(most_states) {
        let at = y(tick);
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"currentColor\">{tick}</text>",
            left - 6.0,
            at + 4.0
        );
    }
    for (visited, states) in &counts {
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"#2a6fb0\"><title>visited {visited} ×: {states} of the states</title></circle>",
            x(*visited),
            y(*states)
        );
    }
    let middle = WIDTH / 2.0;
    let _ = writeln!(
        out,
        "<text x=\"{middle}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"currentColor\">number of visits</text>",
        HEIGHT - 10.0
    );
    let _ = writeln!(
        out,
        "<text x=\"{left}\" y=\"{:.1}\" fill=\"currentColor\">number of states ({} in all)</text>",
        top - 14.0,
        visits.len()
    );
    out.push_str("</svg>\n");
    out
}

fn log(value: u32) -> f64 {
    f64::from(value).ln()
}

/// 1, 10, 100, … up to `most`.
fn ticks(most: u32) -> impl Iterator<Item = u32> {
    (0..9)
        .map(|power| 10u32.pow(power))
        .take_while(move |tick| *tick <= most)
}
