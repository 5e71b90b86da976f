package dev.weir.load;

import java.util.List;

/**
 * A row of queries with a pace of its own. A generator runs several beside each other.
 *
 * @param name for the report
 * @param source the queries
 * @param lines the sockets that take turns, at least one; the caller closes them
 * @param atOnce queries that a socket sends before it is the turn of another, 1..{@value Line#BATCH}
 * @param pace when queries are sent
 */
public record Stream(String name, Source source, List<Line> lines, int atOnce, Pace pace) {
    /** A stream whose sockets send as many queries at once as are due. */
    public Stream(String name, Source source, List<Line> lines, Pace pace) {
        this(name, source, lines, Line.BATCH, pace);
    }

    /** Refuses streams that could not be followed. */
    public Stream {
        lines = List.copyOf(lines);
        if (lines.isEmpty()) {
            throw new IllegalArgumentException("a stream without a socket");
        }
        Line.checkAtOnce(atOnce);
        if (source.queries().isEmpty() && !(pace instanceof Pace.Open)) {
            throw new IllegalArgumentException("nothing is answered, so there is nothing to wait for");
        }
        if (pace instanceof Pace.Closed closed && closed.outstanding() > source.lastTag()) {
            throw new IllegalArgumentException("more outstanding than there are tags");
        }
    }
}
