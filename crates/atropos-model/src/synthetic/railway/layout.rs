//! Which element lies where, and what each route needs.

use crate::random::SplitMix64;

/// How many there are of each.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    pub sections: usize,
    pub relays: usize,
    pub switches: usize,
    pub signals: usize,
    pub routes: usize,
    /// All objects, with the pairs and the station itself.
    pub objects: usize,
}

impl Numbers {
    /// All elements.
    pub fn elements(&self) -> usize {
        self.sections + self.relays + self.switches + self.signals
    }

    /// The objects that are neither elements nor routes nor the station itself.
    pub fn pairs(&self) -> usize {
        self.objects - self.elements() - self.routes - 1
    }
}

/// An element of the station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TrackElement {
    Section(usize),
    Relay(usize),
    Switch(usize),
    Signal(usize),
}

impl TrackElement {
    /// The name of its object.
    pub fn name(self) -> String {
        match self {
            TrackElement::Section(number) => format!("section_{number}"),
            TrackElement::Relay(number) => format!("relay_{number}"),
            TrackElement::Switch(number) => format!("switch_{number}"),
            TrackElement::Signal(number) => format!("signal_{number}"),
        }
    }

    /// Its class.
    pub fn class(self) -> &'static str {
        match self {
            TrackElement::Section(_) => "TrackSection",
            TrackElement::Relay(_) => "TrackRelay",
            TrackElement::Switch(_) => "Switch",
            TrackElement::Signal(_) => "MainSignal",
        }
    }

    /// A word for its sort.
    pub fn sort(self) -> &'static str {
        match self {
            TrackElement::Section(_) => "section",
            TrackElement::Relay(_) => "relay",
            TrackElement::Switch(_) => "switch",
            TrackElement::Signal(_) => "signal",
        }
    }
}

/// The station's plan.
#[derive(Clone, Debug)]
pub struct TrackLayout {
    /// How many there are of each.
    pub numbers: Numbers,
    /// The elements of each route, its start signal first.
    pub routes: Vec<Vec<TrackElement>>,
    /// The order in which elements come up, per track.
    pub tracks: Vec<Vec<TrackElement>>,
}

/// Tracks that come up side by side.
const TRACKS: usize = 2;

impl TrackLayout {
    /// A plan of those numbers.
    pub fn new(numbers: Numbers, seed: u64) -> TrackLayout {
        let pairs = numbers.pairs();
        let mut random = SplitMix64::new(seed);
        let mut layout = TrackLayout {
            numbers,
            routes: Vec::new(),
            tracks: vec![Vec::new(); TRACKS],
        };
        for route in 0..numbers.routes {
            let quota = pairs * (route + 1) / numbers.routes - pairs * route / numbers.routes;
            let elements = layout.route(route, quota, &mut random);
            layout.routes.push(elements);
        }
        for section in 0..numbers.sections {
            let track = section * TRACKS / numbers.sections;
            let here = layout.at_section(section);
            // Relays before their section, switches and signals after it.
            let (before, after): (Vec<_>, Vec<_>) = here
                .into_iter()
                .partition(|element| matches!(element, TrackElement::Relay(_)));
            layout.tracks[track].extend(before);
            layout.tracks[track].push(TrackElement::Section(section));
            layout.tracks[track].extend(after);
        }
        layout
    }

    /// Relays, switches and signals of a section.
    fn at_section(&self, section: usize) -> Vec<TrackElement> {
        let numbers = self.numbers;
        let here = move |count: usize, stride: usize| {
            (0..count).filter(move |number| number * stride % numbers.sections == section)
        };
        let mut found: Vec<TrackElement> =
            here(numbers.relays, 1).map(TrackElement::Relay).collect();
        found.extend(here(numbers.switches, 3).map(TrackElement::Switch));
        found.extend(here(numbers.signals, 7).map(TrackElement::Signal));
        found
    }

    /// The section in which a relay lies.
    pub fn section_of_relay(&self, relay: usize) -> usize {
        relay % self.numbers.sections
    }

    /// `quota` elements along the track from some section on, behind a start signal.
    fn route(&self, route: usize, quota: usize, random: &mut SplitMix64) -> Vec<TrackElement> {
        let numbers = self.numbers;
        let mut elements = vec![TrackElement::Signal(route % numbers.signals)];
        let mut section = (route * 3 + random.remainder(numbers.sections)) % numbers.sections;
        while elements.len() < quota {
            for element in
                std::iter::once(TrackElement::Section(section)).chain(self.at_section(section))
            {
                if elements.len() < quota && !elements.contains(&element) {
                    elements.push(element);
                }
            }
            section = (section + 1) % numbers.sections;
        }
        elements
    }

    /// The most elements of one sort that a route has.
    fn most_in_route(&self, sort: &str) -> usize {
        let count = |route: &Vec<TrackElement>| {
            route
                .iter()
                .filter(|element| element.sort() == sort)
                .count()
        };
        self.routes.iter().map(count).max().unwrap_or(0).max(1)
    }

    /// The most routes that use one element of a sort.
    fn most_users(&self, sort: &str) -> usize {
        let mut users = std::collections::BTreeMap::new();
        for element in self
            .routes
            .iter()
            .flatten()
            .filter(|element| element.sort() == sort)
        {
            *users.entry(*element).or_insert(0usize) += 1;
        }
        users.values().copied().max().unwrap_or(0).max(1)
    }

    /// Room in the lists, and the numbers of elements.
    pub fn constants(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for sort in ["section", "relay", "switch", "signal"] {
            // A little air, as planners leave it.
            lines.push(format!(
                "{sort}s_of_route = {}",
                self.most_in_route(sort) + 1
            ));
            lines.push(format!("routes_of_{sort} = {}", self.most_users(sort) + 1));
        }
        let most = self.routes.iter().map(Vec::len).max().unwrap_or(0);
        lines.push(format!("elements_of_route = {}", most + 1));
        let numbers = self.numbers;
        let relays = numbers.relays.div_ceil(numbers.sections) + 1;
        lines.push(format!("relays_of_section = {relays}"));
        for (sort, count) in [
            ("section", numbers.sections),
            ("relay", numbers.relays),
            ("switch", numbers.switches),
            ("signal", numbers.signals),
            ("route", numbers.routes),
        ] {
            lines.push(format!("last_{sort} = {}", count - 1));
        }
        lines
    }
}
