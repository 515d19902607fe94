//! Groups of bars as a small SVG file.

use std::fmt::Write as _;

/// One sort of bar, with a value for each group.
pub struct BarKind {
    pub name: String,
    pub color: &'static str,
    pub values: Vec<f64>,
}

/// What is drawn; values are shares from 0 to 1.
pub struct Bars {
    pub title: String,
    pub groups: Vec<String>,
    pub sorts: Vec<BarKind>,
}

const HEIGHT: f64 = 400.0;
const LEFT: f64 = 60.0;
const TOP: f64 = 70.0;
const BOTTOM: f64 = 40.0;
const BAR: f64 = 14.0;
const GAP: f64 = 18.0;

impl Bars {
    pub fn to_svg(&self) -> String {
        let group = BAR * self.sorts.len() as f64 + GAP;
        let width = LEFT + group * self.groups.len() as f64 + GAP;
        let y = |value: f64| HEIGHT - BOTTOM - value.clamp(0.0, 1.0) * (HEIGHT - TOP - BOTTOM);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"11\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{LEFT}\" y=\"20\" font-size=\"15\">{}</text>\n",
            self.title
        );
        for tick in 0..=4 {
            let value = f64::from(tick) / 4.0;
            let at = y(value);
            let _ = writeln!(
                svg,
                "<line x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{width}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{:.0} %</text>",
                LEFT - 6.0,
                at + 4.0,
                value * 100.0
            );
        }
        for (index, name) in self.groups.iter().enumerate() {
            let start = LEFT + GAP / 2.0 + group * index as f64;
            for (place, sort) in self.sorts.iter().enumerate() {
                let top = y(sort.values[index]);
                let _ = writeln!(
                    svg,
                    "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{}\" height=\"{:.1}\" fill=\"{}\"/>",
                    start + BAR * place as f64,
                    BAR - 2.0,
                    HEIGHT - BOTTOM - top,
                    sort.color
                );
            }
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
                start + (group - GAP) / 2.0,
                HEIGHT - BOTTOM + 16.0
            );
        }
        for (index, sort) in self.sorts.iter().enumerate() {
            let x = LEFT + 150.0 * index as f64;
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"36\" width=\"10\" height=\"10\" fill=\"{}\"/>\
                 <text x=\"{:.1}\" y=\"45\">{}</text>",
                sort.color,
                x + 14.0,
                sort.name
            );
        }
        svg.push_str("</svg>\n");
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_a_bar() {
        let sort = |name: &str| BarKind {
            name: name.into(),
            color: "#000",
            values: vec![0.25, 0.5, 2.0],
        };
        let bars = Bars {
            title: "Savings".into(),
            groups: vec!["a".into(), "b".into(), "c".into()],
            sorts: vec![sort("ours"), sort("theirs")],
        };
        // The background and the two keys are rectangles too.
        assert_eq!(bars.to_svg().matches("<rect").count(), 3 * 2 + 3);
    }
}
