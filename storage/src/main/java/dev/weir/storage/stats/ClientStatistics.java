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
 * What the clients of one key asked, or those without a key. Lives as long as the key: recorders keep their share of it
 * in here, so that it goes when the key goes.
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

    /** What one recorder counted. */
    static final class Share {
        final Cells total = new Cells(Counts.FIELDS);
        final FlagTable flags = new FlagTable();
        final AddressTable addresses;

        Share(KeyedHash keyed, AtomicInteger budget) {
            this.addresses = new AddressTable(keyed, budget);
        }
    }

    /** Returns the share of a recorder, which is made when it asks for the first time. */
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

    /** Returns a snapshot. */
    public ClientReport report() {
        Map<InetAddress, Counts> addresses = new HashMap<>();
        Map<Integer, Counts> flags = new TreeMap<>();
        for (Share share : shares) {
            share.addresses.addTo(addresses);
            share.flags.addTo(flags);
        }
        Hourly means = hourly;
        return new ClientReport(total(), means.checked(), means.matched(), addresses, flags);
    }

    private Counts total() {
        Counts sum = Counts.NONE;
        for (Share share : shares) {
            sum = sum.plus(Counts.read(share.total, 0));
        }
        return sum;
    }

    /** Takes an hourly sample if an hour went by since the last one. For the one thread that does that. */
    void sample(long millis) {
        hourly = hourly.next(total(), millis);
    }

    /** Addresses that this has taken off the budget. */
    int places() {
        List<Share> all = new ArrayList<>(shares);
        return all.stream().mapToInt(share -> share.addresses.places()).sum();
    }
}
