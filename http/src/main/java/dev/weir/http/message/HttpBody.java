package dev.weir.http.message;

import java.io.IOException;

/** The unread body of a request; for one thread. */
@FunctionalInterface
public interface HttpBody {
    /**
     * Reads the whole body, once.
     *
     * @param share the source of its memory
     * @throws HttpException if the body is malformed or too large; the rest is unread
     * @throws IOException if the connection fails
     */
    byte[] read(BodyBudget.Share share) throws IOException, HttpException;
}
