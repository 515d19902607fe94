//! M6 and M7: a railway station with track sections, track relays, switches, main signals and train routes.
//!
//! There is one object per element, per route and per (route, element) pair, and one for the station itself. First the pairs take their places: one
//! internal step each, in order within a route, in any order between routes, 2,552 steps in M7. Then the elements come up one
//! after the other along two tracks, which gives a long, partially ordered sequence of observations before the first input: relays of a section,
//! the section, its switches, its signals. Then the operator requests routes: the pairs of a route lock their elements in any order, switches
//! move, the route locks, its signal clears, the train passes, everything is released.

mod classes;
mod elements;
mod layout;
mod routes;
mod station;

use super::{Draft, PaperModel};
use layout::{Numbers, TrackLayout};

/// How many there are of each in the stand-ins.
pub fn numbers(kind: PaperModel) -> Numbers {
    match kind {
        PaperModel::M6 => Numbers {
            sections: 10,
            relays: 4,
            switches: 2,
            signals: 6,
            routes: 10,
            objects: 125,
        },
        _ => Numbers {
            sections: 37,
            relays: 56,
            switches: 34,
            signals: 22,
            routes: 145,
            objects: 2847,
        },
    }
}

/// A station of about M7's proportions with that many objects; fewer than [`FEWEST_OBJECTS`] become so many.
pub fn scaled(objects: usize) -> Numbers {
    let objects = objects.max(FEWEST_OBJECTS);
    let large = numbers(PaperModel::M7);
    let part = |of: usize, least: usize| (of * objects / large.objects).max(least);
    let mut scaled = Numbers {
        sections: part(large.sections, 5),
        relays: part(large.relays, 3),
        switches: part(large.switches, 2),
        signals: part(large.signals, 3),
        routes: part(large.routes, 4),
        objects,
    };
    // No route can need more elements than there are; half of them is plenty.
    while scaled.pairs() > scaled.routes * scaled.elements() / 2 {
        scaled.routes += 1;
    }
    scaled
}

/// Below this there is no station to speak of.
pub const FEWEST_OBJECTS: usize = 50;

/// The model without supervision.
pub fn draft(numbers: Numbers, seed: u64) -> Draft {
    let layout = TrackLayout::new(numbers, seed);
    let mut classes = classes::all();
    classes.push(station::class(&layout));
    // Pairs are the many, routes the most complex: they get the larger shares of the supervision code.
    let supervised = (0..classes.len() - 1)
        .map(|index| (index, 2 + index / 4))
        .collect();
    let names: Vec<&str> = classes[..classes.len() - 1]
        .iter()
        .map(|class| class.name.as_str())
        .collect();
    Draft {
        consts: layout.constants(),
        types: classes::types(),
        // Inputs stand in the station's class, so they wait until every other object has come to rest.
        order: format!("{} // Station", names.join(" [] ")),
        classes,
        supervised,
    }
}
