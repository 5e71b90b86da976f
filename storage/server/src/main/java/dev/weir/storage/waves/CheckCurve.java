package dev.weir.storage.waves;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Checks in each of the last 60 minutes, and in each of the last hours. The place of a minute is the minute modulo the
 * size; the places of the minutes that passed since the last check are zero once the curve is turned.
 */
final class CheckCurve {
    static final int MINUTES = 60;
    static final long MINUTE_MILLIS = 60_000;
    private static final int DAY_HOURS = 24;

    private final int[] minutes = new int[MINUTES];
    private final int[] hours;
    private long minute;

    /** Creates a curve of some hours. */
    CheckCurve(int hours, long nowMinute) {
        this.hours = new int[hours];
        this.minute = nowMinute;
    }

    /** Returns how many hours a table needs that remembers groups for a time. */
    static int hoursOf(Duration keep) {
        return (int) Math.max(DAY_HOURS, keep.plusMinutes(MINUTES - 1L).toHours());
    }

    /** Returns the bytes of a curve. */
    static int bytes(int hours) {
        return 24 + 2 * 16 + Integer.BYTES * (MINUTES + hours);
    }

    void turn(long now) {
        if (now <= minute) {
            return;
        }
        clear(minutes, minute, now);
        clear(hours, minute / MINUTES, now / MINUTES);
        minute = now;
    }

    private static void clear(int[] ring, long from, long to) {
        if (to - from >= ring.length) {
            Arrays.fill(ring, 0);
            return;
        }
        for (long i = from + 1; i <= to; i++) {
            ring[(int) (i % ring.length)] = 0;
        }
    }

    /** Counts checks at a minute that is not before the last one; earlier ones count as of the last one. */
    void add(int checks, long now) {
        turn(now);
        raise(minutes, (int) (minute % MINUTES), checks);
        raise(hours, (int) (minute / MINUTES % hours.length), checks);
    }

    private static void raise(int[] ring, int at, int checks) {
        ring[at] = (int) Math.min(Integer.MAX_VALUE, (long) ring[at] + checks);
    }

    /** Returns the checks of the last minutes, at most 60, with the current one. */
    long minutes(int count) {
        return sum(minutes, minute, count);
    }

    /** Returns the checks of the last hours, with the current one. */
    long hours(int count) {
        return sum(hours, minute / MINUTES, Math.min(count, hours.length));
    }

    /** Returns the checks of all hours. */
    long all() {
        return hours(hours.length);
    }

    /** Returns the checks of a window: to the minute up to an hour, to the hour beyond. */
    long within(Duration window) {
        long length = window.toMinutes();
        return length <= MINUTES
                ? minutes((int) Math.max(1, length))
                : hours((int) Math.min(hours.length, (length + MINUTES - 1) / MINUTES));
    }

    private static long sum(int[] ring, long newest, int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += ring[(int) Math.floorMod(newest - i, (long) ring.length)];
        }
        return sum;
    }

    /** Returns the checks of each of the last 60 minutes, the current one last. */
    List<Long> minuteCurve() {
        return inOrder(minutes, minute);
    }

    /** Returns the checks of each hour, the current one last. */
    List<Long> hourCurve() {
        return inOrder(hours, minute / MINUTES);
    }

    private static List<Long> inOrder(int[] ring, long newest) {
        List<Long> ordered = new ArrayList<>(ring.length);
        for (int i = ring.length - 1; i >= 0; i--) {
            ordered.add((long) ring[(int) Math.floorMod(newest - i, (long) ring.length)]);
        }
        return ordered;
    }

    /** Adds the checks of another curve of the same size; both are up to the later minute then. */
    void merge(CheckCurve other) {
        turn(other.minute);
        other.turn(minute);
        for (int i = 0; i < minutes.length; i++) {
            raise(minutes, i, other.minutes[i]);
        }
        for (int i = 0; i < hours.length; i++) {
            raise(hours, i, other.hours[i]);
        }
    }

    CheckCurve copy() {
        CheckCurve copy = new CheckCurve(hours.length, minute);
        copy.merge(this);
        return copy;
    }

    /** Returns the last minute of the curve, since 1970. */
    long minute() {
        return minute;
    }

    void write(DataOutputStream out) throws IOException {
        out.writeLong(minute);
        for (int count : minutes) {
            out.writeInt(count);
        }
        out.writeShort(hours.length);
        for (int count : hours) {
            out.writeInt(count);
        }
    }

    /** Reads a curve; hours beyond those of this table are left out. */
    static CheckCurve read(DataInputStream in, int hours) throws IOException {
        CheckCurve read = new CheckCurve(hours, Math.max(0, in.readLong()));
        for (int i = 0; i < MINUTES; i++) {
            read.minutes[i] = Math.max(0, in.readInt());
        }
        int stored = in.readUnsignedShort();
        int[] all = new int[stored];
        for (int i = 0; i < stored; i++) {
            all[i] = Math.max(0, in.readInt());
        }
        long newest = read.minute / MINUTES;
        for (int i = 0; i < Math.min(stored, hours); i++) {
            read.hours[(int) Math.floorMod(newest - i, (long) hours)] = all[(int) Math.floorMod(newest - i,
                    (long) stored)];
        }
        return read;
    }
}
