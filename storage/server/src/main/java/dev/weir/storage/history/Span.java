package dev.weir.storage.history;

import java.time.Duration;

/** The spans that the history covers, each with its own resolution. */
public enum Span {
    /** One hour, in steps of ten seconds. */
    HOUR(Duration.ofSeconds(10), 360),
    /** One day, in steps of two minutes. */
    DAY(Duration.ofMinutes(2), 720),
    /** 90 days, in steps of two hours. */
    QUARTER(Duration.ofHours(2), 1_080);

    private final Duration step;
    private final int places;

    Span(Duration step, int places) {
        this.step = step;
        this.places = places;
    }

    /** Returns the time that one value covers. */
    public Duration step() {
        return step;
    }

    /** Returns the number of values. */
    int places() {
        return places;
    }
}
