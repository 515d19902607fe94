//! M2 to M4: one controller with modes, timers and inputs, and (in M2 and M4) a second object that it informs.

use super::class::ClassText;
use super::{Draft, PaperModel};
use crate::random::SplitMix64;

struct Domain {
    class: &'static str,
    remark: &'static str,
    modes: &'static [&'static str],
    inputs: &'static [&'static str],
    /// Parameters of every input.
    parameters: &'static str,
    /// The same, as they are handed on.
    arguments: &'static str,
    partner: Option<(&'static str, &'static str)>,
}

const LOADER: Domain = Domain {
    class: "Loader",
    remark: "The bucket loader: joystick classes in, valve commands out.",
    modes: &[
        "Off", "Idle", "Lifting", "Lowering", "Tilting", "Floating", "Limp", "Stopped",
    ],
    inputs: &[
        "Joystick", "Pedal", "Pressure", "Angle", "Ignition", "Brake", "Fault", "Reset",
    ],
    parameters: "lift: t_Class; tilt: t_Class; quick: bool",
    arguments: "lift, tilt, quick",
    partner: Some((
        "ValveBlock",
        "The valves that carry out what the loader commands.",
    )),
};

const DEVICE: Domain = Domain {
    class: "Device",
    remark: "The measurement device: remote commands in, states and alarms out.",
    modes: &[
        "Off",
        "Warmup",
        "Standby",
        "Pause",
        "Ready",
        "Purging",
        "Measuring",
        "Calibrating",
        "Leaking",
        "Service",
    ],
    inputs: &[
        "SetPause",
        "SetStandby",
        "StartMeasurement",
        "StopMeasurement",
        "StartPurge",
        "StopPurge",
        "Calibrate",
        "AbortCalibration",
        "ZeroGas",
        "SpanGas",
        "LeakTest",
        "EndLeakTest",
        "Manual",
        "Remote",
        "Reset",
        "Acknowledge",
        "SelectRange",
        "SelectFilter",
        "OpenValve",
        "CloseValve",
        "PumpOn",
        "PumpOff",
        "HeaterOn",
        "HeaterOff",
        "Lock",
        "Release",
    ],
    parameters: "",
    arguments: "",
    partner: None,
};

const DEFIBRILLATOR: Domain = Domain {
    class: "Defibrillator",
    remark: "The defibrillator: electrodes, rhythm and self-tests in, prompts and shocks out.",
    modes: &[
        "Off",
        "SelfTest",
        "PadsOff",
        "Analysing",
        "NoShock",
        "Charging",
        "Armed",
        "Shocking",
        "Resting",
        "Failed",
    ],
    inputs: &[
        "PowerOn",
        "PowerOff",
        "PadsOn",
        "PadsLoose",
        "RhythmFine",
        "RhythmVf",
        "RhythmVt",
        "Motion",
        "Still",
        "Press",
        "Hold",
        "Charged",
        "ChargeFails",
        "Deliver",
        "Abort",
        "BatteryLow",
        "BatteryFine",
        "ImpedanceHigh",
        "ImpedanceLow",
        "ImpedanceFine",
        "TestRelay",
        "TestCapacitor",
        "TestSpeaker",
        "TestMemory",
        "TestPassed",
        "TestFailed",
        "LidOpen",
        "LidClosed",
        "ChildKey",
        "AdultKey",
        "Record",
        "Erase",
        "Upload",
        "Tick",
    ],
    parameters: "",
    arguments: "",
    partner: Some((
        "Capacitor",
        "The capacitor that the defibrillator charges and fires.",
    )),
};

/// The model without supervision.
pub fn draft(kind: PaperModel, seed: u64) -> Draft {
    let domain = match kind {
        PaperModel::M2 => &LOADER,
        PaperModel::M3 => &DEVICE,
        _ => &DEFIBRILLATOR,
    };
    let mut random = SplitMix64::new(seed);
    let mut classes = vec![controller(domain, &mut random)];
    let mut supervised = vec![(0, 3)];
    if let Some((name, remark)) = domain.partner {
        classes.push(partner(name, remark, domain));
        supervised.push((1, 1));
    }
    let longest = LONGEST_WAIT;
    Draft {
        consts: Vec::new(),
        types: vec![
            format!("t_Mode = {{{}}}", domain.modes.join(", ")),
            // Equivalence classes of the joystick's deflection; two of them and a flag are 200 inputs per event.
            "t_Class = int[0..9]".to_owned(),
            format!("t_Time = int[-1..{longest}]"),
            format!("t_Timer = int[0..{}]", TIMERS - 1),
        ],
        order: classes
            .iter()
            .map(|class| class.name.as_str())
            .collect::<Vec<_>>()
            .join(" [] "),
        classes,
        supervised,
    }
}

const TIMERS: usize = 3;
const LONGEST_WAIT: usize = 60;

