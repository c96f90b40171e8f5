//! Series over days as a picture, in SVG.

use std::fmt::Write as _;

const WIDTH: f64 = 760.0;
const PANEL_HEIGHT: f64 = 230.0;
/// Room for numbers at the left, and a little at the right.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
/// Room for the title and the legend above, and for the days below.
const ABOVE: f64 = 48.0;
const BELOW: f64 = 32.0;
/// How wide a letter of the legend is, about.
const LETTER: f64 = 7.0;
/// How many lines are drawn across a panel at most, and how many days are named below it.
const MOST_LINES: f64 = 6.0;
const MOST_DAYS: f64 = 12.0;

/// Neither light nor dark, so that they are seen on both.
const COLOURS: [&str; 6] = ["#d1642e", "#2f81c7", "#3a9a5b", "#9a6fd0", "#b8860b", "#c2527a"];
const GREY: &str = "#7d7d7d";

/// Series that share an axis.
#[derive(Debug, Clone)]
pub struct Panel {
    pub title: String,
    pub series: Vec<Series>,
}

/// A value for each day, from the first.
#[derive(Debug, Clone)]
pub struct Series {
    pub name: String,
    pub values: Vec<f64>,
}

/// Draws panels below each other.
pub fn svg(panels: &[Panel]) -> String {
    let height = panels.len() as f64 * PANEL_HEIGHT;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\" fill=\"{GREY}\">\n"
    );
    for (number, panel) in panels.iter().enumerate() {
        let top = number as f64 * PANEL_HEIGHT;
        writeln!(svg, "<g transform=\"translate(0 {top})\">").expect(WRITES);
        draw(&mut svg, panel);
        svg.push_str("</g>\n");
    }
    svg + "</svg>\n"
}

/// Why writing cannot fail.
const WRITES: &str = "a string can be written to";

fn draw(svg: &mut String, panel: &Panel) {
    let days = panel.series.iter().map(|series| series.values.len()).max().unwrap_or(0).max(2);
    let values = panel.series.iter().flat_map(|series| &series.values);
    let most = values.copied().fold(1.0, f64::max);
    let scale = Scale { days: (days - 1) as f64, most };
    text(
        svg,
        LEFT,
        18.0,
        "start",
        &format!("<tspan font-weight=\"bold\">{}</tspan>", escaped(&panel.title)),
    );
    for value in ticks(most, MOST_LINES) {
        let y = scale.y(value);
        writeln!(
            svg,
            "<path d=\"M{LEFT} {y:.1}H{:.1}\" stroke=\"{GREY}\" stroke-opacity=\"0.3\"/>",
            WIDTH - RIGHT
        )
        .expect(WRITES);
        text(svg, LEFT - 8.0, y + 4.0, "end", &short(value));
    }
    for day in ticks(days as f64, MOST_DAYS).skip(1) {
        text(svg, scale.x(day - 1.0), PANEL_HEIGHT - BELOW + 18.0, "middle", &format!("day {day}"));
    }
    let mut legend = LEFT;
    for (series, colour) in panel.series.iter().zip(COLOURS.iter().cycle()) {
        let point = |(day, value): (usize, &f64)| {
            format!("{:.1},{:.1}", scale.x(day as f64), scale.y(*value))
        };
        let points: Vec<String> = series.values.iter().enumerate().map(point).collect();
        writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"/>",
            points.join(" ")
        )
        .expect(WRITES);
        writeln!(svg, "<path d=\"M{legend:.1} 32h14\" stroke=\"{colour}\" stroke-width=\"3\"/>")
            .expect(WRITES);
        text(svg, legend + 19.0, 36.0, "start", &escaped(&series.name));
        legend += 37.0 + LETTER * series.name.chars().count() as f64;
    }
}

/// Where days and values are in a panel.
struct Scale {
    days: f64,
    most: f64,
}

impl Scale {
    fn x(&self, day: f64) -> f64 {
        LEFT + day / self.days * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        PANEL_HEIGHT - BELOW - value / self.most * (PANEL_HEIGHT - ABOVE - BELOW)
    }
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, content: &str) {
    writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>")
        .expect(WRITES);
}

/// Returns about `count` round numbers from zero to `most`: steps of one, two or five, and zeros.
fn ticks(most: f64, count: f64) -> impl Iterator<Item = f64> {
    let magnitude = 10_f64.powf((most / count).log10().floor()).max(1.0);
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * magnitude);
    let step = steps.into_iter().find(|step| most / step <= count).unwrap_or(most);
    (0..).map(move |number| f64::from(number) * step).take_while(move |tick| *tick <= most)
}

/// Writes a number with few characters.
fn short(value: f64) -> String {
    match value {
        1e9.. => format!("{} G", value / 1e9),
        1e6.. => format!("{} M", value / 1e6),
        1e3.. => format!("{} k", value / 1e3),
        _ => value.to_string(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tiny_chart_is_drawn_as_it_always_was() {
        let series =
            |name: &str, values: &[f64]| Series { name: name.to_owned(), values: values.to_vec() };
        let panel = Panel {
            title: "birds & bees".to_owned(),
            series: vec![series("birds", &[0.0, 4.0, 12.0]), series("bees", &[3.0, 3.0, 1.5])],
        };
        assert_eq!(svg(&[panel]), include_str!("plot/tiny.svg"));
    }

    #[test]
    fn ticks_are_round_and_few() {
        for (most, expected) in [
            (1.0, vec![0.0, 1.0]),
            (12.0, vec![0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0]),
            (365.0, vec![0.0, 100.0, 200.0, 300.0]),
            (2_500.0, vec![0.0, 500.0, 1_000.0, 1_500.0, 2_000.0, 2_500.0]),
        ] {
            assert_eq!(ticks(most, 6.0).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn nothing_and_a_single_day_can_be_drawn() {
        let single = Series { name: "one".to_owned(), values: vec![0.0] };
        for series in [vec![], vec![single]] {
            let drawn = svg(&[Panel { title: "little".to_owned(), series }]);
            assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
        }
    }
}
