package dev.weir.load.query;

import java.security.SecureRandom;
import java.util.List;

import dev.weir.wire.Protocol;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.ClientSession;
import dev.weir.wire.box.Opened;

/**
 * A supply of encrypted queries. An answer does not name its client, but answers arrive nearly in the order of the
 * queries, so the client of the next expected answer is tried first.
 */
final class SealedSource implements QuerySource {
    private static final int MAX_BYTES = Protocol.REQUEST_HEADER + Queries.MAX_BYTES;
    private static final int MAX_SUPPLY = 1 << 20;

    /** The maximum number of clients to try for an answer: as many as may have overtaken each other. */
    private static final int MAX_TRIES = 256;

    private final Queries queries;
    private final List<ClientSession> sessions;
    private final Box box;
    private final byte[] sealed;
    private final int[] lengths;
    private int expected;

    SealedSource(Queries queries, List<ClientSession> sessions, int supply, SecureRandom random) {
        if (Integer.bitCount(supply) != 1 || supply > MAX_SUPPLY) {
            throw new IllegalArgumentException(
                    "a supply of " + supply + " queries is not a power of two up to " + MAX_SUPPLY);
        }
        if (sessions.isEmpty()) {
            throw new IllegalArgumentException("no client to seal for");
        }
        this.queries = queries;
        this.sessions = List.copyOf(sessions);
        this.box = new Box(random, 1);
        this.sealed = new byte[supply * MAX_BYTES];
        this.lengths = new int[supply];
        for (int i = 0; i < supply; i++) {
            int length = queries.write(i, i, sealed, i * MAX_BYTES + Protocol.REQUEST_HEADER);
            lengths[i] = box.sealRequest(session(i), sealed, i * MAX_BYTES, length);
        }
    }

    private ClientSession session(int index) {
        return sessions.get(index % sessions.size());
    }

    @Override
    public int maxBytes() {
        return MAX_BYTES;
    }

    @Override
    public long lastTag() {
        return lengths.length - 1L;
    }

    @Override
    public int write(long number, byte[] out) {
        int index = (int) (number & lastTag());
        System.arraycopy(sealed, index * MAX_BYTES, out, 0, lengths[index]);
        return lengths[index];
    }

    @Override
    public long open(byte[] bytes, int length, ReplyView answer) {
        int tries = Math.min(sessions.size(), MAX_TRIES);
        for (int i = 0; i < tries; i++) {
            if (box.openReply(session((expected + i) & (lengths.length - 1)).shared(), bytes, 0, length) == Opened.OK) {
                if (!answer.wrap(bytes, box.plainOffset(), box.plainLength())
                        || Integer.compareUnsigned(answer.tag(), lengths.length) >= 0) {
                    return NO_ANSWER;
                }
                expected = (answer.tag() + 1) & (lengths.length - 1);
                return answer.tag();
            }
        }
        return NO_ANSWER;
    }

    @Override
    public List<Queries> queries() {
        return List.of(queries);
    }
}
