package dev.weir.storage.hits;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.weir.model.Digest;
import dev.weir.storage.sampling.CountCurve;

/**
 * Hits by hash, for each of the last 60 minutes and 24 hours. Thread-safe.
 *
 * <p>The table has at most {@value #MOST} hashes. When it is full, it forgets the quarter with the fewest hits of the
 * day. A hash that matches often stays; the count of one that comes back after it was forgotten is too low (G. Manku,
 * R. Motwani: Approximate frequency counts over data streams, 2002).
 */
public final class HitTable {
    /** The number of hashes that are remembered, some 600 bytes each. */
    static final int MOST = 4_096;

    private static final int HOURS = 24;

    private final Map<Digest, Entry> entries = new HashMap<>();

    HitTable() {}

    /**
     * The hits of one hash.
     *
     * @param hour hits of the last 60 minutes
     * @param day hits of the last 24 hours
     * @param minutes hits of each of the last 60 minutes, the current one last
     * @param hours hits of each of the last 24 hours, the current one last
     * @param firstMillis the first hit since the hash is remembered, in milliseconds since 1970
     * @param lastMillis the last hit
     */
    public record Hits(Digest digest, long hour, long day, List<Long> minutes, List<Long> hours, long firstMillis,
            long lastMillis) {
        /** Copies the lists. */
        public Hits {
            minutes = List.copyOf(minutes);
            hours = List.copyOf(hours);
        }
    }

    /** The hits of a hash. */
    private static final class Entry {
        private final CountCurve curve;
        private final long first;
        private long last;

        private Entry(long minute, long nowMillis) {
            this.curve = new CountCurve(HOURS, minute);
            this.first = nowMillis;
        }

        private void add(long weight, long now, long nowMillis) {
            curve.add(weight, now);
            last = nowMillis;
        }

        private Hits hits(Digest digest) {
            return new Hits(digest, curve.minutes(CountCurve.MINUTES), curve.all(), curve.minuteCurve(),
                    curve.hourCurve(), first, last);
        }

        private void write(DataOutputStream out) throws IOException {
            out.writeLong(first);
            out.writeLong(last);
            out.writeLong(curve.minute());
            for (int i = 0; i < CountCurve.MINUTES; i++) {
                out.writeLong(curve.minutes().at(i));
            }
            for (int i = 0; i < HOURS; i++) {
                out.writeLong(curve.hours().at(i));
            }
        }

        private static Entry read(DataInputStream in) throws IOException {
            long first = in.readLong();
            long last = in.readLong();
            Entry entry = new Entry(Math.max(0, in.readLong()), first);
            entry.last = last;
            for (int i = 0; i < CountCurve.MINUTES; i++) {
                entry.curve.minutes().add(i, Math.max(0, in.readLong()));
            }
            for (int i = 0; i < HOURS; i++) {
                entry.curve.hours().add(i, Math.max(0, in.readLong()));
            }
            return entry;
        }
    }

    /** Writes all entries. */
    synchronized void write(DataOutputStream out) throws IOException {
        out.writeInt(entries.size());
        for (Map.Entry<Digest, Entry> one : entries.entrySet()) {
            out.write(HexFormat.of().parseHex(one.getKey().hex()));
            one.getValue().write(out);
        }
    }

    /**
     * Reads what {@link #write} wrote, in place of all entries. Counts that are too old leave as time goes on.
     *
     * @throws IOException if it is malformed; nothing has changed then
     */
    synchronized void read(DataInputStream in) throws IOException {
        int size = in.readInt();
        if (size < 0 || size > MOST) {
            throw new IOException(size + " hashes; the most are " + MOST);
        }
        Map<Digest, Entry> all = new HashMap<>();
        byte[] digest = new byte[Digest.WORDS * Long.BYTES];
        for (int i = 0; i < size; i++) {
            in.readFully(digest);
            all.put(Digest.read(digest, 0), Entry.read(in));
        }
        entries.clear();
        entries.putAll(all);
    }

    synchronized void add(long[] source, int at, long weight, long minute, long nowMillis) {
        Digest digest = Digest.ofWords(source, at);
        Entry entry = entries.get(digest);
        if (entry == null) {
            if (entries.size() >= MOST) {
                forgetSome(minute);
            }
            entry = new Entry(minute, nowMillis);
            entries.put(digest, entry);
        }
        entry.add(weight, minute, nowMillis);
    }

    private void forgetSome(long minute) {
        entries.values().forEach(entry -> entry.curve.turn(minute));
        long[] counts = entries.values().stream().mapToLong(entry -> entry.curve.all()).sorted().toArray();
        long limit = counts[counts.length / 4];
        int[] left = {counts.length / 4};
        entries.values().removeIf(entry -> entry.curve.all() <= limit && left[0]-- > 0);
    }

    /**
     * Returns the hashes with the most hits.
     *
     * @param most the most hashes to return
     * @param byDay whether the hits of the day decide, rather than those of the hour
     */
    public synchronized List<Hits> top(int most, boolean byDay, long nowMillis) {
        long minute = nowMillis / CountCurve.MINUTE_MILLIS;
        List<Hits> all = new ArrayList<>(entries.size());
        entries.forEach((digest, entry) -> {
            entry.curve.turn(minute);
            Hits hits = entry.hits(digest);
            if ((byDay ? hits.day() : hits.hour()) > 0) {
                all.add(hits);
            }
        });
        Comparator<Hits> order = byDay ? Comparator.comparingLong(Hits::day) : Comparator.comparingLong(Hits::hour);
        all.sort(order.reversed().thenComparing(hits -> hits.digest().hex()));
        return List.copyOf(all.subList(0, Math.min(most, all.size())));
    }

    /** Returns the hits of one hash; empty if it had none lately. */
    public synchronized Optional<Hits> of(Digest digest, long nowMillis) {
        return Optional.ofNullable(entries.get(digest)).map(entry -> {
            entry.curve.turn(nowMillis / CountCurve.MINUTE_MILLIS);
            return entry.hits(digest);
        });
    }
}
