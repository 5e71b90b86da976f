package dev.weir.load.stream;

import java.io.IOException;
import java.net.PortUnreachableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import dev.weir.load.query.Correctness;
import dev.weir.load.query.Queries;
import dev.weir.load.query.QueryKind;
import dev.weir.load.query.QuerySource;
import dev.weir.load.query.ReplyView;
import dev.weir.load.socket.QuerySocket;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** A running stream: its outstanding queries and its counts. For the generator's thread. */
final class StreamRun {
    /** The number of recorded queries. An answer that arrives after that many other queries is a stray. */
    private static final int REMEMBERED = 1 << 19;

    /**
     * The number of free places at which queries are sent together, unless they have waited for longer than the time
     * below.
     */
    private static final int WORTHWHILE = 32;
    private static final long HELD_NANOS = 20_000;

    private static final int MAX_EXAMPLES = 5;

    private final QueryStream stream;
    private final long startAt;
    private final long measureFrom;
    private final long endAt;
    private final long patience;
    private final @Nullable Queries queries;
    private final long lastTag;
    private final Flight flight;
    private final ReplyView answer = new ReplyView();
    private final byte[] request;
    private final byte[] reply = new byte[QuerySocket.MAX_ANSWER];
    private final Histogram latency = new Histogram(TimeUnit.HOURS.toNanos(1), 3);
    private final List<String> examples = new ArrayList<>();
    private final long[] sentOf;
    private final long[] answeredOf;
    private final long[] wrongOf;
    private final long[] refusedOf;
    private long unanswered;
    private long inTime;
    private long missing;
    private long duplicates;
    private long strays;
    private long due;
    private long heldSince;
    private int receiving;
    private int sending;

    StreamRun(QueryStream stream, LoadTiming timing, long startAt) {
        this.stream = stream;
        this.startAt = startAt;
        this.measureFrom = startAt + timing.warmUp().toNanos();
        this.endAt = measureFrom + timing.measured().toNanos();
        this.patience = timing.patience().toNanos();
        this.queries = stream.source().queries().isEmpty() ? null : stream.source().queries().getFirst();
        this.lastTag = stream.source().lastTag();
        this.flight = new Flight((int) Math.min(REMEMBERED, lastTag + 1));
        this.request = new byte[stream.source().maxBytes()];
        int kinds = queries == null ? 0 : queries.mix().parts().size();
        this.sentOf = new long[kinds];
        this.answeredOf = new long[kinds];
        this.wrongOf = new long[kinds];
        this.refusedOf = new long[kinds];
        this.heldSince = startAt;
    }

    /** Returns the number of answers so far. */
    long progress() {
        return inTime;
    }

    /** Returns whether every query has been sent, and answered or given up. */
    boolean isDone(long now) {
        boolean sent = switch (stream.pace()) {
            case Pace.Closed _ -> now >= endAt;
            // Queries that were due are sent even if late. Leaving them out would hide the bad moments.
            case Pace.Open open -> (now >= endAt && due >= dueBy(endAt, open)) || now >= endAt + patience;
        };
        return sent && flight.outstanding() == 0;
    }

    /** Receives answers on the next socket and sends due queries. Returns false if there was nothing to do. */
    boolean turn(long now) throws IOException {
        boolean received = receive(stream.sockets().get(receiving));
        receiving = after(receiving);
        giveUp(now);
        return send(now) || received;
    }

    /** Returns when the next query is due, or {@code now} in a closed loop and while answers are outstanding. */
    long nextAt(long now) {
        if (flight.outstanding() > 0 || !(stream.pace() instanceof Pace.Open open)) {
            return now;
        }
        return due < dueBy(endAt, open) ? dueAt(due, open) : endAt;
    }

    private int after(int socket) {
        return socket + 1 == stream.sockets().size() ? 0 : socket + 1;
    }

    // ---- sending ----

    private boolean send(long now) throws IOException {
        int count = switch (stream.pace()) {
            case Pace.Closed closed -> now < endAt ? room(closed.outstanding(), now) : 0;
            case Pace.Open open -> now < endAt + patience
                    ? (int) Math.min(QuerySocket.BATCH, dueBy(Math.min(now, endAt), open) - due)
                    : 0;
        };
        int left = count;
        while (left > 0) {
            QuerySocket socket = stream.sockets().get(sending);
            sending = after(sending);
            int sent = socket.canSend() ? send(socket, Math.min(left, stream.atOnce()), now) : 0;
            if (sent == 0) {
                break;
            }
            left -= sent;
            heldSince = now;
        }
        return left < count;
    }

