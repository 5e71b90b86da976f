package dev.weir.bench.peer;

import java.io.IOException;
import java.util.BitSet;

import dev.weir.load.population.Population;

/** The contents of a backend, read from the backend itself and not through the server in front of it. */
public interface Contents {
    /** Returns the number of hashes. */
    long count() throws IOException;

    /** Looks up these hashes of a population. */
    Tally tally(Population population, BitSet numbers) throws IOException;

    /**
     * Makes the backend unavailable to its server until the result is closed.
     *
     * @throws IOException if that fails
     */
    Outage takeAway() throws IOException;

    /** An outage of a backend. */
    interface Outage extends AutoCloseable {
        @Override
        void close() throws IOException;
    }

    /**
     * The result of a lookup.
     *
     * @param stored number of hashes found
     * @param exact number of hashes found with their flag and value
     */
    record Tally(int stored, int exact) {}
}
