//! Networks: instances, references, events between objects, one clock for all.

use super::animate;

const PING_PONG: &str = r#"<at:network xmlns="http://www.w3.org/2005/07/scxml" xmlns:at="urn:atropos:ooas" name="Game">
  <scxml name="Server">
    <at:ref name="other" class="Player"/>
    <datamodel><data id="strength" at:type="int[0..9]" expr="1"/></datamodel>
    <at:output event="Serves" params="power: int[0..9]"/>
    <state id="Ready">
      <transition event="serve"><send event="Serves"><param expr="strength"/></send><send event="ball" target="other"/></transition>
      <transition event="ball"><send event="Won"/></transition>
    </state>
  </scxml>
  <scxml name="Player">
    <at:ref name="other" class="Server"/>
    <state id="Waiting"><transition event="ball" target="Hitting"/></state>
    <state id="Hitting"><transition at:after="2" target="Waiting"><send event="Hits"/><send event="ball" target="other"/></transition></state>
  </scxml>
  <at:instances>
    <at:instance name="anna" class="Server"><at:bind ref="other" to="bert"/><at:set data="strength" expr="7"/></at:instance>
    <at:instance name="bert" class="Player"><at:bind ref="other" to="anna"/></at:instance>
  </at:instances>
</at:network>"#;

#[test]
fn objects_send_events_to_each_other_and_share_time() {
    let game = animate("game.scxml", PING_PONG);
    game.shows("", "serve delta");
    game.shows("serve", "!Serves(7)");
    game.shows("serve !Serves(7)", "!after(2) serve");
    game.shows("serve !Serves(7) !after(2)", "!Hits serve");
    game.shows("serve !Serves(7) !after(2) !Hits", "!Won");
    game.shows("serve !Serves(7) !after(2) !Hits !Won", "serve delta");
}

#[test]
fn instances_of_one_class_are_told_apart_by_their_names() {
    let lamps = animate(
        "lamps.puml",
        "@startuml Lamp\n'! instance left : Lamp\n'! instance right : Lamp\n[*] --> Off\nOff --> On : press / Shines\nOn --> Off : press\n@enduml",
    );
    lamps.shows("", "left.press right.press delta");
    lamps.shows("left.press", "!left.Shines");
    lamps.shows("left.press !left.Shines right.press", "!right.Shines");
}
