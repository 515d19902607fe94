//! The controller of a car alarm.
//!
//! Twenty seconds after the car was locked and closed the alarm is armed. Opening the armed car without unlocking it
//! sets off siren and lights: the siren for half a minute, the lights for five. Then the car waits in silence until it
//! is closed, which arms it again, or unlocked.
//!
//! The model of it is `examples/models/car_alarm.ooas`.

use std::collections::VecDeque;

/// Seconds from locked and closed to armed.
const ARMING: u32 = 20;
/// Seconds that the siren sounds.
const SIREN: u32 = 30;
/// Seconds that the lights flash.
const LIGHTS: u32 = 300;

/// What the controller tells the car to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    ArmedOn,
    ArmedOff,
    FlashOn,
    FlashOff,
    SoundOn,
    SoundOff,
}

/// What the alarm is doing, besides what lock and doors say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Watch {
    /// Not armed; counts the seconds since the car was locked and closed, if it is.
    Idle,
    Armed,
    /// Siren (for the first while) and lights are on.
    Alarm,
    /// The alarm has run out while the car was still open.
    Silent,
}

/// The controller. Inputs that don't fit the car's state are ignored.
#[derive(Clone, Debug)]
pub struct CarAlarm {
    locked: bool,
    closed: bool,
    watch: Watch,
    /// Seconds in this state of the watch.
    seconds: u32,
    sounding: bool,
    outputs: VecDeque<Output>,
}

impl Default for CarAlarm {
    /// An open, unlocked car.
    fn default() -> CarAlarm {
        CarAlarm {
            locked: false,
            closed: false,
            watch: Watch::Idle,
            seconds: 0,
            sounding: false,
            outputs: VecDeque::new(),
        }
    }
}

impl CarAlarm {
    pub fn new() -> CarAlarm {
        CarAlarm::default()
    }

    pub fn is_armed(&self) -> bool {
        self.watch == Watch::Armed
    }

    pub fn lock(&mut self) {
        if !self.locked {
            self.locked = true;
            self.seconds = 0;
        }
    }

    pub fn unlock(&mut self) {
        if self.locked {
            self.locked = false;
            self.leave();
            self.watch = Watch::Idle;
        }
    }

    pub fn close(&mut self) {
        if self.closed || self.watch == Watch::Alarm {
            return;
        }
        self.closed = true;
        self.seconds = 0;
        if self.watch == Watch::Silent {
            self.arm();
        }
    }

    pub fn open(&mut self) {
        if !self.closed {
            return;
        }
        self.closed = false;
        if self.watch == Watch::Armed {
            self.leave();
            self.watch = Watch::Alarm;
            self.seconds = 0;
            self.sounding = true;
            self.outputs.push_back(Output::FlashOn);
            self.outputs.push_back(Output::SoundOn);
        }
    }

    /// A second passes.
    pub fn tick(&mut self) {
        self.seconds = self.seconds.saturating_add(1);
        match self.watch {
            Watch::Idle if self.locked && self.closed && self.seconds >= ARMING => self.arm(),
            Watch::Alarm if self.seconds >= LIGHTS => {
                self.leave();
                self.watch = Watch::Silent;
            }
            Watch::Alarm if self.seconds >= SIREN => self.silence(),
            _ => {}
        }
    }

    /// The next thing that the car has to do.
    pub fn next_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn arm(&mut self) {
        self.watch = Watch::Armed;
        self.outputs.push_back(Output::ArmedOn);
    }

    fn silence(&mut self) {
        if self.sounding {
            self.sounding = false;
            self.outputs.push_back(Output::SoundOff);
        }
    }

    /// Ends what the watch does now.
    fn leave(&mut self) {
        match self.watch {
            Watch::Armed => self.outputs.push_back(Output::ArmedOff),
            Watch::Alarm => {
                self.outputs.push_back(Output::FlashOff);
                self.silence();
            }
            Watch::Idle | Watch::Silent => {}
        }
    }
}
