/* An adapter for `cargo atropos model test`, with a car alarm in C behind it: `cc car_alarm.c -o car_alarm`.
 *
 * It answers each line of JSON that it reads with one line of JSON. What it needs of a request is found by searching for
 * the words that the protocol has; a real adapter may prefer a JSON library. `--bug` forgets to arm the alarm again. */

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum state { IDLE, WAITING, ARMED, ALARM, SILENT };

static enum state state;
static bool closed, locked, sound, bug;
static int seconds;
static const char *outputs[8];
static int first, last;

static void show(const char *output) { outputs[last++ % 8] = output; }

static void start(void) {
    state = IDLE;
    closed = locked = sound = false;
    seconds = first = last = 0;
}

static void settle(void) {
    if (state != IDLE && state != WAITING)
        return;
    if (!(closed && locked)) {
        state = IDLE;
        seconds = 0;
    } else if (state == IDLE) {
        state = WAITING;
        seconds = 20;
    }
}

static void arm(void) {
    state = ARMED;
    seconds = 0;
    show("ArmedOn");
}

static void give(const char *request) {
    if (strstr(request, "\"Lock\"")) {
        locked = true;
    } else if (strstr(request, "\"Close\"")) {
        closed = true;
        if (state == SILENT && !bug) {
            arm();
            return;
        }
    } else if (strstr(request, "\"Open\"")) {
        closed = false;
        if (state == ARMED) {
            show("ArmedOff");
            show("FlashOn");
            show("SoundOn");
            state = ALARM;
            seconds = 30;
            sound = true;
        }
    } else if (strstr(request, "\"Unlock\"")) {
        locked = false;
        if (state == ARMED)
            show("ArmedOff");
        if (state == ALARM) {
            show("FlashOff");
            if (sound)
                show("SoundOff");
        }
        state = IDLE;
    }
    settle();
}

static void observe(void) {
    if (first < last) {
        printf("{\"output\": \"%s\"}\n", outputs[first++ % 8]);
        return;
    }
    if (seconds == 0) {
        printf("{\"silence\": true}\n");
        return;
    }
    printf("{\"output\": \"after(%d)\"}\n", seconds);
    seconds = 0;
    if (state == WAITING) {
        arm();
    } else if (sound) {
        sound = false;
        seconds = 270;
        show("SoundOff");
    } else {
        state = SILENT;
        show("FlashOff");
    }
}

int main(int count, char **arguments) {
    char line[4096];
    bug = count > 1 && strcmp(arguments[1], "--bug") == 0;
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"start\"")) {
            start();
            printf("{\"ok\": true}\n");
        } else if (strstr(line, "\"give\"")) {
            give(line);
            printf("{\"ok\": true}\n");
        } else if (strstr(line, "\"observe\"")) {
            observe();
        }
        fflush(stdout);
    }
    return 0;
}
