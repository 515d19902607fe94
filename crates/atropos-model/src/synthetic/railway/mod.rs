//! M6 and M7: a railway station with track sections, track relays, switches, main signals and train routes.
//!
//! There is one object per element, per route and per (route, element) pair, and one for the station itself. After power-on the elements come up one
//! after the other along two tracks, which gives a long, partially ordered sequence of observations before the first input: relays of a section,
//! the section, its switches, its signals. Then the operator requests routes: the pairs of a route lock their elements in any order, switches
//! move, the route locks, its signal clears, the train passes, everything is released.

mod classes;
mod elements;
mod layout;
mod routes;
mod station;

use super::{Draft, Kind};
use layout::{Layout, Numbers};

/// The model without supervision.
pub fn draft(kind: Kind, seed: u64) -> Draft {
    let numbers = match kind {
        Kind::M6 => Numbers {
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
    };
    let layout = Layout::new(numbers, seed);
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
