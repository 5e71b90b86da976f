package dev.weir.storage.sampling;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

import dev.weir.model.count.RecentCounts;

/** Counts in each of the last 60 minutes, and in each of the last hours. For one thread at a time. */
public final class CountCurve {
    /** The number of minutes. */
    public static final int MINUTES = 60;

    /** The length of a minute. */
    public static final long MINUTE_MILLIS = 60_000;

    private static final int DAY_HOURS = 24;

    private final RecentCounts minutes;
    private final RecentCounts hours;

    /** Creates a curve of some hours. */
    public CountCurve(int hours, long nowMinute) {
        this.minutes = new RecentCounts(MINUTES, nowMinute);
        this.hours = new RecentCounts(hours, nowMinute / MINUTES);
    }

    /** Returns how many hours a table needs that remembers things for a time, at least a day. */
    public static int hoursOf(Duration keep) {
        return (int) Math.max(DAY_HOURS, keep.plusMinutes(MINUTES - 1L).toHours());
    }

    /** Returns the bytes of a curve. */
    public static int bytes(int hours) {
        return 16 + RecentCounts.bytes(MINUTES) + RecentCounts.bytes(hours);
    }

    /** Goes on to a later minute. */
    public void turn(long now) {
        minutes.turn(now);
        hours.turn(now / MINUTES);
    }

    /** Counts at a minute that is not before the last one; earlier ones count as of the last one. */
    public void add(long count, long now) {
        turn(now);
        minutes.add(count);
        hours.add(count);
    }

    /** Returns the counts of each of the last 60 minutes. */
    public RecentCounts minutes() {
        return minutes;
    }

    /** Returns the counts of each of the last hours. */
    public RecentCounts hours() {
        return hours;
    }

    /** Returns the sum of the last minutes, at most 60, with the current one. */
    public long minutes(int count) {
        return minutes.sum(count);
    }

    /** Returns the sum of the last hours, with the current one. */
    public long hours(int count) {
        return hours.sum(count);
    }

    /** Returns the sum of all hours. */
    public long all() {
        return hours.sum(hours.size());
    }

    /** Returns the sum of a window: to the minute up to an hour, to the hour beyond. */
    public long within(Duration window) {
        long length = window.toMinutes();
        return length <= MINUTES ? minutes.sum(Math.max(1, length)) : hours.sum((length + MINUTES - 1) / MINUTES);
    }

    /** Returns the counts of each of the last 60 minutes, the current one last. */
    public List<Long> minuteCurve() {
        return minutes.inOrder();
    }

    /** Returns the counts of each hour, the current one last. */
    public List<Long> hourCurve() {
        return hours.inOrder();
    }

    /** Adds another curve of the same size; both are up to the later minute then. */
    public void merge(CountCurve other) {
        minutes.merge(other.minutes);
        hours.merge(other.hours);
    }

    /** Returns a copy. */
    public CountCurve copy() {
        CountCurve copy = new CountCurve(hours.size(), minute());
        copy.merge(this);
        return copy;
    }

    /** Returns the last minute of the curve, since 1970. */
    public long minute() {
        return minutes.period();
    }

    /** Writes a curve. */
    public void write(DataOutputStream out) throws IOException {
        out.writeLong(minute());
        for (int i = 0; i < MINUTES; i++) {
            out.writeInt(minutes.at(i));
        }
        out.writeShort(hours.size());
        for (int i = 0; i < hours.size(); i++) {
            out.writeInt(hours.at(i));
        }
    }

    /** Reads a curve; hours beyond those of this table are left out. */
    public static CountCurve read(DataInputStream in, int hours) throws IOException {
        CountCurve read = new CountCurve(hours, Math.max(0, in.readLong()));
        for (int i = 0; i < MINUTES; i++) {
            read.minutes.add(i, Math.max(0, in.readInt()));
        }
        int stored = in.readUnsignedShort();
        RecentCounts all = new RecentCounts(Math.max(1, stored), read.hours.period());
        for (int i = 0; i < stored; i++) {
            all.add(i, Math.max(0, in.readInt()));
        }
        for (int back = 0; back < Math.min(stored, hours); back++) {
            read.hours.add(all.period() - back, all.at(all.period() - back));
        }
        return read;
    }
}
