package dev.weir.load;

import java.io.IOException;
import java.net.PortUnreachableException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongConsumer;

import dev.weir.load.population.HashRequests;
import dev.weir.load.population.Population;
import dev.weir.load.query.ReplyView;
import dev.weir.load.socket.QuerySocket;
import dev.weir.wire.Protocol;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.ClientSession;
import dev.weir.wire.box.Opened;
import org.jspecify.annotations.Nullable;

/**
 * A writer of all hashes of a population into any storage, with many requests outstanding. It repeats requests without
 * an answer. A storage that does not recognize repeated requests then counts a hash twice if only the answer was lost,
 * so the result has the number of repetitions.
 */
public final class Preload {
    private static final int MAX_TRIES = 30;
    private static final int HEAD = Protocol.REQUEST_HEADER;

    /** The maximum length of a request in bytes. */
    public static final int MAX_BYTES = HEAD + HashRequests.MAX_BYTES;

    private final Population population;
    private final HashRequests requests;
    private final @Nullable ClientSession session;
    private final @Nullable Box box;
    private final byte[] request = new byte[MAX_BYTES];
    private final byte[] plain = new byte[MAX_BYTES];
    private final byte[] reply = new byte[QuerySocket.MAX_ANSWER];
    private final ReplyView answer = new ReplyView();
    private long repeated;

    /**
     * The result.
     *
     * @param learned the number of hashes that the storage acknowledged
     * @param repeated the number of repeated requests
     */
    public record Result(long learned, long repeated) {}

    private static final class Place {
        long number;
        long sent;
        int tries;
        boolean used;
    }

    /**
     * Creates a preload.
     *
     * @param shingles whether the hashes have signatures
     * @param session the session for encrypted requests, together with the box
     */
    public Preload(Population population, boolean shingles, Optional<ClientSession> session, Optional<Box> box) {
        if (session.isPresent() != box.isPresent()) {
            throw new IllegalArgumentException("a session needs a box");
        }
        this.population = population;
        this.requests = new HashRequests(population, shingles);
        this.session = session.orElse(null);
        this.box = box.orElse(null);
    }

    /**
     * Runs in the calling thread.
     *
     * @param outstanding number of outstanding requests, from 1 to 65536
     * @param timeout time after which a request is repeated
     * @throws IOException if the storage refuses a request, or does not answer one after thirty repetitions
     */
    public Result run(QuerySocket socket, int outstanding, Duration timeout, LongConsumer progress) throws IOException {
        Place[] places = new Place[outstanding];
        for (int i = 0; i < outstanding; i++) {
            places[i] = new Place();
        }
        long next = 0;
        long learned = 0;
        int start = 0;
        while (learned < population.size()) {
            long now = System.nanoTime();
            int filled = 0;
            // Visits the places in turn, a batch at a time.
            for (int seen = 0; seen < outstanding && filled < QuerySocket.BATCH && socket.canSend(); seen++) {
                int at = (start + seen) % outstanding;
                Place place = places[at];
                if (!place.used && next < population.size()) {
                    place.number = next++;
                    place.tries = 0;
                    place.used = true;
                } else if (!place.used || now - place.sent < timeout.toNanos()) {
                    continue;
                } else if (++place.tries > MAX_TRIES) {
                    throw new IOException("the storage does not answer; it has acknowledged " + learned + " learns");
                } else {
                    repeated++;
                }
                place.sent = now;
                socket.put(filled++, request, write(place.number));
            }
            start = (start + QuerySocket.BATCH) % outstanding;
            if (filled > 0) {
                socket.send(filled);
            }
            int took = take(socket, places);
            if (took > 0) {
                learned += took;
                progress.accept(learned);
            } else if (filled == 0) {
                Thread.onSpinWait();
            }
        }
        return new Result(learned, repeated);
    }

    private int write(long number) {
        if (session == null || box == null) {
            return requests.learn(number, (int) number, request, 0);
        }
        int length = box.sealRequest(session, plain, 0, requests.learn(number, (int) number, plain, HEAD));
        System.arraycopy(plain, 0, request, 0, length);
        return length;
    }

    private int take(QuerySocket socket, Place[] places) throws IOException {
        int count;
        try {
            count = socket.poll();
        } catch (PortUnreachableException e) {
            return 0;
        }
        int learned = 0;
        for (int i = 0; i < count; i++) {
            int length = socket.take(i, reply);
            if (!open(length)) {
                continue;
            }
            for (Place place : places) {
                if (place.used && (int) place.number == answer.tag()) {
                    if (!answer.matches()) {
                        throw new IOException("the storage refuses to learn (" + answer.value() + ")");
                    }
                    place.used = false;
                    learned++;
                }
            }
        }
        return learned;
    }

    private boolean open(int length) {
        if (session == null || box == null) {
            return answer.wrap(reply, 0, length);
        }
        return box.openReply(session.shared(), reply, 0, length) == Opened.OK
                && answer.wrap(reply, box.plainOffset(), box.plainLength());
    }
}
