package dev.weir.http.message;

import java.io.IOException;

/** The unread body of a request; for one thread. */
@FunctionalInterface
public interface HttpBody {
    /**
     * Reads all of it, once.
     *
     * @param share what its memory is taken from
     * @throws HttpException if it is malformed or too large; the rest of it was not read
     * @throws IOException as the connection does
     */
    byte[] read(BodyBudget.Share share) throws IOException, HttpException;
}
