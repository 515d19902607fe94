//! The classes of the station's elements: relays, sections, switches, signals.

use crate::synthetic::class::ClassText;

/// What every element has: its turn to come up, and whom it lets come up next.
fn element(name: &str, remark: &str, sort: &str, pair: &str) -> ClassText {
    ClassText::new(name, remark)
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

/// The track relay.
pub fn relay() -> ClassText {
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

/// The track section.
pub fn section() -> ClassText {
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

/// The switch.
pub fn switch() -> ClassText {
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

/// The main signal.
pub fn signal() -> ClassText {
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
