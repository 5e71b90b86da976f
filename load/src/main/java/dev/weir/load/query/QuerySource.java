package dev.weir.load.query;

import java.security.SecureRandom;
import java.util.List;

import dev.weir.wire.box.ClientSession;
import dev.weir.wire.key.PublicKey;

/** Where the bytes of queries come from, and what reads the answers. Serves one thread. */
public sealed interface QuerySource permits PlainSource, SealedSource, NewKeysSource {
    /** What {@link #open} says of bytes that are no answer. */
    long NO_ANSWER = -1;

    /** Queries in the clear. */
    static QuerySource plain(Queries queries) {
        return new PlainSource(queries);
    }

    /**
     * Encrypted queries. Sealing costs more than all the rest, so a supply of them is sealed now and sent again and
     * again.
     *
     * @param sessions the clients that take turns, at least one
     * @param supply how many queries, a power of two, 416 bytes each; no more can be outstanding
     */
    static QuerySource sealed(Queries queries, List<ClientSession> sessions, int supply, SecureRandom random) {
        return new SealedSource(queries, sessions, supply, random);
    }

    /**
     * Requests that no two come from the same client: each has the key of the server and a random one of its own, for
     * which the server has to compute what both share before it can see that the rest is noise. Nothing is answered.
     */
    static QuerySource newKeys(PublicKey server, long seed) {
        return new NewKeysSource(server, seed);
    }

    /** Bytes of the longest request. */
    int maxBytes();

    /** Tags are 0 to this, all its bits set: query number {@code n} has the tag {@code n & lastTag}. */
    long lastTag();

    /** Writes the request of a query; returns its length. */
    int write(long number, byte[] out);

    /** Opens what came in place and lays the view over it; returns its tag, or {@link #NO_ANSWER}. */
    long open(byte[] bytes, int length, ReplyView answer);

    /** Returns the queries, or none if nothing is answered. */
    List<Queries> queries();
}
