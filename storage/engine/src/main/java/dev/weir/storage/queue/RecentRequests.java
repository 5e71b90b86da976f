package dev.weir.storage.queue;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import dev.weir.model.AddressBits;
import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.model.Update;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateOrigin;
import org.jspecify.annotations.Nullable;

/**
 * The requests of the last seconds, for recognizing repeated ones. A client that gets no reply in time repeats its
 * datagram; because weights add up, the storage must not apply it twice. A repetition has the same sender, tag and
 * content, and a client draws a new tag for a new request. A repetition is remembered like a request, because a client
 * may go on until it gets a reply.
 *
 * <p>Requests are remembered for as long as clients may repeat them, at a rate of up to {@value #CAPACITY} in that
 * time; beyond that, the oldest are forgotten. The clock is monotonic. For one thread.
 *
 * <p>A request is stored as two keyed hashes, 128 bits that no client can predict, because millions of complete
 * requests would take half a gigabyte. Rows are numbers in large arrays instead of objects, which would dominate the
 * cost of garbage collection. The arrays are allocated and dropped in chunks, about 30 bytes for each request.
 */
public final class RecentRequests {
    /**
     * The time for which a request is remembered. Rspamd gives up after (retransmits + 1) times its timeout and some
     * pauses, by default 4.1 s, and so does Weir. This is enough for five tries of 5 s.
     */
    public static final long KEEP_MILLIS = 30_000;

    /** The precision of times. */
    private static final int TICK_MILLIS = 100;

    /** 100,000 requests a second for all of that time, which take 89 MB. */
    static final int CAPACITY = 3_000_000;

    private static final int SMALLEST = 1_024;

    private static final int ADDRESS = Digest.WORDS;
    private static final int KEY = ADDRESS + 2;
    private static final int SENDER = KEY + 2;
    private static final int CHANGE = SENDER + 1;
    private static final int WORDS = CHANGE + 1;

    private static final int KIND_SHIFT = 56;
    private static final int ENCRYPTED_SHIFT = 48;

    private static final int CHUNK_SHIFT = 10;
    private static final int CHUNK = 1 << CHUNK_SHIFT;

    /** Some requests in the order in which they were recorded. */
    private static final class Chunk {
        static final int ROW_BYTES = 2 * Long.BYTES + 2 * Integer.BYTES;

        /** Two words for each request. */
        final long[] prints = new long[2 * CHUNK];
        /** The time of recording in ticks; {@link #FORGOTTEN} for a request that no longer counts. */
        final int[] times = new int[CHUNK];
        /** The row of the next request in the chain, plus one; 0 ends a chain. */
        final int[] after = new int[CHUNK];
    }

    private static final int FORGOTTEN = -1;

    private final LongSupplier nanos;
    private final long start;
    private final KeyedHash first;
    private final KeyedHash second;
    private final long[] request = new long[WORDS];
    private long print0;
    private long print1;

    /** A ring of chunks. A row number consists of the position of its chunk and the position inside it. */
    private final @Nullable Chunk[] chunks = new @Nullable Chunk[Integer.highestOneBit(CAPACITY / CHUNK) << 1];
    private static final int ROWS = (Integer.highestOneBit(CAPACITY / CHUNK) << 1) << CHUNK_SHIFT;
    private int oldest;
    private int size;

    /** The first row of each chain, plus one. */
    private int[] chains = new int[SMALLEST];

    /** The time that passed on the log's clock while the log was read; the next field, its last value. */
    private long logPassed;
    private long logMillis;

    /**
     * Creates an empty record.
     *
     * @param nanos a monotonic clock
     * @param hashes supplies keyed hashes that clients cannot compute
     */
    public RecentRequests(LongSupplier nanos, Supplier<KeyedHash> hashes) {
        this.nanos = nanos;
        this.first = hashes.get();
        this.second = hashes.get();
        this.start = nanos.getAsLong();
    }

    /**
     * Records an update of a log, in order and before any others. The last one counts as just requested, because only a
     * clock that may have been set since could tell its age.
     */
    public void remember(LoggedUpdate logged) {
        logPassed += logMillis == 0 ? 0 : Math.clamp(logged.millis() - logMillis, 0, LogLimits.LONGEST_PAUSE);
        logMillis = logged.millis();
        if (describe(logged.origin(), logged.update())) {
            add(logPassed);
        }
    }

    /** Records a request. Returns false if it is already recorded and neither expired nor {@link #forget removed}. */
    boolean add(UpdateOrigin origin, Update update) {
        return !describe(origin, update) || add(logPassed + (nanos.getAsLong() - start) / 1_000_000);
    }

    private boolean add(long millis) {
        int now = (int) (millis / TICK_MILLIS);
        forgetOld(now);
        int link = find();
        if (link != 0) {
            drop(link - 1);
        }
        append(now);
        return link == 0;
    }

    /** Returns whether a request is recorded. */
    boolean knows(UpdateOrigin origin, Update update) {
        return describe(origin, update) && find() != 0;
    }

    /** Removes a request that failed, so that its repetition is a new attempt. */
    void forget(UpdateOrigin origin, Update update) {
        if (describe(origin, update)) {
            int link = find();
            if (link != 0) {
                drop(link - 1);
            }
        }
    }

