package dev.weir.http.controller;

import java.time.Duration;
import java.time.InstantSource;

/**
 * The options of the endpoints.
 *
 * @param actions score thresholds
 * @param version version of the program in {@code /stat} and {@code /auth}
 * @param bodyBytes maximum size of an unpacked mail in bytes
 * @param patience time in which the storages must answer, besides their own shorter timeouts
 * @param clock the clock for displayed times
 */
public record ControllerOptions(Actions actions, String version, int bodyBytes, Duration patience,
        InstantSource clock) {
    /** Rspamd's thresholds and maximum size of a mail, and 50 seconds. */
    public static final ControllerOptions DEFAULT = new ControllerOptions(Actions.DEFAULT, "unknown", 50 << 20,
            Duration.ofSeconds(50), InstantSource.system());

    /** Returns a copy with other thresholds. */
    public ControllerOptions withActions(Actions other) {
        return new ControllerOptions(other, version, bodyBytes, patience, clock);
    }

    /** Returns a copy with another version. */
    public ControllerOptions withVersion(String other) {
        return new ControllerOptions(actions, other, bodyBytes, patience, clock);
    }

    /** Returns a copy with another maximum size of mails. */
    public ControllerOptions withBodyBytes(int bytes) {
        return new ControllerOptions(actions, version, bytes, patience, clock);
    }

    /** Returns a copy with another patience. */
    public ControllerOptions withPatience(Duration time) {
        return new ControllerOptions(actions, version, bodyBytes, time, clock);
    }
}
