//! Places boxes in layers and leads edges between them: the layout of one level of a chart. Boxes stand in even layers, the
//! labels of edges in odd ones, so that nothing lies on anything else; edges over several layers have room in each of
//! them. The order within layers comes from barycentres, as in the method of Sugiyama.

/// Room between two things of a layer, and between two layers.
const GAP: f64 = 26.0;
const LAYER_GAP: f64 = 16.0;
const SWEEPS: usize = 12;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    pub width: f64,
    pub height: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DrawnPoint {
    pub x: f64,
    pub y: f64,
}

/// An edge between two boxes, with room for its label.
#[derive(Clone, Debug)]
pub struct DrawnEdge {
    pub from: usize,
    pub to: usize,
    pub label: Size,
}

/// Where everything is.
#[derive(Clone, Debug, Default)]
pub struct PlacedBoxes {
    /// The upper left corners of the boxes.
    pub boxes: Vec<DrawnPoint>,
    /// Per edge the points between its ends.
    pub ways: Vec<Vec<DrawnPoint>>,
    /// Per edge the middle of its label.
    pub labels: Vec<DrawnPoint>,
    pub size: Size,
}

/// A thing in a layer: a box, a label, or room for an edge.
struct Item {
    size: Size,
    layer: usize,
    x: f64,
    neighbours: Vec<usize>,
}

/// Lays out boxes and edges; an edge from a box to itself stands beside it. `first` stands at the top.
pub fn place(boxes: &[Size], edges: &[DrawnEdge], first: Option<usize>) -> PlacedBoxes {
    let layers = layers(boxes.len(), edges, first);
    let mut items: Vec<Item> = Vec::new();
    for (at, size) in boxes.iter().enumerate() {
        let loops = edges.iter().filter(|edge| edge.from == at && edge.to == at);
        let (mut width, mut height) = (0.0_f64, 0.0);
        for edge in loops {
            width = width.max(edge.label.width + GAP);
            height += edge.label.height + LAYER_GAP;
        }
        items.push(Item {
            size: Size {
                width: size.width + width,
                height: size.height.max(height),
            },
            layer: 2 * layers[at],
            x: 0.0,
            neighbours: Vec::new(),
        });
    }
    let chains: Vec<Vec<usize>> = edges
        .iter()
        .map(|edge| chain(edge, &layers, &mut items))
        .collect();
    let rows = ordered(&items);
    let rows = settle(&mut items, rows);
    let tops = tops(&items, &rows);
    finish(boxes, edges, &items, &chains, &tops)
}

/// Longest ways from the top, edges that lead back left out.
fn layers(count: usize, edges: &[DrawnEdge], first: Option<usize>) -> Vec<usize> {
    let mut order = Vec::new();
    let mut state = vec![0u8; count];
    let mut back = vec![false; edges.len()];
    let starts = first.into_iter().chain(0..count);
    for start in starts {
        visit(start, edges, &mut state, &mut back, &mut order);
    }
    order.reverse();
    let mut layers = vec![0; count];
    for at in order {
        for (edge, back) in edges.iter().zip(&back) {
            if edge.from == at && edge.to != at && !back {
                layers[edge.to] = layers[edge.to].max(layers[at] + 1);
            }
        }
    }
    layers
}

fn visit(
    at: usize,
    edges: &[DrawnEdge],
    state: &mut [u8],
    back: &mut [bool],
    order: &mut Vec<usize>,
) {
    if state[at] != 0 {
        return;
    }
    state[at] = 1;
    for (number, edge) in edges.iter().enumerate() {
        if edge.from == at {
            match state[edge.to] {
                1 => back[number] = true,
                _ => visit(edge.to, edges, state, back, order),
            }
        }
    }
    state[at] = 2;
    order.push(at);
}

/// The items between an edge's ends, its label among them; none for a loop.
fn chain(edge: &DrawnEdge, layers: &[usize], items: &mut Vec<Item>) -> Vec<usize> {
    let (from, to) = (2 * layers[edge.from], 2 * layers[edge.to]);
    if edge.from == edge.to {
        return Vec::new();
    }
    let between: Vec<usize> = match from < to {
        true => (from + 1..to).collect(),
        false => (to + 1..from).rev().collect(),
    };
    let label = between.len() / 2 / 2 * 2;
    let mut chain = Vec::new();
    let mut before = edge.from;
    for (at, layer) in between.iter().enumerate() {
        let id = items.len();
        items.push(Item {
            size: if at == label {
                edge.label
            } else {
                Size::default()
            },
            layer: *layer,
            x: 0.0,
            neighbours: vec![before],
        });
        items[before].neighbours.push(id);
        chain.push(id);
        before = id;
    }
    items[before].neighbours.push(edge.to);
    items[edge.to].neighbours.push(before);
    chain
}

