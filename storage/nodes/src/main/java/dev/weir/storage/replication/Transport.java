package dev.weir.storage.replication;

import java.io.IOException;

import dev.weir.wire.key.KeyPair;

/** The way from a follower to its leader. */
@FunctionalInterface
public interface Transport {
    /**
     * Asks a question and waits for the answer.
     *
     * @throws IOException if the leader cannot be reached, or the answer is not that of the leader
     */
    byte[] ask(byte[] question) throws IOException, InterruptedException;

    /** The maker of ways to leaders. */
    @FunctionalInterface
    interface Factory {
        /**
         * Returns the way to a leader, without connecting.
         *
         * @param own the key pair of the follower
         */
        Transport to(ReplicationSettings.Upstream leader, KeyPair own);
    }
}
