//! A line plot as a small SVG file.

use std::fmt::Write as _;

/// One line of a plot.
pub struct Series {
    pub name: String,
    pub color: &'static str,
    pub points: Vec<(f64, f64)>,
}

/// What is plotted and what the axes mean.
pub struct Plot {
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    pub series: Vec<Series>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 55.0;
const TICKS: u32 = 5;

impl Plot {
    /// Draws with linear axes from zero.
    pub fn to_svg(&self) -> String {
        let all = || self.series.iter().flat_map(|series| &series.points);
        let max_x = all().map(|point| point.0).fold(f64::MIN_POSITIVE, f64::max);
        let max_y = all().map(|point| point.1).fold(f64::MIN_POSITIVE, f64::max) * 1.05;
        let x = |value: f64| LEFT + value / max_x * (WIDTH - LEFT - RIGHT);
        let y = |value: f64| HEIGHT - BOTTOM - value / max_y * (HEIGHT - TOP - BOTTOM);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{LEFT}\" y=\"22\" font-size=\"15\">{}</text>\n",
            self.title
        );
        for tick in 0..=TICKS {
            let part = f64::from(tick) / f64::from(TICKS);
            let (value_x, value_y) = (max_x * part, max_y * part);
            let (at_x, at_y) = (x(value_x), y(value_y));
            let _ = write!(
                svg,
                "<line x1=\"{LEFT}\" y1=\"{at_y:.1}\" x2=\"{:.1}\" y2=\"{at_y:.1}\" stroke=\"#ddd\"/>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n\
                 <text x=\"{at_x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
                WIDTH - RIGHT,
                LEFT - 6.0,
                at_y + 4.0,
                number(value_y),
                HEIGHT - BOTTOM + 18.0,
                number(value_x),
            );
        }
        for (index, series) in self.series.iter().enumerate() {
            let points: Vec<String> = series
                .points
                .iter()
                .map(|&(px, py)| format!("{:.1},{:.1}", x(px), y(py)))
                .collect();
            let legend = TOP + 16.0 * index as f64;
            let _ = write!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n\
                 <text x=\"{}\" y=\"{legend:.1}\" fill=\"{}\">{}</text>\n",
                points.join(" "),
                series.color,
                LEFT + 12.0,
                series.color,
                series.name
            );
        }
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n</svg>\n",
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 12.0,
            self.x_label,
            (TOP + HEIGHT - BOTTOM) / 2.0,
            self.y_label
        );
        svg
    }
}

fn number(value: f64) -> String {
    match value {
        value if value >= 100.0 || value == 0.0 => format!("{value:.0}"),
        value if value >= 1.0 => format!("{value:.1}"),
        value => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_has_every_series_and_label() {
        let plot = Plot {
            title: "Title".into(),
            x_label: "across".into(),
            y_label: "up".into(),
            series: vec![Series {
                name: "one".into(),
                color: "#c33",
                points: vec![(0.0, 0.0), (10.0, 5.0)],
            }],
        };
        let svg = plot.to_svg();
        for expected in ["Title", "across", "up", ">one<", "polyline", "620.0,"] {
            assert!(svg.contains(expected), "{expected} in {svg}");
        }
    }
}
