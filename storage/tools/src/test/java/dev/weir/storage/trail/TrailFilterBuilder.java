package dev.weir.storage.trail;

import java.util.Optional;
import java.util.OptionalInt;

import dev.weir.model.Network;

/** Conditions of tests on changes in the audit trail. */
public final class TrailFilterBuilder {
    private long after;
    private long upTo;
    private long since;
    private long until;
    private Optional<Network> from;
    private Optional<String> user;
    private final Optional<String> mail;
    private Optional<String> key;
    private OptionalInt flag;
    private final String digest;

    private TrailFilterBuilder(TrailFilter start) {
        this.after = start.after();
        this.upTo = start.upTo();
        this.since = start.since();
        this.until = start.until();
        this.from = start.from();
        this.user = start.user();
        this.mail = start.mail();
        this.key = start.key();
        this.flag = start.flag();
        this.digest = start.digest();
    }

    /** Starts with all changes. */
    public static TrailFilterBuilder all() {
        return new TrailFilterBuilder(TrailFilter.ALL);
    }

    /** Selects a time. */
    public TrailFilterBuilder times(long sinceMillis, long untilMillis) {
        since = sinceMillis;
        until = untilMillis;
        return this;
    }

    /** Selects a network. */
    public TrailFilterBuilder from(Network value) {
        from = Optional.of(value);
        return this;
    }

    /** Selects a user. */
    public TrailFilterBuilder user(String value) {
        user = Optional.of(value);
        return this;
    }

    /** Selects a key. */
    public TrailFilterBuilder key(String value) {
        key = Optional.of(value);
        return this;
    }

    /** Selects a list. */
    public TrailFilterBuilder flag(int value) {
        flag = OptionalInt.of(value);
        return this;
    }

    /** Sets {@code after}. */
    public TrailFilterBuilder after(long value) {
        after = value;
        return this;
    }

    /** Sets {@code upTo}. */
    public TrailFilterBuilder upTo(long value) {
        upTo = value;
        return this;
    }

    /** Returns the record. */
    public TrailFilter build() {
        return new TrailFilter(after, upTo, since, until, from, user, mail, key, flag, digest);
    }
}
