//! Time: a list of running times, one place per timer.
//!
//! A place holds -1 while its timer stands, 0 when it has run out, else what is left. Time passes in leaps to the next moment at which a timer
//! runs out, as the observation `after(d)`; the leap is found by a fold over the list.

use super::code::CodeText;
use super::layout::TimerUse;
use super::scope::gate;
use super::writer::{ClassWriter, MethodText};
use crate::charts::chart::{StateId, Trigger};

impl ClassWriter<'_> {
    /// Starts the timers of the `after`-transitions of `state`.
    pub fn start_timers(&self, state: StateId) -> CodeText {
        self.set_timers(state, |time| {
            let others = self.variants.times.get(&(state, time));
            let others = others.into_iter().flatten();
            others.fold(time.to_string(), |otherwise, (number, other)| {
                format!("(if {} then {other} else {otherwise} end)", gate(*number))
            })
        })
    }

    /// Stops the timers of the `after`-transitions of `state`.
    pub fn stop_timers(&self, state: StateId) -> CodeText {
        self.set_timers(state, |_| "-1".to_owned())
    }

    fn set_timers(&self, state: StateId, value: impl Fn(u32) -> String) -> CodeText {
        let mut times: Vec<u32> = Vec::new();
        for transition in &self.machine.state(state).transitions {
            if let Trigger::After(time, _) = transition.trigger
                && !times.contains(&time)
            {
                times.push(time);
            }
        }
        let timers = &self.words.timers;
        CodeText::sequence(times.iter().filter_map(|&time| {
            let timer = self.layout.after_timer(state, time)?;
            let value = value(time);
            Some(CodeText::quiet(format!(
                "{timers}[{}] := {value}",
                timer.constant
            )))
        }))
    }

    /// The internal action that reacts to timers that have run out.
    pub fn time_out(&mut self) -> CodeText {
        let timers = self.words.timers.clone();
        let mut cases = Vec::new();
        for timer in self.layout.timers.clone() {
            let place = format!("{timers}[{}]", timer.constant);
            let stop = CodeText::quiet(format!("{place} := -1"));
            let (remark, body) = match &timer.usage {
                TimerUse::After(state, time) => {
                    let remark = format!("{time} after {} was entered", self.name(*state));
                    (remark, self.expire(*state, *time, stop))
                }
                TimerUse::Delayed { event, .. } => {
                    let remark = format!("the delayed event {event} is due");
                    let waits = |trigger: &Trigger| matches!(trigger, Trigger::Event(e) if e.text == *event);
                    let handled = self.machine.transitions().any(|(_, t)| waits(&t.trigger));
                    let handle = match handled {
                        true => {
                            let handle = CodeText::noticed(format!("{}()", self.handler(event)));
                            CodeText::ranked(vec![handle, CodeText::quiet("skip")])
                        }
                        // It comes, and is dropped.
                        false => CodeText::skip(),
                    };
                    (remark, CodeText::sequence([stop, handle]))
                }
            };
            let case = CodeText::when(format!("{place} = 0"), body);
            cases.push(CodeText::remarked(remark, case));
        }
        CodeText::choice(cases)
    }

    /// What happens when an `after`-timer has run out. Leaving its state stops it anyhow; it is stopped here only where the state may stay.
    fn expire(&mut self, state: StateId, time: u32, stop: CodeText) -> CodeText {
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
            (true, false) => CodeText::ranked(vec![reaction, stop]),
            (false, true) => CodeText::sequence([stop, reaction]),
            (false, false) => {
                let or_nothing = CodeText::ranked(vec![reaction, CodeText::quiet("skip")]);
                CodeText::sequence([stop, or_nothing])
            }
        }
    }

    /// The methods that find the next leap of time and make it.
    pub fn clock_methods(&mut self) -> Vec<MethodText> {
        let words = self.words.clone();
        let (timers, time) = (&words.timers, &words.time);
        let sooner = self.scope.fresh("sooner");
        let sooner_body = CodeText::when(
            "running > 0 and (best < 0 or running < best)",
            CodeText::quiet("result := running"),
        );
        let next_body = CodeText::quiet(format!("result := {sooner}(-1) :>: ({timers})"));
        let advance_body = CodeText::quiet(format!(
            "{timers} := [if {timers}[i] > 0 then {timers}[i] - passed else {timers}[i] end | var i: {}]",
            words.timer_index
        ));
        let method =
            |remark: &str, name: &str, parameters: &[&str], result: bool, body: CodeText| {
                MethodText {
                    remark: remark.to_owned(),
                    name: name.to_owned(),
                    parameters: parameters
                        .iter()
                        .map(|name| format!("{name}: {time}"))
                        .collect(),
                    result: result.then(|| time.clone()),
                    locals: Vec::new(),
                    body,
                }
            };
        vec![
            method(
                "The shorter of two times; one that does not run does not count.",
                &sooner,
                &["running", "best"],
                true,
                CodeText::ranked(vec![sooner_body, CodeText::quiet("result := best")]),
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
