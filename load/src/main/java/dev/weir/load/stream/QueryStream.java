package dev.weir.load.stream;

import java.util.List;

import dev.weir.load.query.QuerySource;
import dev.weir.load.socket.QuerySocket;

/**
 * A row of queries with a pace of its own. A generator runs several beside each other.
 *
 * @param name for the report
 * @param source the queries
 * @param sockets the sockets that take turns, at least one; the caller closes them
 * @param atOnce queries that a socket sends before it is the turn of another, 1..{@value QuerySocket#BATCH}
 * @param pace when queries are sent
 */
public record QueryStream(String name, QuerySource source, List<QuerySocket> sockets, int atOnce, Pace pace) {
    /** A stream whose sockets send as many queries at once as are due. */
    public QueryStream(String name, QuerySource source, List<QuerySocket> sockets, Pace pace) {
        this(name, source, sockets, QuerySocket.BATCH, pace);
    }

    /** Refuses streams that could not be followed. */
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
