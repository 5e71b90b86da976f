package dev.weir.http.message;

import java.io.IOException;

/** The body of a request, which nothing has been read of; for one thread. */
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
