package dev.weir.bench.peer;

import dev.weir.bench.report.Environment;

/** What is measured. */
public enum Subject {
    WEIR("Weir"), RSPAMD_SQLITE("Rspamd, sqlite"), RSPAMD_REDIS("Rspamd, redis");

    private final String title;

    Subject(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }

    /** Returns the program without which it cannot be measured here, or nothing to say. */
    public String missing() {
        boolean rspamd = this == WEIR || Environment.installed("rspamd");
        boolean redis = this != RSPAMD_REDIS || Environment.installed("redis-server");
        return (rspamd ? "" : "rspamd ") + (redis ? "" : "redis-server ");
    }
}
