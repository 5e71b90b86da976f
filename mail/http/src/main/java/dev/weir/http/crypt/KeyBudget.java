package dev.weir.http.crypt;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import dev.weir.http.server.Client;
import dev.weir.model.KeyedHash;
import dev.weir.storage.access.gate.Source;
import dev.weir.storage.server.request.AgreementBudget;

/**
 * The rate limit for key agreements with clients without access, the same as over UDP: an agreement takes more than
 * a millisecond, and every client can ask for one with each request. Thread-safe.
 */
public final class KeyBudget {
    private final AgreementBudget budget;
    private final LongAdder refused = new LongAdder();

    /**
     * Creates a full budget.
     *
     * @param nanos a clock like {@link System#nanoTime}
     * @param keyed maps networks to unpredictable places
     */
    public KeyBudget(LongSupplier nanos, KeyedHash keyed) {
        this.budget = new AgreementBudget(nanos, keyed);
    }

    /** Takes an agreement from the budget. Returns false if none is left for this client. */
    boolean take(Client client) {
        Source source = new Source();
        client.address().ifPresentOrElse(address -> source.set(address, true), source::setUnixSocket);
        boolean taken;
        synchronized (budget) {
            taken = budget.take(source);
        }
        if (!taken) {
            refused.increment();
        }
        return taken;
    }

    /** Returns the number of requests refused since the start. */
    public long refused() {
        return refused.sum();
    }
}
