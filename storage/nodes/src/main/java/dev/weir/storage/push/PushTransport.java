package dev.weir.storage.push;

import java.io.IOException;

/** The way to the slaves. Thread-safe. */
@FunctionalInterface
public interface PushTransport {
    /**
     * Sends a batch, and waits for the answer.
     *
     * @param span the updates that the batch stands for; slaves of Rspamd do not read it
     * @throws IOException if there is no answer, or none that only the owner of the slave's key could have written
     */
    Reply push(PushSettings.Slave slave, PushSettings.Host host, byte[] body, BatchSpan span)
            throws IOException, InterruptedException;

    /**
     * The answer of a slave.
     *
     * @param status its status of HTTP
     * @param revision the last batch that the slave has from this master; -1 from Rspamd, which does not say it
     * @param place the place of the slave in the log of the master
     */
    record Reply(int status, long revision, SlavePlace place) {
        /** Returns the answer of a slave that does not know places. */
        public static Reply of(int status, long revision) {
            return new Reply(status, revision, new SlavePlace.Untold());
        }

        /** Returns whether the slave says what it has. Rspamd answers 200 also if it refused a batch. */
        boolean isExact() {
            return revision >= 0;
        }
    }
}
