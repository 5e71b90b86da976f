package dev.weir.load.query;

import java.security.SecureRandom;
import java.util.List;

import dev.weir.wire.box.ClientSession;
import dev.weir.wire.key.PublicKey;

/** A source of request bytes and a reader of the answers. For one thread. */
public sealed interface QuerySource permits PlainSource, SealedSource, NewKeysSource {
    /** The result of {@link #open} for bytes that are not an answer. */
    long NO_ANSWER = -1;

    /** Returns unencrypted queries. */
    static QuerySource plain(Queries queries) {
        return new PlainSource(queries);
    }

    /**
     * Returns encrypted queries. Encryption costs more than everything else, so this method encrypts a supply of
     * queries that is then sent repeatedly.
     *
     * @param sessions the clients in turn, at least one
     * @param supply the number of queries, a power of two, 416 bytes each; the maximum number outstanding
     */
    static QuerySource sealed(Queries queries, List<ClientSession> sessions, int supply, SecureRandom random) {
        return new SealedSource(queries, sessions, supply, random);
    }

    /**
     * Returns requests that each come from another client. Each has the key of the server and a random client key, for
     * which the server must compute the shared key before it can recognize the rest as random data. None gets an
     * answer.
     */
    static QuerySource newKeys(PublicKey server, long seed) {
        return new NewKeysSource(server, seed);
    }

    /** Returns the maximum length of a request in bytes. */
    int maxBytes();

    /** Returns the maximum tag, with all its bits set. Query {@code n} has the tag {@code n & lastTag}. */
    long lastTag();

    /** Writes the request of a query and returns its length. */
    int write(long number, byte[] out);

    /** Decrypts received bytes in place and wraps them in the view. Returns the tag, or {@link #NO_ANSWER}. */
    long open(byte[] bytes, int length, ReplyView answer);

    /** Returns the queries, or an empty list if requests get no answers. */
    List<Queries> queries();
}
