//! The MoMuT paper's Figure 2, as printed.

use crate::check::check;
use crate::execution::{Engine, Interpreted};
use crate::mutation::{MutantSet, MutationMode};
use crate::tests::support::{engines_agree, load};

pub const FIGURE: &str = "types
  t_Status = {Ready, Busy};
  t_UserAction = {SetPause, SetStandby, StartMeasurement, StopMeasurement};
  Example = autocons system
  [[
    var
      status : t_Status = Ready;
      runDeviceStateChangeEvents: bool = false
    methods
      setStatus(newStatus: t_Status) =
        requires newStatus <> status: o_statusChanged(newStatus); end // skip
      end;
      delayedActions: bool = result := runDeviceStateChangeEvents end
    actions
      obs o_statusChanged(newStatus: t_Status) = requires true: skip end;
      ctr c_userAction(action: t_UserAction) =
        requires not delayedActions():
          requires action = t_UserAction.SetStandby:
            /* ... */
          end;
      i_delayedDeviceStateActions =
        requires runDeviceStateChangeEvents:
          runDeviceStateChangeEvents := false
        end
    do
      i_delayedDeviceStateActions() []
      var input: t_UserAction: c_userAction(input)
    od
  ]]
system
Example
";

#[test]
fn figure_two_parses_with_one_warning_for_its_missing_end() {
    let (model, diagnostics) = check(FIGURE);
    assert!(model.is_some());
    let findings = diagnostics.sorted();
    assert_eq!(
        findings.len(),
        1,
        "{}",
        diagnostics.render("figure", FIGURE, false)
    );
    assert!(findings[0].message.contains("no `end`"));
}

#[test]
fn figure_two_runs_and_takes_only_the_input_that_its_guards_allow() {
    let model = load(FIGURE);
    let mut engine = Interpreted {
        model: model.clone(),
    };
    let mode = MutationMode::original(&model.mutants);
    let outcomes = engine.iterations(
        &model.initial,
        model.ranks[0][0],
        &mode,
        &mut MutantSet::default(),
    );
    let labels: Vec<String> = outcomes
        .iter()
        .flat_map(|o| &o.labels)
        .map(|l| model.label_text(l))
        .collect();
    assert_eq!(labels, ["ctr c_userAction(SetStandby)"]);
    assert_eq!(engines_agree(&model, 10), 1);
}

#[test]
fn a_method_may_emit_an_observation_during_an_input() {
    let text = FIGURE.replace("/* ... */", "setStatus(Busy); status := Busy");
    let model = load(&text);
    let mut engine = Interpreted {
        model: model.clone(),
    };
    let mode = MutationMode::original(&model.mutants);
    let outcomes = engine.iterations(
        &model.initial,
        model.ranks[0][0],
        &mode,
        &mut MutantSet::default(),
    );
    let labels: Vec<String> = outcomes
        .iter()
        .flat_map(|o| &o.labels)
        .map(|l| model.label_text(l))
        .collect();
    assert_eq!(
        labels,
        ["ctr c_userAction(SetStandby)", "obs o_statusChanged(Busy)"]
    );
}
