//! Time: a list of running times, one place per timer.
//!
//! A place holds -1 while its timer stands, 0 when it has run out, else what is left. Time passes in leaps to the next moment at which a timer
//! runs out, as the observation `after(d)`; the leap is found by a fold over the list.

use super::code::Code;
use super::layout::TimerUse;
use super::writer::{Method, Writer};
use crate::charts::chart::{StateId, Trigger};

impl Writer<'_> {
    /// Starts the timers of the `after`-transitions of `state`.
    pub fn start_timers(&self, state: StateId) -> Code {
        self.set_timers(state, |time| time.to_string())
    }

    /// Stops the timers of the `after`-transitions of `state`.
    pub fn stop_timers(&self, state: StateId) -> Code {
        self.set_timers(state, |_| "-1".to_owned())
    }

    fn set_timers(&self, state: StateId, value: impl Fn(u32) -> String) -> Code {
        let mut times: Vec<u32> = Vec::new();
        for transition in &self.machine.state(state).transitions {
            if let Trigger::After(time, _) = transition.trigger
                && !times.contains(&time)
            {
                times.push(time);
            }
        }
        let timers = &self.words.timers;
        Code::sequence(times.iter().filter_map(|&time| {
            let timer = self.layout.after_timer(state, time)?;
            let value = value(time);
            Some(Code::quiet(format!(
                "{timers}[{}] := {value}",
                timer.constant
            )))
        }))
    }

    /// The internal action that reacts to timers that have run out.
    pub fn time_out(&mut self) -> Code {
        let timers = self.words.timers.clone();
        let mut cases = Vec::new();
        for timer in self.layout.timers.clone() {
            let place = format!("{timers}[{}]", timer.constant);
            let stop = Code::quiet(format!("{place} := -1"));
            let (remark, body) = match &timer.usage {
                TimerUse::After(state, time) => {
                    let remark = format!("{time} after {} was entered", self.name(*state));
                    (remark, self.expire(*state, *time, stop))
                }
                TimerUse::Delayed { event, .. } => {
                    let remark = format!("the delayed event {event} is due");
                    let handle = Code::noticed(format!("{}()", self.handler(event)));
                    let handle = Code::ranked(vec![handle, Code::quiet("skip")]);
                    (remark, Code::sequence([stop, handle]))
                }
            };
            let case = Code::when(format!("{place} = 0"), body);
            cases.push(Code::remarked(remark, case));
        }
        Code::choice(cases)
    }

    /// What happens when an `after`-timer has run out. Leaving its state stops it anyhow; it is stopped here only where the state may stay.
    fn expire(&mut self, state: StateId, time: u32, stop: Code) -> Code {
        let reaction = self.timeout_reaction(state, time);
        let all_leave = self
            .machine
            .state(state)
            .transitions
            .iter()
            .all(|transition| {
                let ours = matches!(transition.trigger, Trigger::After(t, _) if t == time);
                let domain = self.machine.domain(state, transition);
                !ours || domain.is_some_and(|domain| domain != state)
            });
        match (all_leave, reaction.is_always_enabled()) {
            (true, true) => reaction,
            (true, false) => Code::ranked(vec![reaction, stop]),
            (false, true) => Code::sequence([stop, reaction]),
            (false, false) => {
                let or_nothing = Code::ranked(vec![reaction, Code::quiet("skip")]);
                Code::sequence([stop, or_nothing])
            }
        }
    }

    /// The methods that find the next leap of time and make it.
    pub fn clock_methods(&mut self) -> Vec<Method> {
        let words = self.words.clone();
        let (timers, time) = (&words.timers, &words.time);
        let sooner = self.scope.fresh("sooner");
        let sooner_body = Code::when(
            "running > 0 and (best < 0 or running < best)",
            Code::quiet("result := running"),
        );
        let next_body = Code::quiet(format!("result := {sooner}(-1) :>: ({timers})"));
        let advance_body = Code::quiet(format!(
            "{timers} := [if {timers}[i] > 0 then {timers}[i] - passed else {timers}[i] end | var i: {}]",
            words.timer_index
        ));
        let method =
            |remark: &str, name: &str, parameters: &[&str], result: bool, body: Code| Method {
                remark: remark.to_owned(),
                name: name.to_owned(),
                parameters: parameters
                    .iter()
                    .map(|name| format!("{name}: {time}"))
                    .collect(),
                result: result.then(|| time.clone()),
                locals: Vec::new(),
                body,
            };
        vec![
            method(
                "The shorter of two times; one that does not run does not count.",
                &sooner,
                &["running", "best"],
                true,
                Code::ranked(vec![sooner_body, Code::quiet("result := best")]),
            ),
            method(
                "How long until the next timer runs out; -1 if none runs.",
                &words.next_timeout,
                &[],
                true,
                next_body,
            ),
            method(
                "Time passes for every running timer.",
                &words.advance,
                &["passed"],
                false,
                advance_body,
            ),
        ]
    }
}
