package dev.weir.http.message;

import java.io.IOException;

/** The unread body of a request; for one thread. */
@FunctionalInterface
public interface HttpBody {
    /**
     * Reads the whole body, once, for a client that has access. From now on, its connection keeps its place, however
     * slowly the body arrives.
     *
     * @param share the source of its memory
     * @throws HttpException if the body is malformed or too large; the rest is unread
     * @throws IOException if the connection fails
     */
    byte[] read(BodyBudget.Share share) throws IOException, HttpException;

    /**
     * Reads the whole body like {@link #read}, for a client that may have no access. Its connection can lose its place
     * to another one until the body is complete, because anyone can withhold the rest of a body.
     */
    default byte[] readOfStranger(BodyBudget.Share share) throws IOException, HttpException {
        return read(share);
    }
}
