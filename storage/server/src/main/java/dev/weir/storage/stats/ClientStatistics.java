package dev.weir.storage.stats;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.model.KeyedHash;

/**
 * Statistics of one key's clients, or of the clients without a key. Recorders store their shares here, so the
 * statistics are freed together with the key.
 */
public final class ClientStatistics {
    private final AtomicInteger budget;
    private final KeyedHash keyed;
    private final CopyOnWriteArrayList<Share> shares = new CopyOnWriteArrayList<>();
    private volatile Share[] byRecorder = {};
    private volatile Hourly hourly = Hourly.NONE;

    ClientStatistics(AtomicInteger budget, KeyedHash keyed) {
        this.budget = budget;
        this.keyed = keyed;
    }

    /** The counts of one recorder. */
    static final class Share {
        final Cells total = new Cells(Counts.FIELDS);
        final FlagTable flags = new FlagTable();
        final AddressTable addresses;

        Share(KeyedHash keyed, AtomicInteger budget) {
            this.addresses = new AddressTable(keyed, budget);
        }
    }

    /** Returns the share of a recorder and creates it on first use. */
    Share share(int recorder) {
        Share[] now = byRecorder;
        if (recorder < now.length) {
            Share share = now[recorder];
            if (share != null) {
                return share;
            }
        }
        return newShare(recorder);
    }

    private synchronized Share newShare(int recorder) {
        Share share = new Share(keyed, budget);
        Share[] grown = Arrays.copyOf(byRecorder, Math.max(byRecorder.length, recorder + 1));
        grown[recorder] = share;
        byRecorder = grown;
        shares.add(share);
        return share;
    }

    /** Returns a snapshot of the counts. */
    public ClientReport report() {
        Map<InetAddress, Counts> addresses = new HashMap<>();
        Map<Integer, Counts> flags = new TreeMap<>();
        for (Share share : shares) {
            share.addresses.addTo(addresses);
            share.flags.addTo(flags);
        }
        Counts total = total();
        Hourly means = hourly.reported(total);
        return new ClientReport(total, means.checked(), means.matched(), addresses, flags);
    }

    private Counts total() {
        Counts sum = Counts.NONE;
        for (Share share : shares) {
            sum = sum.plus(Counts.read(share.total, 0));
        }
        return sum;
    }

    /** Takes a sample if an hour has passed since the last one. Only for the sampling thread. */
    void sample(long millis) {
        hourly = hourly.next(total(), millis);
    }

    /** Returns the number of slots charged to the budget of addresses. */
    int places() {
        List<Share> all = new ArrayList<>(shares);
        return all.stream().mapToInt(share -> share.addresses.places()).sum();
    }
}