fn controller(domain: &Domain, random: &mut SplitMix64) -> ClassText {
    let mut class = ClassText::new(domain.class, domain.remark);
    class.autocons = true;
    let first = domain.modes[0];
    class = class
        .with_attributes(&format!(
            "mode : t_Mode = t_Mode.{first}\nstarted : bool = false"
        ))
        .with_attributes(&format!(
            "timers : list[{TIMERS}] of t_Time = [{}]",
            ["-1"; TIMERS].join(", ")
        ));
    if let Some((partner, _)) = domain.partner {
        class
            .attributes
            .push(format!("partner : {partner} = new({partner})"));
    }
    let tell = if domain.partner.is_some() {
        ";\n    partner.told(next)"
    } else {
        ""
    };
    class = class
        .with_methods(&format!(
            "enter(next: t_Mode) =\n  requires next <> mode:\n    mode := next;\n    ModeChanged(next){tell}\n  end\n  //\n  skip\nend"
        ))
        .with_methods(
            "sooner(running: t_Time; best: t_Time): t_Time =\n  requires running > 0 and (best < 0 or running < best): result := running end\n  //\n  result := best\nend\n\nnext_timeout: t_Time =\n  result := sooner(-1) :>: (timers)\nend\n\nadvance(passed: t_Time) =\n  timers := [if timers[i] > 0 then timers[i] - passed else timers[i] end | var i: t_Timer]\nend",
        )
        .with_actions("start =\n  requires not started:\n    started := true;\n    timers[0] := 20\n  end")
        .with_actions("obs ModeChanged(to_mode: t_Mode) = requires true: skip end")
        .with_actions("obs after(passed: t_Time) =\n  requires passed > 0: advance(passed) end");
    class.actions.push(time_out(domain, random));
    for (number, input) in domain.inputs.iter().enumerate() {
        let action = input_action(domain, number, input, random);
        class.actions.push(action);
    }
    let mut inputs: Vec<String> = domain
        .inputs
        .iter()
        .map(|input| call(domain, input))
        .collect();
    inputs.push("after(next_timeout())".to_owned());
    class.ranks = vec![
        vec!["start()".to_owned()],
        vec!["time_out()".to_owned()],
        inputs,
    ];
    class
}

fn call(domain: &Domain, input: &str) -> String {
    if domain.parameters.is_empty() {
        return format!("{input}()");
    }
    format!("var {}: {input}({})", domain.parameters, domain.arguments)
}

/// Each timer leads from some modes to others.
fn time_out(domain: &Domain, random: &mut SplitMix64) -> String {
    let cases: Vec<String> = (0..TIMERS)
        .map(|timer| {
            let to = random.pick(domain.modes);
            format!(
                "  requires timers[{timer}] = 0:\n    timers[{timer}] := -1;\n    enter(t_Mode.{to});\n    supervise()\n  end"
            )
        })
        .collect();
    format!(
        "time_out =\n  requires true:\n{}\n  end",
        cases.join("\n  []\n")
    )
}

/// An input leads from a few modes to others; from the first mode the first input always does.
fn input_action(domain: &Domain, number: usize, input: &str, random: &mut SplitMix64) -> String {
    let mut from: Vec<usize> = (0..domain.modes.len())
        .filter(|_| random.remainder(3) == 0)
        .collect();
    // Every mode is left by some input, and every input is taken somewhere.
    let must = number % domain.modes.len();
    if !from.contains(&must) {
        from.push(must);
    }
    let cases: Vec<String> = from
        .iter()
        .map(|&mode| {
            let to = (mode + 1 + random.remainder(domain.modes.len() - 1)) % domain.modes.len();
            let timer = random.remainder(TIMERS);
            let wait = 5 + 5 * random.remainder(LONGEST_WAIT / 5);
            let only = if domain.parameters.is_empty() {
                String::new()
            } else {
                let (low, high) = (random.remainder(5), 5 + random.remainder(5));
                format!(" and lift >= {low} and tilt <= {high}")
            };
            let remark = if random.remainder(4) == 0 { "-1".to_owned() } else { wait.to_string() };
            format!(
                "  requires mode = t_Mode.{}{only}:\n    enter(t_Mode.{});\n    timers[{timer}] := {remark};\n    supervise()\n  end",
                domain.modes[mode], domain.modes[to]
            )
        })
        .collect();
    let parameters = match domain.parameters.is_empty() {
        true => String::new(),
        false => format!("({})", domain.parameters),
    };
    format!(
        "ctr {input}{parameters} =\n  requires started:\n{}\n  end",
        cases.join("\n  []\n")
    )
}

/// The second object: it is told of each new mode and answers with an observation of its own.
fn partner(name: &str, remark: &str, domain: &Domain) -> ClassText {
    let first = domain.modes[0];
    ClassText::new(name, remark)
        .with_attributes(&format!(
            "heard : t_Mode = t_Mode.{first}\nwaiting : bool = false"
        ))
        .with_methods(
            "told(mode: t_Mode) =\n  heard := mode;\n  waiting := true;\n  supervise()\nend",
        )
        .with_actions(&format!(
            "answer =\n  requires waiting:\n    waiting := false;\n    {name}Set(heard)\n  end"
        ))
        .with_actions(&format!(
            "obs {name}Set(mode: t_Mode) = requires true: skip end"
        ))
        .with_rank("answer()")
}
