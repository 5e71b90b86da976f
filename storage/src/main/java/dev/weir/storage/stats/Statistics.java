package dev.weir.storage.stats;

import java.net.InetAddress;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.model.KeyedHash;
import dev.weir.wire.Epoch;

/** The statistics of a storage. Any thread may ask for anything. */
public final class Statistics {
    /** Addresses that are remembered in all, 64 bytes each: by key, by receiving thread. */
    private static final int MAX_ADDRESSES = 1 << 18;

    private final AtomicInteger budget = new AtomicInteger(MAX_ADDRESSES);
    private final AtomicInteger numbers = new AtomicInteger();
    private final List<Recorder> recorders = new CopyOnWriteArrayList<>();
    private final ClientStatistics unkeyed;
    private final KeyedHash keyed;

    /**
     * Statistics in which nothing is counted yet.
     *
     * @param keyed with a key that clients do not know
     */
    public Statistics(KeyedHash keyed) {
        this.keyed = keyed;
        this.unkeyed = newClients();
    }

    /** Returns a recorder for one thread, which counts for as long as the storage lives. */
    public Recorder newRecorder() {
        Recorder recorder = new Recorder(numbers.getAndIncrement(), keyed, budget);
        recorders.add(recorder);
        return recorder;
    }

    /** Statistics of another key. */
    public ClientStatistics newClients() {
        return new ClientStatistics(budget, keyed);
    }

    /** Takes back the room of a key that is gone for good. */
    public void forget(ClientStatistics clients) {
        budget.addAndGet(clients.places());
    }

    /** Returns the clients that do not encrypt. */
    public ClientStatistics unkeyed() {
        return unkeyed;
    }

    /** Takes the hourly samples that are due; to be called now and then by one thread. */
    public void sample(Iterable<ClientStatistics> keys, long millis) {
        unkeyed.sample(millis);
        keys.forEach(clients -> clients.sample(millis));
    }

    /** What was counted for each generation of the protocol. */
    public Map<Epoch, GenerationCounts> generations() {
        Map<Epoch, GenerationCounts> sums = new EnumMap<>(Epoch.class);
        for (Epoch epoch : Epoch.values()) {
            GenerationCounts sum = new GenerationCounts(0, 0, 0);
            for (Recorder recorder : recorders) {
                sum = sum.plus(recorder.generation(epoch));
            }
            sums.put(epoch, sum);
        }
        return sums;
    }

    /** Datagrams that were no requests, by where they came from: the most recent sources. */
    public Map<InetAddress, Long> invalidByAddress() {
        Map<InetAddress, Counts> sums = new HashMap<>();
        recorders.forEach(recorder -> recorder.invalidAddresses().addTo(sums));
        Map<InetAddress, Long> errors = new HashMap<>();
        sums.forEach((address, counts) -> errors.put(address, counts.errors()));
        return errors;
    }
}
