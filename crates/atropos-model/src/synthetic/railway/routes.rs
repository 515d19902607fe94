//! The classes of routes and of (route, element) pairs.

use crate::synthetic::class::ClassText;

/// What every pair has.
fn pair(name: &str, remark: &str, element: &str) -> ClassText {
    ClassText::new(name, remark)
        .with_attributes(&format!(
            "state : t_PairState = t_PairState.Unplaced
route : Route = nil
element : {element} = nil
wired : bool = false
order : t_place = 0
overlap : bool = false
flank : bool = false"
        ))
        .with_methods(&format!(
            "wire(its_route: Route; its_element: {element}) =
  route := its_route;
  element := its_element;
  wired := true
end

set_order(place: t_place) = order := place end

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
        .with_actions(
            "take_place =
  requires wired and state = t_PairState.Unplaced and route.is_next(order):
    state := t_PairState.Waiting;
    route.has_placed()
  end",
        )
}

/// A section on a route.
pub fn route_section() -> ClassText {
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
    .with_rank("take_place()\ntake()\ntrain_comes()\ntrain_leaves()\ngive_back()")
}

/// A relay on a route.
pub fn route_relay() -> ClassText {
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
    .with_rank("take_place()\ntake()\ngive_back()")
}

/// A switch on a route.
pub fn route_switch() -> ClassText {
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
        .with_rank("take_place()\ncommand()\ntake()\ngive_back()")
}

/// A signal on a route.
pub fn route_signal() -> ClassText {
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
    .with_rank("take_place()\ntake()\nclear()\nfall_back()\ngive_back()")
}

/// The route itself.
pub fn route() -> ClassText {
    let mut class = ClassText::new(
        "Route",
        "A train route: requested, locked, opened, used, released.",
    )
    .with_attributes(
        "state : t_RouteState = t_RouteState.Idle
blocked : bool = false
confirmed : bool = false
asked : bool = false
placed : t_place = 0
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

# The pairs take their places one after the other.
is_next(place: t_place): bool = result := placed = place end

has_placed =
  placed := placed + 1
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
