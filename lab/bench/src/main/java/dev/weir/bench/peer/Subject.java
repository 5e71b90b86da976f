package dev.weir.bench.peer;

import dev.weir.bench.report.Environment;

/** A storage to measure. */
public enum Subject {
    WEIR("Weir"), RSPAMD_SQLITE("Rspamd, sqlite"), RSPAMD_REDIS("Rspamd, redis");

    private final String title;

    Subject(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }

    /** Returns the required program that is missing here, or an empty text. */
    public String missing() {
        boolean rspamd = this == WEIR || Environment.installed("rspamd");
        boolean redis = this != RSPAMD_REDIS || Environment.installed("redis-server");
        return (rspamd ? "" : "rspamd ") + (redis ? "" : "redis-server ");
    }
}