/// The items of each layer, ordered so that edges cross little.
fn ordered(items: &[Item]) -> Vec<Vec<usize>> {
    let count = items.iter().map(|item| item.layer + 1).max().unwrap_or(0);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (at, item) in items.iter().enumerate() {
        rows[item.layer].push(at);
    }
    let mut places = vec![0.0; items.len()];
    let number = |rows: &[Vec<usize>], places: &mut Vec<f64>| {
        for row in rows {
            for (at, item) in row.iter().enumerate() {
                places[*item] = (at as f64 + 0.5) / row.len() as f64;
            }
        }
    };
    number(&rows, &mut places);
    let mut best = (crossings(items, &rows), rows.clone());
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        let order: Vec<usize> = match down {
            true => (0..count).collect(),
            false => (0..count).rev().collect(),
        };
        for layer in order {
            let wanted = |item: usize| {
                let fixed = |other: &&usize| (items[**other].layer < layer) == down;
                let near: Vec<f64> = items[item]
                    .neighbours
                    .iter()
                    .filter(fixed)
                    .map(|other| places[*other])
                    .collect();
                match near.is_empty() {
                    true => places[item],
                    false => near.iter().sum::<f64>() / near.len() as f64,
                }
            };
            let mut row: Vec<(f64, usize)> = rows[layer]
                .iter()
                .map(|item| (wanted(*item), *item))
                .collect();
            row.sort_by(|a, b| a.0.total_cmp(&b.0));
            rows[layer] = row.into_iter().map(|(_, item)| item).collect();
            number(&rows, &mut places);
        }
        let crossed = crossings(items, &rows);
        if crossed < best.0 {
            best = (crossed, rows.clone());
        }
    }
    best.1
}

fn crossings(items: &[Item], rows: &[Vec<usize>]) -> usize {
    let mut place = vec![0; items.len()];
    for row in rows {
        for (at, item) in row.iter().enumerate() {
            place[*item] = at;
        }
    }
    let mut count = 0;
    for row in rows {
        let mut lines = Vec::new();
        for item in row {
            for other in &items[*item].neighbours {
                if items[*other].layer == items[*item].layer + 1 {
                    lines.push((place[*item], place[*other]));
                }
            }
        }
        for (at, one) in lines.iter().enumerate() {
            for other in &lines[at + 1..] {
                let crossed =
                    (one.0 < other.0 && one.1 > other.1) || (one.0 > other.0 && one.1 < other.1);
                count += usize::from(crossed);
            }
        }
    }
    count
}

/// Gives every item a left edge: near its neighbours, in the order of its layer.
fn settle(items: &mut [Item], rows: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    for row in &rows {
        let mut x = 0.0;
        for item in row {
            items[*item].x = x;
            x += items[*item].size.width + GAP;
        }
    }
    for sweep in 0..2 * SWEEPS {
        let order: Vec<usize> = match sweep % 2 {
            0 => (0..rows.len()).collect(),
            _ => (0..rows.len()).rev().collect(),
        };
        for layer in order {
            let wanted: Vec<f64> = rows[layer]
                .iter()
                .map(|item| wanted_x(items, *item))
                .collect();
            let lefts = spread(items, &rows[layer], &wanted);
            for (item, left) in rows[layer].iter().zip(lefts) {
                items[*item].x = left;
            }
        }
    }
    let left = items
        .iter()
        .map(|item| item.x)
        .fold(f64::INFINITY, f64::min);
    for item in items.iter_mut() {
        item.x -= left;
    }
    rows
}

fn wanted_x(items: &[Item], item: usize) -> f64 {
    let centre = |other: &usize| items[*other].x + items[*other].size.width / 2.0;
    let near: Vec<f64> = items[item].neighbours.iter().map(centre).collect();
    match near.is_empty() {
        true => items[item].x,
        false => near.iter().sum::<f64>() / near.len() as f64 - items[item].size.width / 2.0,
    }
}

/// Left edges in order without overlap: the mean of packing to the right and packing to the left.
fn spread(items: &[Item], row: &[usize], wanted: &[f64]) -> Vec<f64> {
    let mut right: Vec<f64> = Vec::new();
    let mut least = f64::NEG_INFINITY;
    for (item, wanted) in row.iter().zip(wanted) {
        let x = wanted.max(least);
        right.push(x);
        least = x + items[*item].size.width + GAP;
    }
    let mut left = vec![0.0; row.len()];
    let mut most = f64::INFINITY;
    for at in (0..row.len()).rev() {
        let width = items[row[at]].size.width;
        left[at] = wanted[at].min(most - width);
        most = left[at] - GAP;
    }
    right
        .iter()
        .zip(left)
        .map(|(a, b)| f64::midpoint(*a, b))
        .collect()
}

