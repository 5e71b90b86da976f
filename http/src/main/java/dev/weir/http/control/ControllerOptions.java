package dev.weir.http.control;

import java.time.Duration;
import java.time.InstantSource;

/**
 * How the endpoints work.
 *
 * @param actions thresholds of scores
 * @param version of the program, as {@code /stat} and {@code /auth} tell it
 * @param bodyBytes the largest mail, unpacked
 * @param patience until which the storages must have answered; they have shorter times of their own
 * @param clock for times that are shown
 */
public record ControllerOptions(Actions actions, String version, int bodyBytes, Duration patience,
        InstantSource clock) {
    /** Rspamd's thresholds and largest mail, and 50 seconds. */
    public static final ControllerOptions DEFAULT = new ControllerOptions(Actions.DEFAULT, "unknown", 50 << 20,
            Duration.ofSeconds(50), InstantSource.system());

    /** The same with other thresholds. */
    public ControllerOptions withActions(Actions other) {
        return new ControllerOptions(other, version, bodyBytes, patience, clock);
    }

    /** The same under another version. */
    public ControllerOptions withVersion(String other) {
        return new ControllerOptions(actions, other, bodyBytes, patience, clock);
    }

    /** The same with another size of mails. */
    public ControllerOptions withBodyBytes(int bytes) {
        return new ControllerOptions(actions, version, bytes, patience, clock);
    }

    /** The same with another patience. */
    public ControllerOptions withPatience(Duration time) {
        return new ControllerOptions(actions, version, bodyBytes, time, clock);
    }
}
