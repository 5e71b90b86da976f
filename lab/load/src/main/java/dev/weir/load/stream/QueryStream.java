package dev.weir.load.stream;

import java.util.List;

import dev.weir.load.query.QuerySource;
import dev.weir.load.socket.QuerySocket;

/**
 * A sequence of queries with its pace. A generator runs several side by side.
 *
 * @param name the name in the report
 * @param source the queries
 * @param sockets the sockets in turn, at least one; the caller closes them
 * @param atOnce number of queries that a socket sends before the next socket's turn, from 1 to {@value
 *            QuerySocket#BATCH}
 * @param pace the pace
 */
public record QueryStream(String name, QuerySource source, List<QuerySocket> sockets, int atOnce, Pace pace) {
    /** Creates a stream whose sockets send all due queries at once. */
    public QueryStream(String name, QuerySource source, List<QuerySocket> sockets, Pace pace) {
        this(name, source, sockets, QuerySocket.BATCH, pace);
    }

    /** Checks that the stream can be followed. */
    public QueryStream {
        sockets = List.copyOf(sockets);
        if (sockets.isEmpty()) {
            throw new IllegalArgumentException("a stream without a socket");
        }
        QuerySocket.checkAtOnce(atOnce);
        if (source.queries().isEmpty() && !(pace instanceof Pace.Open)) {
            throw new IllegalArgumentException("nothing is answered, so there is nothing to wait for");
        }
        if (pace instanceof Pace.Closed closed && closed.outstanding() > source.lastTag()) {
            throw new IllegalArgumentException("more outstanding than there are tags");
        }
    }
}
