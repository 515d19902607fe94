//! M5: nodes that publish over channels into buffers. Everything is a synchronous call; the tester gives time.

use super::Draft;
use super::class::ClassText;

const NODES: usize = 10;
const CHANNELS: usize = 40;
const BUFFERS: usize = 100;

/// The model without supervision.
pub fn draft() -> Draft {
    let classes = vec![buffer(), channel(), node(), middleware()];
    Draft {
        consts: Vec::new(),
        types: vec![
            "t_NodeState = {Down, Joining, Up, Faulty}".to_owned(),
            "t_ChannelState = {Closed, Open, Late, Lost}".to_owned(),
            "t_BufferState = {Empty, Filled, Overrun}".to_owned(),
            "t_Value = int[0..3]".to_owned(),
            format!("t_Node = int[0..{}]", NODES - 1),
            format!("t_Channel = int[0..{}]", CHANNELS - 1),
        ],
        order: "Buffer [] Channel [] Node // Middleware".to_owned(),
        classes,
        // Buffers are the many and simple ones: little of the supervision code is theirs.
        supervised: vec![(0, 1), (1, 3), (2, 6)],
    }
}

fn buffer() -> ClassText {
    ClassText::new(
        "Buffer",
        "A buffer of one message: it does nothing unless called.",
    )
    .with_attributes(
        "state : t_BufferState = t_BufferState.Empty\nvalue : t_Value = 0\nage : int[0..20] = 0",
    )
    .with_methods(
        "put(message: t_Value) =
  (
    requires state = t_BufferState.Empty: state := t_BufferState.Filled end
    //
    state := t_BufferState.Overrun
  );
  value := message;
  age := 0;
  supervise()
end

take: t_Value =
  result := value;
  state := t_BufferState.Empty
end

older(time: int[0..4]) =
  requires state <> t_BufferState.Empty and age + time <= 20: age := age + time end
  //
  skip
end

filled: bool = result := state <> t_BufferState.Empty end

stale: bool = result := state <> t_BufferState.Empty and age > 12 end",
    )
}

fn channel() -> ClassText {
    ClassText::new("Channel", "A channel with its buffers: messages wait in the first that is free.")
        .with_attributes(
            "state : t_ChannelState = t_ChannelState.Closed\nfirst : Buffer = nil\nsecond : Buffer = nil\nthird : Buffer = nil\nsubscribed : bool = false",
        )
        .with_methods(
            "wire(one: Buffer; two: Buffer; three: Buffer) =
  first := one;
  second := two;
  third := three
end

open =
  requires state = t_ChannelState.Closed: state := t_ChannelState.Open; supervise() end
  //
  skip
end

close =
  state := t_ChannelState.Closed;
  subscribed := false
end

subscribe(wanted: bool) =
  subscribed := wanted;
  supervise()
end

send(message: t_Value) =
  requires state = t_ChannelState.Open or state = t_ChannelState.Late:
    (
      requires not first.filled(): first.put(message) end
      //
      requires not second.filled(): second.put(message) end
      //
      third.put(message)
    );
    supervise()
  end
  //
  skip
end

older(time: int[0..4]) =
  first.older(time);
  second.older(time);
  third.older(time);
  (
    requires state = t_ChannelState.Open and (first.stale() or second.stale()): state := t_ChannelState.Late end
    //
    requires state = t_ChannelState.Late and third.stale(): state := t_ChannelState.Lost end
    //
    skip
  )
end

waiting: bool = result := subscribed and first.filled() end

lost: bool = result := state = t_ChannelState.Lost end",
        )
        .with_actions(
            "deliver =
  var message: t_Value begin
  requires waiting():
    message := first.take();
    Delivered(message);
    (
      requires second.filled():
        message := second.take();
        first.put(message)
      end
      //
      skip
    )
  end

obs Delivered(message: t_Value) = requires true: skip end",
        )
        .with_rank("deliver()")
}

fn node() -> ClassText {
    ClassText::new("Node", "A node: it joins, publishes on its channels, and may fail.")
        .with_attributes("state : t_NodeState = t_NodeState.Down\nchannels : list[4] of Channel = []\nbooted : bool = false\nalarm : bool = false")
        .with_methods(
            "wire(one: Channel; two: Channel; three: Channel; four: Channel) =
  channels := [one, two, three, four]
end

boot =
  booted := true;
  state := t_NodeState.Joining
end

is_up: bool = result := state = t_NodeState.Up end

is_faulty: bool = result := state = t_NodeState.Faulty end

open_channels =
  channels[0].open();
  channels[1].open();
  channels[2].open();
  channels[3].open()
end

publish(message: t_Value; slot: int[0..3]) =
  requires state = t_NodeState.Up: channels[slot].send(message); supervise() end
end

fail =
  requires state = t_NodeState.Up: state := t_NodeState.Faulty; alarm := true; channels[0].close() end
end

recover =
  requires state = t_NodeState.Faulty: state := t_NodeState.Joining; supervise() end
end

leave =
  requires state = t_NodeState.Up: state := t_NodeState.Down; alarm := true; supervise() end
end

join =
  requires state = t_NodeState.Down and booted: state := t_NodeState.Joining end
end

healthy: bool = result := forall i: int[0..3]: (not channels[i].lost()) end",
        )
        .with_actions(
            "joined =
  requires state = t_NodeState.Joining and len channels = 4:
    state := t_NodeState.Up;
    open_channels();
    NodeUp();
    supervise()
  end

raised =
  requires alarm:
    alarm := false;
    NodeAlarm()
  end

obs NodeUp = requires true: skip end

obs NodeAlarm = requires true: skip end",
        )
        .with_rank("joined()\nraised()")
}

