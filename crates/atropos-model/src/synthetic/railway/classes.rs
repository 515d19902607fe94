//! The types and the list of classes that both stations share.

use super::elements::{relay, section, signal, switch};
use super::routes::{route, route_relay, route_section, route_signal, route_switch};
use crate::synthetic::class::ClassText;

/// The types of the station.
pub fn types() -> Vec<String> {
    let mut types: Vec<String> = [
        "t_RelayState = {RelayUnknown, Energised, Dropped, Disturbed}",
        "t_SectionState = {SectionUnknown, Clear, Occupied, Barred}",
        "t_Position = {PositionUnknown, Plus, Minus, Between, Trailed}",
        "t_Aspect = {Dark, LampTest, LampFine, Stop, Go, Broken}",
        "t_RouteState = {Idle, Requested, Locking, Locked, Open, Used, Releasing}",
        "t_PairState = {Unplaced, Waiting, Commanded, Held, Passing, Passed}",
        "t_place = int[0..elements_of_route]",
    ]
    .map(str::to_owned)
    .to_vec();
    for sort in ["section", "relay", "switch", "signal", "route"] {
        types.push(format!("t_{sort} = int[0..last_{sort}]"));
    }
    for sort in ["section", "relay", "switch", "signal"] {
        types.push(format!("t_{sort}_of_route = int[0..{sort}s_of_route]"));
        types.push(format!("t_route_of_{sort} = int[0..routes_of_{sort}]"));
    }
    types.push("t_relay_of_section = int[0..relays_of_section]".to_owned());
    types
}

/// All of them; the station's own class is not among them.
pub fn all() -> Vec<ClassText> {
    vec![
        relay(),
        section(),
        switch(),
        signal(),
        route_section(),
        route_relay(),
        route_switch(),
        route_signal(),
        route(),
    ]
}
