package dev.weir.http.message;

import java.io.IOException;

/** The writer of a reply without a known length, such as server-sent events. The end of the connection ends it. */
@FunctionalInterface
public interface ReplyStream {
    /** The connection of the client. */
    @FunctionalInterface
    interface Sink {
        /** Sends bytes. Each call has the time limit of a whole reply. */
        void send(byte[] bytes) throws IOException;
    }

    /**
     * Sends everything and returns.
     *
     * @throws IOException if the client is gone
     * @throws InterruptedException if the server stops
     */
    void writeTo(Sink sink) throws IOException, InterruptedException;
}
