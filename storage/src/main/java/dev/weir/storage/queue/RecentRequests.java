package dev.weir.storage.queue;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;

import dev.weir.net.AddressBits;
import dev.weir.storage.Digest;
import dev.weir.storage.Update;
import dev.weir.storage.index.KeyedHash;
import dev.weir.storage.log.Origin;

/**
 * Tells a request that was sent again from a new one. A client that got no answer in time repeats its datagram, and
 * weights add up: applying it twice would be wrong. Both have the same sender, tag and content, and a client draws a
 * new tag for a new request.
 *
 * <p>Bounded: the oldest are forgotten. For one thread.
 *
 * <p>Requests are rows of numbers in one array, not objects: tens of thousands that live for seconds cost the collector more
 * than everything else that is done about a learn in the heap.
 */
final class RecentRequests {
    /** How long clients may go on repeating; Rspamd's and ours give up within ten seconds by default. */
    static final long KEEP_MILLIS = 30_000;

    /** More than a second of the fastest learning that was measured; 9 MB. */
    static final int CAPACITY = 65_536;

    private static final int SMALLEST = 1_024;

    /** A row: what tells requests apart, the time at which it was noted, and whether it still counts. */
    private static final int ADDRESS = Digest.WORDS;
    private static final int KEY = ADDRESS + 2;
    private static final int SENDER = KEY + 2;
    private static final int CHANGE = SENDER + 1;
    private static final int TIME = CHANGE + 1;
    private static final int COUNTS = TIME + 1;
    private static final int ROW = COUNTS + 1;

    private static final int KIND_SHIFT = 56;
    private static final int ENCRYPTED_SHIFT = 48;

    private final KeyedHash keyed = KeyedHash.random();
    private final long[] request = new long[TIME];

    /** A ring: {@link #size} rows from {@link #oldest} on. */
    private long[] rows = new long[SMALLEST * ROW];
    private int oldest;
    private int size;
    /** The first row of each chain and the one after each row, plus one; 0 ends a chain. */
    private int[] chains = new int[2 * SMALLEST];
    private int[] after = new int[SMALLEST];

    /** Notes a request; false if it was noted before and not forgotten or {@link #forget forgotten on purpose}. */
    boolean add(Origin origin, Update update, long millis) {
        InetAddress address = origin.address();
        if (address == null) {
            return true;
        }
        forgetOld(millis);
        describe(origin, address, update);
        if (find() != 0) {
            return false;
        }
        if (size == after.length) {
            grow();
        }
        append(request, 0, millis);
        return true;
    }

    /** A request that was noted did not succeed: its repetition is a new attempt. */
    void forget(Origin origin, Update update) {
        InetAddress address = origin.address();
        if (address != null) {
            describe(origin, address, update);
            int link = find();
            if (link != 0) {
                drop(link - 1);
            }
        }
    }

    private void describe(Origin origin, InetAddress address, Update update) {
        update.digest().copyTo(request, 0);
        request[ADDRESS] = AddressBits.high(address);
        request[ADDRESS + 1] = AddressBits.low(address);
        byte[] key = origin.key();
        request[KEY] = key == null ? 0 : ByteBuffer.wrap(key).getLong(0);
        request[KEY + 1] = key == null ? 0 : ByteBuffer.wrap(key).getLong(Long.BYTES);
        request[SENDER] = (key == null ? 0L : 1L) << ENCRYPTED_SHIFT | (long) origin.port() << Integer.SIZE
                | Integer.toUnsignedLong(origin.tag());
        switch (update) {
            case Update.Write write -> describe(1, write.flag(), write.weight());
            case Update.Delete delete -> describe(2, delete.flag(), 0);
            case Update.DeleteAll delete -> describe(3, 0, 0);
            case Update.Refresh refresh -> throw new IllegalArgumentException("no client asks for that");
            case Update.Expire expire -> throw new IllegalArgumentException("no client asks for that");
        }
    }

    private void describe(long kind, int flag, int weight) {
        request[SENDER] |= kind << KIND_SHIFT;
        request[CHANGE] = (long) flag << Integer.SIZE | Integer.toUnsignedLong(weight);
    }

    /** The row of {@link #request} plus one, or 0. */
    private int find() {
        int link = chains[chain(request, 0)];
        while (link != 0 && !Arrays.equals(request, 0, TIME, rows, (link - 1) * ROW, (link - 1) * ROW + TIME)) {
            link = after[link - 1];
        }
        return link;
    }

    private int chain(long[] source, int from) {
        return (int) keyed.hash(source, from, TIME) & (chains.length - 1);
    }

    private void append(long[] source, int from, long millis) {
        int row = (oldest + size++) & (after.length - 1);
        System.arraycopy(source, from, rows, row * ROW, TIME);
        rows[row * ROW + TIME] = millis;
        rows[row * ROW + COUNTS] = 1;
        int chain = chain(source, from);
        after[row] = chains[chain];
        chains[chain] = row + 1;
    }

    /** Takes a row out of its chain; its place in the ring stays taken until it is the oldest. */
    private void drop(int row) {
        int chain = chain(rows, row * ROW);
        if (chains[chain] == row + 1) {
            chains[chain] = after[row];
        } else {
            int before = chains[chain] - 1;
            while (after[before] != row + 1) {
                before = after[before] - 1;
            }
            after[before] = after[row];
        }
        rows[row * ROW + COUNTS] = 0;
    }

    private void grow() {
        long[] old = rows;
        int first = oldest;
        int count = size;
        int places = after.length;
        rows = new long[2 * places * ROW];
        chains = new int[4 * places];
        after = new int[2 * places];
        oldest = 0;
        size = 0;
        for (int i = 0; i < count; i++) {
            int from = ((first + i) & (places - 1)) * ROW;
            if (old[from + COUNTS] != 0) {
                append(old, from, old[from + TIME]);
            }
        }
    }

    private void forgetOld(long millis) {
        while (size > 0) {
            int from = oldest * ROW;
            boolean counts = rows[from + COUNTS] != 0;
            long age = millis - rows[from + TIME];
            // A clock that was set back must not keep them for ever.
            if (counts && size < CAPACITY && age >= 0 && age <= KEEP_MILLIS) {
                return;
            }
            if (counts) {
                drop(oldest);
            }
            oldest = (oldest + 1) & (after.length - 1);
            size--;
        }
    }
}