fn tops(items: &[Item], rows: &[Vec<usize>]) -> Vec<(f64, f64)> {
    let mut y = 0.0;
    let mut tops = Vec::new();
    for row in rows {
        let height = row
            .iter()
            .map(|item| items[*item].size.height)
            .fold(0.0, f64::max);
        tops.push((y, height));
        y += height + LAYER_GAP;
    }
    tops
}

fn finish(
    boxes: &[Size],
    edges: &[DrawnEdge],
    items: &[Item],
    chains: &[Vec<usize>],
    tops: &[(f64, f64)],
) -> PlacedBoxes {
    let mut placed = PlacedBoxes::default();
    for (at, size) in boxes.iter().enumerate() {
        let (top, height) = tops[items[at].layer];
        placed.boxes.push(DrawnPoint {
            x: items[at].x,
            y: top + (height - size.height) / 2.0,
        });
    }
    let mut loops = vec![0.0; boxes.len()];
    for (edge, chain) in edges.iter().zip(chains) {
        if edge.from == edge.to {
            let corner = placed.boxes[edge.from];
            let (top, height) = tops[items[edge.from].layer];
            let ours = edges
                .iter()
                .filter(|other| other.from == edge.from && other.to == edge.from);
            let all: f64 = ours.map(|other| other.label.height + LAYER_GAP).sum();
            let first = top + (height - (all - LAYER_GAP)) / 2.0;
            let y = first + loops[edge.from] + edge.label.height / 2.0;
            loops[edge.from] += edge.label.height + LAYER_GAP;
            let x = corner.x + boxes[edge.from].width + GAP + edge.label.width / 2.0;
            placed.labels.push(DrawnPoint { x, y });
            placed.ways.push(Vec::new());
            continue;
        }
        let middle = |item: &usize| {
            let (top, height) = tops[items[*item].layer];
            DrawnPoint {
                x: items[*item].x + items[*item].size.width / 2.0,
                y: top + height / 2.0,
            }
        };
        placed.ways.push(chain.iter().map(middle).collect());
        let labelled = chain
            .iter()
            .find(|item| items[**item].size != Size::default());
        placed.labels.push(labelled.map(middle).unwrap_or_default());
    }
    let right = items
        .iter()
        .map(|item| item.x + item.size.width)
        .fold(0.0, f64::max);
    let bottom = tops.last().map_or(0.0, |(top, height)| top + height);
    placed.size = Size {
        width: right,
        height: bottom,
    };
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Size = Size {
        width: 80.0,
        height: 30.0,
    };

    fn edge(from: usize, to: usize) -> DrawnEdge {
        let label = Size {
            width: 50.0,
            height: 14.0,
        };
        DrawnEdge { from, to, label }
    }

    fn overlap(a: (DrawnPoint, Size), b: (DrawnPoint, Size)) -> bool {
        a.0.x < b.0.x + b.1.width
            && b.0.x < a.0.x + a.1.width
            && a.0.y < b.0.y + b.1.height
            && b.0.y < a.0.y + a.1.height
    }

    #[test]
    fn no_box_and_no_label_lies_on_another() {
        for seed in 0..40u64 {
            let mut random = crate::random::SplitMix64::new(seed);
            let count = 2 + random.remainder(7);
            let boxes = vec![BOX; count];
            let edges: Vec<DrawnEdge> = (0..count * 2)
                .map(|_| edge(random.remainder(count), random.remainder(count)))
                .collect();
            let placed = place(&boxes, &edges, Some(0));
            let mut all: Vec<(DrawnPoint, Size)> =
                placed.boxes.iter().map(|at| (*at, BOX)).collect();
            for (edge, at) in edges.iter().zip(&placed.labels) {
                let corner = DrawnPoint {
                    x: at.x - edge.label.width / 2.0,
                    y: at.y - edge.label.height / 2.0,
                };
                all.push((corner, edge.label));
            }
            for (at, one) in all.iter().enumerate() {
                for other in &all[at + 1..] {
                    assert!(!overlap(*one, *other), "seed {seed}: {one:?} {other:?}");
                }
                assert!(one.0.x >= -0.1 && one.0.x + one.1.width <= placed.size.width + 0.1);
            }
        }
    }

    #[test]
    fn the_first_stands_at_the_top_and_what_it_leads_to_below() {
        let placed = place(&[BOX; 3], &[edge(1, 0), edge(1, 2), edge(2, 1)], Some(1));
        assert!(placed.boxes[1].y < placed.boxes[0].y);
        assert!(placed.boxes[1].y < placed.boxes[2].y);
    }
}
