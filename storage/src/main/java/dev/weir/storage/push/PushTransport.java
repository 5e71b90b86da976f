package dev.weir.storage.push;

import java.io.IOException;

/** The way to the slaves. Thread-safe. */
@FunctionalInterface
public interface PushTransport {
    /**
     * Sends a batch, and waits for the answer.
     *
     * @throws IOException if there is no answer, or none that only the owner of the slave's key could have written
     */
    Reply push(PushSettings.Slave slave, PushSettings.Host host, byte[] body) throws IOException, InterruptedException;

    /**
     * The answer of a slave.
     *
     * @param status its status of HTTP
     * @param revision the last batch that the slave has from this master; -1 from Rspamd, which does not say it
     */
    record Reply(int status, long revision) {
        /** Returns whether the slave says what it has. Rspamd answers 200 also if it refused a batch. */
        boolean isExact() {
            return revision >= 0;
        }
    }
}
