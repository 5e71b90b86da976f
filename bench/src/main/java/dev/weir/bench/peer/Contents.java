package dev.weir.bench.peer;

import java.io.IOException;
import java.util.BitSet;

import dev.weir.bench.load.Learns;

/** What a backend really holds, read from the backend and not asked from the server in front of it. */
public interface Contents {
    /** Returns the number of hashes. */
    long count() throws IOException;

    /** Looks for every one of these learns. */
    Tally tally(Learns learns, BitSet numbers) throws IOException;

    /**
     * Takes the backend away from the server until the result is closed.
     *
     * @throws IOException if it cannot be taken away
     */
    Outage takeAway() throws IOException;

    /** A backend that is not available to its server. */
    interface Outage extends AutoCloseable {
        @Override
        void close() throws IOException;
    }

    /**
     * What was found.
     *
     * @param stored how many are there
     * @param exact how many are there with exactly their weight
     */
    record Tally(int stored, int exact) {}
}
