#!/usr/bin/env python3
"""An adapter for `cargo atropos model test`, with a car alarm in Python behind it.

It answers each line of JSON that it reads with one line of JSON. `--bug` makes the siren stay on when the car is unlocked.
"""

import json
import sys


class CarAlarm:
    """A car alarm whose clock stands still unless nothing else happens."""

    def __init__(self, bug):
        self.bug = bug
        self.closed = self.locked = False
        self.state = "idle"
        self.time = 0
        self.outputs = []

    def wait_for(self, seconds):
        """What comes next if nobody does anything: time passes."""
        self.time = seconds

    def settle(self):
        if self.state in ("idle", "waiting"):
            waiting = self.closed and self.locked
            if waiting and self.state == "idle":
                self.state, self.time = "waiting", 20
            elif not waiting:
                self.state, self.time = "idle", 0

    def arm(self):
        self.state, self.time = "armed", 0
        self.outputs.append("ArmedOn")

    def lock(self):
        self.locked = True
        self.settle()

    def close(self):
        self.closed = True
        if self.state == "silent":
            self.arm()
        else:
            self.settle()

    def open(self):
        self.closed = False
        if self.state == "armed":
            self.outputs += ["ArmedOff", "FlashOn", "SoundOn"]
            self.state, self.time, self.sound = "alarm", 30, True
        else:
            self.settle()

    def unlock(self):
        self.locked = False
        if self.state == "armed":
            self.outputs.append("ArmedOff")
        if self.state == "alarm":
            self.outputs.append("FlashOff")
            if self.sound and not self.bug:
                self.outputs.append("SoundOff")
        self.state = "idle"
        self.settle()

    def observe(self):
        """The next output; where none comes by itself, the clock goes on; nothing if there is nothing to wait for."""
        if self.outputs:
            return self.outputs.pop(0)
        if self.time == 0:
            return None
        passed, self.time = self.time, 0
        if self.state == "waiting":
            self.arm()
        elif self.sound:
            self.sound, self.time = False, 270
            self.outputs.append("SoundOff")
        else:
            self.state = "silent"
            self.outputs.append("FlashOff")
        return f"after({passed})"


def main():
    system = None
    for line in sys.stdin:
        request = json.loads(line)
        if "start" in request:
            system = CarAlarm("--bug" in sys.argv)
            answer = {"ok": True}
        elif "give" in request:
            getattr(system, request["give"]["name"].lower())()
            answer = {"ok": True}
        elif "observe" in request:
            output = system.observe()
            answer = {"silence": True} if output is None else {"output": output}
        else:
            continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