    /** Returns the approximate size of all arrays in bytes. */
    long bytes() {
        return Arrays.stream(chunks).filter(Objects::nonNull).count() * CHUNK * Chunk.ROW_BYTES
                + (long) chains.length * Integer.BYTES;
    }

    /** Computes the hashes of a request. Returns false for updates that no client can request. */
    private boolean describe(UpdateOrigin origin, Update update) {
        InetAddress address = origin.address();
        if (address == null) {
            return false;
        }
        update.digest().copyTo(request, 0);
        request[ADDRESS] = AddressBits.high(address);
        request[ADDRESS + 1] = AddressBits.low(address);
        byte[] key = origin.key();
        request[KEY] = key == null ? 0 : ByteBuffer.wrap(key).getLong(0);
        request[KEY + 1] = key == null ? 0 : ByteBuffer.wrap(key).getLong(Long.BYTES);
        request[SENDER] = (key == null ? 0L : 1L) << ENCRYPTED_SHIFT | (long) origin.port() << Integer.SIZE
                | Integer.toUnsignedLong(origin.tag());
        switch (update) {
            // Clients send 32 bits.
            case Update.Write write -> describe(1, write.flag(), (int) write.weight());
            case Update.Delete delete -> describe(2, delete.flag(), 0);
            case Update.DeleteAll delete -> describe(3, 0, 0);
            case Update.Refresh refresh -> {
                return false;
            }
            case Update.Expire expire -> {
                return false;
            }
        }
        print0 = first.hash(request, 0, WORDS);
        print1 = second.hash(request, 0, WORDS);
        return true;
    }

    private void describe(long kind, int flag, int weight) {
        request[SENDER] |= kind << KIND_SHIFT;
        request[CHANGE] = (long) flag << Integer.SIZE | Integer.toUnsignedLong(weight);
    }

    private Chunk chunk(int row) {
        return Objects.requireNonNull(chunks[row >> CHUNK_SHIFT]);
    }

    /** Returns the row of the request plus one, or 0. */
    private int find() {
        int link = chains[chain(print0)];
        while (link != 0) {
            Chunk chunk = chunk(link - 1);
            int at = (link - 1) & (CHUNK - 1);
            if (chunk.prints[2 * at] == print0 && chunk.prints[2 * at + 1] == print1) {
                return link;
            }
            link = chunk.after[at];
        }
        return 0;
    }

    private int chain(long print) {
        return (int) print & (chains.length - 1);
    }

    private void append(int now) {
        if (size >= chains.length) {
            rechain(2 * chains.length);
        }
        int row = (oldest + size++) & (ROWS - 1);
        if (chunks[row >> CHUNK_SHIFT] == null) {
            chunks[row >> CHUNK_SHIFT] = new Chunk();
        }
        Chunk chunk = chunk(row);
        int at = row & (CHUNK - 1);
        chunk.prints[2 * at] = print0;
        chunk.prints[2 * at + 1] = print1;
        chunk.times[at] = now;
        link(chunk, row);
    }

    private void link(Chunk chunk, int row) {
        int at = row & (CHUNK - 1);
        int chain = chain(chunk.prints[2 * at]);
        chunk.after[at] = chains[chain];
        chains[chain] = row + 1;
    }

    /** Removes a row from its chain. Its place in the ring stays in use until it is the oldest. */
    private void drop(int row) {
        Chunk chunk = chunk(row);
        int at = row & (CHUNK - 1);
        int chain = chain(chunk.prints[2 * at]);
        if (chains[chain] == row + 1) {
            chains[chain] = chunk.after[at];
        } else {
            int before = chains[chain] - 1;
            while (chunk(before).after[before & (CHUNK - 1)] != row + 1) {
                before = chunk(before).after[before & (CHUNK - 1)] - 1;
            }
            chunk(before).after[before & (CHUNK - 1)] = chunk.after[at];
        }
        chunk.times[at] = FORGOTTEN;
    }

    /** Changes the number of chains. With millions of requests this takes some hundredths of a second. */
    private void rechain(int count) {
        chains = new int[count];
        for (int i = 0; i < size; i++) {
            int row = (oldest + i) & (ROWS - 1);
            Chunk chunk = chunk(row);
            if (chunk.times[row & (CHUNK - 1)] != FORGOTTEN) {
                link(chunk, row);
            }
        }
    }

    private void forgetOld(int now) {
        while (size > 0) {
            int time = chunk(oldest).times[oldest & (CHUNK - 1)];
            if (time != FORGOTTEN && size < CAPACITY && now - time <= KEEP_MILLIS / TICK_MILLIS) {
                return;
            }
            if (time != FORGOTTEN) {
                drop(oldest);
            }
            int place = oldest >> CHUNK_SHIFT;
            oldest = (oldest + 1) & (ROWS - 1);
            size--;
            if (oldest >> CHUNK_SHIFT != place) {
                chunks[place] = null;
            }
        }
        if (chains.length > SMALLEST) {
            chains = new int[SMALLEST];
        }
    }
}
