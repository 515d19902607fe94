//! Connects the generated tests to the controller. The model sees time pass as `after(seconds)`: the adapter lets the
//! clock tick until the controller does something.

use super::*;
use car_alarm::{CarAlarm, Output};

/// Longer than anything that the controller waits for.
const PATIENCE: u32 = 400;

#[derive(Default)]
pub struct Adapter {
    alarm: CarAlarm,
    /// What came after the last passing of time, to be told after it.
    held: Option<Output>,
}

impl System for Adapter {
    fn lock(&mut self) {
        self.alarm.lock();
    }

    fn unlock(&mut self) {
        self.alarm.unlock();
    }

    fn close(&mut self) {
        self.alarm.close();
    }

    fn open(&mut self) {
        self.alarm.open();
    }

    fn observe(&mut self) -> Option<String> {
        if let Some(output) = self.held.take().or_else(|| self.alarm.next_output()) {
            return Some(format!("{output:?}"));
        }
        for seconds in 1..=PATIENCE {
            self.alarm.tick();
            self.held = self.alarm.next_output();
            if self.held.is_some() {
                return Some(format!("after({seconds})"));
            }
        }
        None
    }
}