fn middleware() -> ClassText {
    let mut class = ClassText::new(
        "Middleware",
        "Makes all objects, wires them, and takes the tester's inputs.",
    );
    class.autocons = true;
    for (prefix, kind, count) in [
        ("node", "Node", NODES),
        ("channel", "Channel", CHANNELS),
        ("buffer", "Buffer", BUFFERS),
    ] {
        for number in 0..count {
            class.attributes.push(format!(
                "{prefix}_{number} : {kind} = new({kind}, \"{prefix}_{number}\")"
            ));
        }
    }
    class = class.with_attributes(&format!(
        "nodes : list[{NODES}] of Node = []\nchannels : list[{CHANNELS}] of Channel = []\nwired : bool = false"
    ));
    let names = |prefix: &str, count: usize| -> String {
        (0..count)
            .map(|number| format!("{prefix}_{number}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut wiring = vec![
        format!("nodes := [{}]", names("node", NODES)),
        format!("channels := [{}]", names("channel", CHANNELS)),
    ];
    for channel in 0..CHANNELS {
        // Neighbouring channels share buffers, as pools do.
        let at = |offset: usize| (channel * 5 / 2 + offset) % BUFFERS;
        wiring.push(format!(
            "channel_{channel}.wire(buffer_{}, buffer_{}, buffer_{})",
            at(0),
            at(1),
            at(2)
        ));
    }
    for node in 0..NODES {
        let first = node * 4;
        wiring.push(format!(
            "node_{node}.wire(channel_{first}, channel_{}, channel_{}, channel_{})",
            first + 1,
            first + 2,
            first + 3
        ));
        wiring.push(format!("node_{node}.boot()"));
    }
    wiring.push("wired := true".to_owned());
    class.actions.push(format!(
        "wire_up =\n  requires not wired:\n    {}\n  end",
        wiring.join(";\n    ")
    ));
    let methods = "age(one: Channel; time: int[0..4]): int[0..4] =
  one.older(time);
  result := time
end

pass(time: int[0..4]) = age(time) :<: (channels) end

quiet: bool = result := forall c: t_Channel: (not channels[c].waiting()) end";
    class = class.with_methods(methods);
    let inputs: [(&str, &str, &str, &str); 14] = [
        (
            "Publish",
            "n: t_Node; slot: int[0..3]; message: t_Value",
            "quiet()",
            "nodes[n].publish(message, slot)",
        ),
        (
            "Subscribe",
            "c: t_Channel",
            "quiet()",
            "channels[c].subscribe(true)",
        ),
        (
            "Unsubscribe",
            "c: t_Channel",
            "quiet()",
            "channels[c].subscribe(false)",
        ),
        ("Tick", "time: int[1..4]", "quiet()", "pass(time)"),
        ("Fail", "n: t_Node", "true", "nodes[n].fail()"),
        ("Recover", "n: t_Node", "true", "nodes[n].recover()"),
        ("Leave", "n: t_Node", "true", "nodes[n].leave()"),
        ("Join", "n: t_Node", "true", "nodes[n].join()"),
        ("Close", "c: t_Channel", "true", "channels[c].close()"),
        ("Open", "c: t_Channel", "true", "channels[c].open()"),
        (
            "Flood",
            "n: t_Node",
            "nodes[n].is_up()",
            "nodes[n].publish(0, 0); nodes[n].publish(1, 0); nodes[n].publish(2, 0)",
        ),
        (
            "Inspect",
            "n: t_Node",
            "nodes[n].is_faulty()",
            "Health(nodes[n].healthy())",
        ),
        (
            "FailAll",
            "",
            "exists i: t_Node: (nodes[i].is_up())",
            "(var n: t_Node: nodes[n].fail())",
        ),
        (
            "Survey",
            "",
            "forall i: t_Node: (not nodes[i].is_faulty())",
            "Health(true)",
        ),
    ];
    let mut calls = Vec::new();
    for (name, parameters, guard, body) in inputs {
        let declared = if parameters.is_empty() {
            String::new()
        } else {
            format!("({parameters})")
        };
        class.actions.push(format!(
            "ctr {name}{declared} =\n  requires wired and ({guard}): {body} end"
        ));
        let arguments: Vec<&str> = parameters
            .split(';')
            .filter_map(|p| p.split(':').next())
            .map(str::trim)
            .collect();
        let call = format!("{name}({})", arguments.join(", "));
        calls.push(if parameters.is_empty() {
            call
        } else {
            format!("var {parameters}: {call}")
        });
    }
    class
        .actions
        .push("obs Health(fine: bool) = requires true: skip end".to_owned());
    class.ranks = vec![vec!["wire_up()".to_owned()], calls];
    class
}
