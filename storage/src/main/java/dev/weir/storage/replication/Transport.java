package dev.weir.storage.replication;

import java.io.IOException;

/** The way from a follower to its leader. */
@FunctionalInterface
public interface Transport {
    /**
     * Asks a question and waits for the answer.
     *
     * @throws IOException if the leader cannot be reached, or the answer is not that of the leader
     */
    byte[] ask(byte[] question) throws IOException, InterruptedException;
}
