//! The example charts do what their comments say.

use super::animate;

#[test]
fn the_media_player_goes_on_where_it_was_interrupted() {
    let player = animate(
        "media_player.puml",
        include_str!("../../../../../examples/models/media_player.puml"),
    );
    let playing = "power !LightOn !PlaysRadio mode play !PlaysDisc";
    player.shows(
        &format!("{playing} ring !DiscStops !Muted hangup !Unmuted"),
        "!PlaysDisc",
    );
    player.shows(
        &format!("{playing} power !DiscStops !LightOff power !LightOn"),
        "mode play power ring delta",
    );
}

#[test]
fn the_heater_moves_both_regions_and_its_fan_runs_on() {
    let heater = animate(
        "heater.scxml",
        include_str!("../../../../../examples/models/heater.scxml"),
    );
    heater.shows("Power Measure(15)", "!Heats(20)");
    heater.shows("Power Measure(15) !Heats(20)", "!FanOn");
    let warm = "Power Measure(15) !Heats(20) !FanOn";
    let offers = heater.after(&format!("{warm} Measure(25) !Cools"));
    assert!(offers.contains("obs after(60)"), "{offers:?}");
    heater.shows(&format!("{warm} Measure(25) !Cools !after(60)"), "!FanOff");
    let again = heater.after(&format!(
        "{warm} Measure(25) !Cools Measure(15) !Heats(20) !after(60)"
    ));
    assert!(
        again.contains("delta"),
        "the fan stays on while the burner burns: {again:?}"
    );
}

#[test]
fn the_crossing_opens_for_the_train_once_both_barriers_are_down() {
    let crossing = animate(
        "crossing.scxml",
        include_str!("../../../../../examples/models/crossing.scxml"),
    );
    crossing.shows("TrainComes", "!RedOn !west.MovesDown !east.MovesDown");
    let moving = "TrainComes !east.MovesDown !RedOn !west.MovesDown";
    crossing.shows(moving, "!after(8)");
    crossing.shows(&format!("{moving} !after(8)"), "!ClearForTrain");
    crossing.shows(
        &format!("{moving} !after(8) !ClearForTrain TrainGone"),
        "TrainComes !RedOff !west.MovesUp !east.MovesUp",
    );
}

#[test]
fn orders_are_picked_and_printed_beside_each_other_and_shipped_by_their_weight() {
    let picking = animate(
        "order_picking.puml",
        include_str!("../../../../../examples/models/order_picking.puml"),
    );
    picking.shows("", "order_received delta");
    let picked = "order_received !OrderShown label_printed goods_at_the_gate";
    picking.shows(
        "order_received !OrderShown",
        "goods_at_the_gate label_printed delta",
    );
    picking.shows(picked, "!ScaleOn");
    picking.shows(&format!("{picked} !ScaleOn scanned(3)"), "!ScaleOff");
    let light = format!("{picked} !ScaleOn scanned(1) !ScaleOff !ShelfLit");
    picking.shows(&light, "!after(15)");
    picking.shows(&format!("{light} !after(15)"), "!TakenAway");
    let heavy = format!("{picked} !ScaleOn scanned(3) !ScaleOff !CallTruck truck_left");
    let closing = [heavy.as_str(), &heavy, &heavy].join(" ");
    picking.shows(&closing, "cleaned counted delta");
    picking.shows(&format!("{closing} cleaned counted !SumShown"), "delta");
}
