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
        InstantSource clock) {}
