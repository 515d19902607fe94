//! The classes that both stations share: elements, routes, and (route, element) pairs.

use crate::synthetic::class::Class;

/// The types of the station.
pub fn types() -> Vec<String> {
    let mut types: Vec<String> = [
        "t_RelayState = {RelayUnknown, Energised, Dropped, Disturbed}",
        "t_SectionState = {SectionUnknown, Clear, Occupied, Barred}",
        "t_Position = {PositionUnknown, Plus, Minus, Between, Trailed}",
        "t_Aspect = {Dark, LampTest, LampFine, Stop, Go, Broken}",
        "t_RouteState = {Idle, Requested, Locking, Locked, Open, Used, Releasing}",
        "t_PairState = {Waiting, Commanded, Held, Passing, Passed}",
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
pub fn all() -> Vec<Class> {
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

/// What every element has: its turn to come up, and whom it lets come up next.
fn element(name: &str, remark: &str, sort: &str, pair: &str) -> Class {
    Class::new(name, remark)
        .with_attributes(&format!(
            "begun : bool = false
users : list[routes_of_{sort}] of {pair} = []
next_relay : TrackRelay = nil
next_section : TrackSection = nil
next_switch : Switch = nil
next_signal : MainSignal = nil
changed : bool = false"
        ))
        .with_methods(&format!(
            "begin_up =
  begun := true
end

before_relay(other: TrackRelay) = next_relay := other end

before_section(other: TrackSection) = next_section := other end

before_switch(other: Switch) = next_switch := other end

before_signal(other: MainSignal) = next_signal := other end

pass_on =
  requires next_relay <> nil: next_relay.begin_up() end
  //
  requires next_section <> nil: next_section.begin_up() end
  //
  requires next_switch <> nil: next_switch.begin_up() end
  //
  requires next_signal <> nil: next_signal.begin_up() end
  //
  skip
end

add_user(pair: {pair}) =
  users := users + [pair]
end

in_use: bool =
  result := exists u: t_route_of_{sort}: (u < len users and users[u].holds())
end"
        ))
}

fn relay() -> Class {
    element("TrackRelay", "A track relay: it drops when a wheel shorts its circuit.", "relay", "RouteRelay")
        .with_attributes("state : t_RelayState = t_RelayState.RelayUnknown\nsection : TrackSection = nil\nfaults : t_Level = 0")
        .with_methods(
            "wire(its_section: TrackSection) =
  section := its_section
end

is_ready: bool = result := state <> t_RelayState.RelayUnknown end

is_energised: bool = result := state = t_RelayState.Energised end

may_drop: bool = result := state = t_RelayState.Energised end

drop =
  state := t_RelayState.Dropped;
  changed := true;
  supervise()
end

may_energise: bool = result := state = t_RelayState.Dropped end

energise =
  state := t_RelayState.Energised;
  changed := true;
  supervise()
end

may_disturb: bool = result := state <> t_RelayState.Disturbed and faults < 15 end

disturb =
  state := t_RelayState.Disturbed;
  faults := faults + 1;
  changed := true
end

may_repair: bool = result := state = t_RelayState.Disturbed end

repair =
  state := t_RelayState.Dropped;
  supervise()
end",
        )
        .with_actions(
            "come_up =
  requires begun and state = t_RelayState.RelayUnknown:
    state := t_RelayState.Energised;
    RelayEnergised();
    pass_on()
  end

report =
  requires changed:
    changed := false;
    (
      requires state = t_RelayState.Energised: RelayEnergised() end
      //
      requires state = t_RelayState.Dropped: RelayDropped() end
      //
      RelayDisturbed()
    );
    section.relay_changed()
  end

obs RelayEnergised = requires true: skip end

obs RelayDropped = requires true: skip end

obs RelayDisturbed = requires true: skip end",
        )
        .with_rank("come_up()\nreport()")
}

fn section() -> Class {
    element("TrackSection", "A track section: clear or occupied, and locked for one route at a time.", "section", "RouteSection")
        .with_attributes(
            "state : t_SectionState = t_SectionState.SectionUnknown
relays : list[relays_of_section] of TrackRelay = []
locked : bool = false
axles : t_Level = 0",
        )
        .with_methods(
            "add_relay(relay: TrackRelay) =
  relays := relays + [relay]
end

is_ready: bool = result := state <> t_SectionState.SectionUnknown end

is_clear: bool = result := state = t_SectionState.Clear end

is_occupied: bool = result := state = t_SectionState.Occupied end

all_energised: bool =
  result := forall r: t_relay_of_section: (r < len relays => relays[r].is_energised())
end

is_free: bool =
  result := state = t_SectionState.Clear and not locked and not in_use()
end

lock =
  locked := true;
  supervise()
end

unlock =
  locked := false
end

relay_changed =
  requires state = t_SectionState.Clear and not all_energised(): state := t_SectionState.Occupied; changed := true end
  //
  skip
end

may_occupy: bool = result := state = t_SectionState.Clear and axles < 15 end

occupy =
  state := t_SectionState.Occupied;
  axles := axles + 1;
  changed := true;
  supervise()
end

may_vacate: bool = result := state = t_SectionState.Occupied and all_energised() end

vacate =
  state := t_SectionState.Clear;
  changed := true;
  supervise()
end

may_bar: bool = result := state = t_SectionState.Clear and not locked end

bar =
  state := t_SectionState.Barred;
  changed := true
end

may_unbar: bool = result := state = t_SectionState.Barred end

unbar =
  state := t_SectionState.Clear;
  changed := true
end

may_reset: bool = result := axles > 0 end

reset =
  axles := 0;
  supervise()
end",
        )
        .with_actions(
            "come_up =
  requires begun and state = t_SectionState.SectionUnknown and all_energised():
    state := t_SectionState.Clear;
    SectionClear();
    pass_on()
  end

report =
  requires changed:
    changed := false;
    (
      requires state = t_SectionState.Clear: SectionClear() end
      //
      requires state = t_SectionState.Barred: SectionBarred() end
      //
      SectionOccupied()
    )
  end

obs SectionClear = requires true: skip end

obs SectionOccupied = requires true: skip end

obs SectionBarred = requires true: skip end",
        )
        .with_rank("come_up()\nreport()")
}

fn switch() -> Class {
    element(
        "Switch",
        "A switch: it moves when told and is held while a route is set over it.",
        "switch",
        "RouteSwitch",
    )
    .with_attributes(
        "position : t_Position = t_Position.PositionUnknown
wanted : t_Position = t_Position.Plus
held : bool = false
moves : t_Level = 0",
    )
    .with_methods(
        "is_ready: bool = result := position = t_Position.Plus and not begun end

is_at(where: t_Position): bool = result := position = where end

is_free: bool = result := not held and not in_use() end

move(where: t_Position) =
  wanted := where
end

hold =
  held := true;
  supervise()
end

let_go =
  held := false
end

may_reach: bool = result := position = t_Position.Between end

reach =
  position := wanted;
  changed := true;
  supervise()
end

may_trail: bool = result := position <> t_Position.Trailed and not begun and moves < 15 end

trail =
  position := t_Position.Trailed;
  moves := moves + 1;
  changed := true
end

may_restore: bool = result := position = t_Position.Trailed end

restore =
  position := t_Position.Between;
  supervise()
end

may_throw: bool =
  result := not held and (position = t_Position.Plus or position = t_Position.Minus)
end

throw =
  requires position = t_Position.Plus: wanted := t_Position.Minus end
  //
  wanted := t_Position.Plus
end",
    )
    .with_actions(
        "come_up =
  requires begun:
    requires position = t_Position.PositionUnknown:
      position := t_Position.Between;
      SwitchMoves()
    end
    []
    requires position = t_Position.Between:
      position := t_Position.Plus;
      SwitchInPlus()
    end
    []
    requires position = t_Position.Plus:
      begun := false;
      SwitchHeld();
      pass_on()
    end
  end

start_moving =
  requires not begun and not held and wanted <> position:
    requires position = t_Position.Plus or position = t_Position.Minus:
      position := t_Position.Between;
      SwitchMoves()
    end
  end

report =
  requires changed:
    changed := false;
    (
      requires position = t_Position.Plus: SwitchInPlus() end
      //
      requires position = t_Position.Minus: SwitchInMinus() end
      //
      SwitchTrailed()
    )
  end

obs SwitchMoves = requires true: skip end

obs SwitchInPlus = requires true: skip end

obs SwitchInMinus = requires true: skip end

obs SwitchHeld = requires true: skip end

obs SwitchTrailed = requires true: skip end",
    )
    .with_rank("come_up()\nstart_moving()\nreport()")
}

fn signal() -> Class {
    element("MainSignal", "A main signal: it shows Stop unless an open route starts behind it.", "signal", "RouteSignal")
        .with_attributes("aspect : t_Aspect = t_Aspect.Dark\nwanted : t_Aspect = t_Aspect.Stop\nemergency : bool = false\nfailures : t_Level = 0")
        .with_methods(
            "is_ready: bool = result := aspect = t_Aspect.Stop end

is_sound: bool = result := aspect <> t_Aspect.Broken and not emergency end

is_free: bool = result := aspect = t_Aspect.Stop and not in_use() end

clear =
  requires not emergency: wanted := t_Aspect.Go end
  //
  skip
end

stop =
  wanted := t_Aspect.Stop;
  supervise()
end

may_fail: bool = result := (aspect = t_Aspect.Stop or aspect = t_Aspect.Go) and failures < 15 end

fail =
  aspect := t_Aspect.Broken;
  wanted := t_Aspect.Stop;
  failures := failures + 1;
  changed := true
end

may_mend: bool = result := aspect = t_Aspect.Broken end

mend =
  aspect := t_Aspect.Stop;
  changed := true;
  supervise()
end

may_halt: bool = result := not emergency and aspect <> t_Aspect.Broken end

halt =
  emergency := true;
  wanted := t_Aspect.Stop
end

may_resume: bool = result := emergency end

resume =
  emergency := false;
  supervise()
end",
        )
        .with_actions(
            "come_up =
  requires begun:
    requires aspect = t_Aspect.Dark:
      aspect := t_Aspect.LampTest;
      SignalTests()
    end
    []
    requires aspect = t_Aspect.LampTest:
      aspect := t_Aspect.LampFine;
      SignalFine()
    end
    []
    requires aspect = t_Aspect.LampFine:
      aspect := t_Aspect.Stop;
      begun := false;
      SignalStop();
      pass_on()
    end
  end

change =
  requires wanted <> aspect and (aspect = t_Aspect.Stop or aspect = t_Aspect.Go):
    aspect := wanted;
    changed := true
  end

report =
  requires changed:
    changed := false;
    (
      requires aspect = t_Aspect.Stop: SignalStop() end
      //
      requires aspect = t_Aspect.Go: SignalGo() end
      //
      SignalBroken()
    )
  end

obs SignalTests = requires true: skip end

obs SignalFine = requires true: skip end

obs SignalStop = requires true: skip end

obs SignalGo = requires true: skip end

obs SignalBroken = requires true: skip end",
        )
        .with_rank("come_up()\nreport()\nchange()")
}

/// What every pair has.
fn pair(name: &str, remark: &str, element: &str) -> Class {
    Class::new(name, remark)
        .with_attributes(&format!(
            "state : t_PairState = t_PairState.Waiting
route : Route = nil
element : {element} = nil
wired : bool = false
order : t_Level = 0
overlap : bool = false
flank : bool = false"
        ))
        .with_methods(&format!(
            "wire(its_route: Route; its_element: {element}) =
  route := its_route;
  element := its_element;
  wired := true
end

set_order(place: t_Level) = order := place end

set_overlap(beyond: bool) = overlap := beyond end

set_flank(beside: bool) = flank := beside end

holds: bool =
  result := state = t_PairState.Held or state = t_PairState.Passing
end

is_held: bool = result := state = t_PairState.Held end

is_done: bool = result := state = t_PairState.Waiting or state = t_PairState.Passed end

is_waiting: bool = result := state = t_PairState.Waiting end

reset =
  state := t_PairState.Waiting
end"
        ))
}

fn route_section() -> Class {
    pair(
        "RouteSection",
        "A section as one route needs it: locked, passed by the train, released.",
        "TrackSection",
    )
    .with_methods("available: bool = result := element.is_free() end")
    .with_actions(
        "take =
  requires wired and state = t_PairState.Waiting and route.is_locking() and element.is_free():
    element.lock();
    state := t_PairState.Held;
    supervise()
  end

train_comes =
  requires wired and state = t_PairState.Held and route.is_under_train() and element.is_occupied():
    state := t_PairState.Passing;
    route.train_enters();
    supervise()
  end

train_leaves =
  requires wired and state = t_PairState.Passing and element.is_clear():
    element.unlock();
    state := t_PairState.Passed;
    supervise()
  end

give_back =
  requires wired and route.is_releasing() and not is_waiting():
    (
      requires holds(): element.unlock() end
      //
      skip
    );
    state := t_PairState.Waiting
  end",
    )
    .with_rank("take()\ntrain_comes()\ntrain_leaves()\ngive_back()")
}

fn route_relay() -> Class {
    pair(
        "RouteRelay",
        "A relay as one route needs it: energised while the route is set.",
        "TrackRelay",
    )
    .with_methods("available: bool = result := element.is_energised() end")
    .with_actions(
        "take =
  requires wired and state = t_PairState.Waiting and route.is_locking() and element.is_energised():
    state := t_PairState.Held;
    supervise()
  end

give_back =
  requires wired and route.is_releasing() and not is_waiting():
    state := t_PairState.Waiting
  end",
    )
    .with_rank("take()\ngive_back()")
}

fn route_switch() -> Class {
    pair("RouteSwitch", "A switch as one route needs it: in the right position, and held there.", "Switch")
        .with_attributes("required : t_Position = t_Position.Plus")
        .with_methods(
            "set_required(where: t_Position) = required := where end

available: bool = result := element.is_free() end",
        )
        .with_actions(
            "command =
  requires wired and state = t_PairState.Waiting and route.is_locking() and element.is_free():
    element.move(required);
    state := t_PairState.Commanded;
    supervise()
  end

take =
  requires wired and state = t_PairState.Commanded and route.is_locking() and element.is_at(required):
    element.hold();
    state := t_PairState.Held;
    supervise()
  end

give_back =
  requires wired and route.is_releasing() and not is_waiting():
    element.let_go();
    state := t_PairState.Waiting
  end",
        )
        .with_rank("command()\ntake()\ngive_back()")
}

fn route_signal() -> Class {
    pair(
        "RouteSignal",
        "A signal as one route needs it: the start signal clears, the others are sound.",
        "MainSignal",
    )
    .with_attributes("starts : bool = false")
    .with_methods(
        "set_start(here: bool) = starts := here end

available: bool = result := element.is_sound() end",
    )
    .with_actions(
        "take =
  requires wired and state = t_PairState.Waiting and route.is_locking() and element.is_sound():
    state := t_PairState.Held;
    supervise()
  end

clear =
  requires wired and starts and state = t_PairState.Held and route.is_open():
    element.clear();
    state := t_PairState.Passing;
    supervise()
  end

fall_back =
  requires wired and starts and state = t_PairState.Passing and route.is_used():
    element.stop();
    state := t_PairState.Passed
  end

give_back =
  requires wired and route.is_releasing() and not is_waiting():
    (
      requires starts: element.stop() end
      //
      skip
    );
    state := t_PairState.Waiting
  end",
    )
    .with_rank("take()\nclear()\nfall_back()\ngive_back()")
}

fn route() -> Class {
    let mut class = Class::new(
        "Route",
        "A train route: requested, locked, opened, used, released.",
    )
    .with_attributes(
        "state : t_RouteState = t_RouteState.Idle
blocked : bool = false
confirmed : bool = false
asked : bool = false
uses : t_Level = 0",
    );
    let mut conditions: Vec<(&str, String)> = Vec::new();
    for (sort, pair) in [
        ("section", "RouteSection"),
        ("relay", "RouteRelay"),
        ("switch", "RouteSwitch"),
        ("signal", "RouteSignal"),
    ] {
        class = class
            .with_attributes(&format!("{sort}s : list[{sort}s_of_route] of {pair} = []"))
            .with_methods(&format!(
                "add_{sort}(pair: {pair}) =\n  {sort}s := {sort}s + [pair]\nend"
            ));
        for what in ["available", "is_held", "is_done", "is_waiting"] {
            conditions.push((
                what,
                format!("(forall p: t_{sort}_of_route: (p < len {sort}s => {sort}s[p].{what}()))"),
            ));
        }
    }
    for what in ["available", "is_held", "is_waiting"] {
        let parts: Vec<&str> = conditions
            .iter()
            .filter(|(w, _)| *w == what)
            .map(|(_, text)| text.as_str())
            .collect();
        class.methods.push(format!(
            "all_{what}: bool =\n  result := {}\nend",
            parts.join("\n    and ")
        ));
    }
    class
        .with_methods(
            "sections_done: bool =
  result := forall p: t_section_of_route: (p < len sections => sections[p].is_done())
end

is_locking: bool = result := state = t_RouteState.Locking end

is_open: bool = result := state = t_RouteState.Open end

is_used: bool = result := state = t_RouteState.Used end

is_under_train: bool = result := state = t_RouteState.Open or state = t_RouteState.Used end

is_releasing: bool = result := state = t_RouteState.Releasing end

train_enters =
  requires state = t_RouteState.Open: state := t_RouteState.Used; supervise() end
  //
  skip
end

may_request: bool = result := state = t_RouteState.Idle and not blocked end

request =
  state := t_RouteState.Requested;
  supervise()
end

may_confirm: bool = result := state = t_RouteState.Locked and not confirmed end

confirm =
  confirmed := true;
  supervise()
end

may_cancel: bool = result := state = t_RouteState.Locking or state = t_RouteState.Locked end

cancel =
  state := t_RouteState.Releasing
end

may_free: bool = result := state = t_RouteState.Open or state = t_RouteState.Used end

free =
  state := t_RouteState.Releasing;
  supervise()
end

may_block: bool = result := state = t_RouteState.Idle and not blocked end

block =
  blocked := true
end

may_unblock: bool = result := blocked end

unblock =
  blocked := false;
  supervise()
end

may_ask: bool = result := not asked end

ask =
  asked := true
end",
        )
        .with_actions(
            "admit =
  requires state = t_RouteState.Requested:
    requires all_available(): state := t_RouteState.Locking; supervise() end
    //
    state := t_RouteState.Idle;
    RouteRefused()
  end

lock =
  requires state = t_RouteState.Locking and all_is_held():
    state := t_RouteState.Locked;
    RouteLocked();
    supervise()
  end

open =
  requires state = t_RouteState.Locked and confirmed:
    state := t_RouteState.Open;
    confirmed := false;
    RouteOpen()
  end

train_gone =
  requires state = t_RouteState.Used and sections_done():
    state := t_RouteState.Releasing;
    supervise()
  end

release =
  requires state = t_RouteState.Releasing and all_is_waiting():
    state := t_RouteState.Idle;
    confirmed := false;
    uses := (uses + 1) mod 16;
    RouteReleased();
    supervise()
  end

answer =
  requires asked:
    asked := false;
    (
      requires state = t_RouteState.Idle: RouteIsIdle() end
      //
      RouteIsBusy()
    )
  end

obs RouteRefused = requires true: skip end

obs RouteLocked = requires true: skip end

obs RouteOpen = requires true: skip end

obs RouteReleased = requires true: skip end

obs RouteIsIdle = requires true: skip end

obs RouteIsBusy = requires true: skip end",
        )
        .with_rank("admit()\nlock()\nopen()\ntrain_gone()\nrelease()\nanswer()")
}