    private int send(QuerySocket socket, int count, long now) throws IOException {
        int filled = 0;
        while (filled < count && !flight.isFull()) {
            long number = flight.next();
            long at = stream.pace() instanceof Pace.Open open ? dueAt(due++, open) : now;
            socket.put(filled, request, stream.source().write(number, request));
            begin(number, at);
            filled++;
        }
        if (filled > 0) {
            socket.send(filled);
        }
        return filled;
    }

    private void begin(long number, long at) {
        flight.begin(at);
        if (queries == null) {
            flight.end(number);
            unanswered += at >= measureFrom ? 1 : 0;
        } else if (at >= measureFrom) {
            sentOf[queries.part(number & lastTag)]++;
        }
    }

    /**
     * Returns how many queries to send. Sending one at a time costs both sides a call each, so free places are
     * collected for a moment.
     */
    private int room(int most, long now) {
        int room = Math.min(most - flight.outstanding(), QuerySocket.BATCH);
        boolean worthwhile = room >= Math.min(WORTHWHILE, Math.max(1, most / 4));
        return worthwhile || now - heldSince >= HELD_NANOS ? room : 0;
    }

    private long dueBy(long now, Pace.Open open) {
        return 1 + (long) ((now - 1 - startAt) / 1e9 * open.perSecond());
    }

    private long dueAt(long number, Pace.Open open) {
        return startAt + (long) (number * 1e9 / open.perSecond());
    }

    // ---- receiving ----

    private boolean receive(QuerySocket socket) throws IOException {
        int count;
        try {
            count = socket.poll();
        } catch (PortUnreachableException e) {
            // The system reports the failure of an earlier datagram, which will be missing.
            return false;
        }
        if (count == 0) {
            return false;
        }
        long now = System.nanoTime();
        for (int i = 0; i < count; i++) {
            int length = socket.take(i, reply);
            long tag = stream.source().open(reply, length, answer);
            if (tag == QuerySource.NO_ANSWER) {
                strays++;
                continue;
            }
            long number = flight.numberOf(tag, lastTag);
            if (queries != null && flight.isOutstanding(number)) {
                take(queries, number & lastTag, flight.end(number), now);
            } else if (flight.isRecent(number)) {
                duplicates++;
            } else {
                strays++;
            }
        }
        return true;
    }

    private void take(Queries asked, long query, long at, long now) {
        if (now >= measureFrom && now < endAt) {
            inTime++;
        }
        Correctness verdict = asked.judge(query, answer);
        int part = asked.part(query);
        if (verdict != Correctness.RIGHT && examples.size() < MAX_EXAMPLES) {
            examples.add(asked.mix().parts().get(part).kind() + ": expected " + asked.expected(query) + "; answered "
                    + answer);
        }
        if (at < measureFrom) {
            return;
        }
        latency.recordValue(Math.max(0, now - at));
        answeredOf[part]++;
        switch (verdict) {
            case RIGHT -> {
            }
            case WRONG -> wrongOf[part]++;
            case REFUSED -> refusedOf[part]++;
        }
    }

    /** Gives up queries that have waited too long. */
    private void giveUp(long now) {
        while (flight.outstanding() > 0) {
            long number = flight.oldest();
            long at = flight.since(number);
            if (now - at < patience && !flight.isFull()) {
                return;
            }
            lose(now);
        }
    }

    /** Gives up the oldest outstanding query. */
    private void lose(long now) {
        long at = flight.end(flight.oldest());
        if (at >= measureFrom) {
            missing++;
            latency.recordValue(Math.max(0, now - at));
        }
    }

    /** Returns the counts. Everything outstanding, or due and not sent, counts as missing. */
    StreamResult finish(long now) {
        if (stream.pace() instanceof Pace.Open open) {
            for (long last = dueBy(Math.min(now, endAt), open); due < last; due++) {
                if (flight.isFull()) {
                    lose(now);
                }
                begin(flight.next(), dueAt(due, open));
            }
        }
        while (flight.outstanding() > 0) {
            lose(now);
        }
        List<StreamResult.Kind> kinds = new ArrayList<>();
        StreamResult.Kind all = new StreamResult.Kind(QueryKind.MISS, unanswered, 0, 0, 0);
        for (int i = 0; i < sentOf.length; i++) {
            QueryKind of = Objects.requireNonNull(queries).mix().parts().get(i).kind();
            StreamResult.Kind kind = new StreamResult.Kind(of, sentOf[i], answeredOf[i], wrongOf[i], refusedOf[i]);
            kinds.add(kind);
            all = all.plus(kind);
        }
        double seconds = (Math.min(now, endAt) - measureFrom) / 1e9;
        return new StreamResult(stream.name(), all.sent(), all.answered(), all.wrong(), all.refused(), missing,
                duplicates,
                strays, seconds > 0 ? inTime / seconds : 0, latency, kinds, examples);
    }
}
