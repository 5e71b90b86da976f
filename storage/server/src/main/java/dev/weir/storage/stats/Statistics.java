package dev.weir.storage.stats;

import java.net.InetAddress;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.model.KeyedHash;
import dev.weir.wire.ProtocolVersion;

/** The statistics of a storage. Thread-safe. */
public final class Statistics {
    /** The most addresses remembered across all keys and receiving threads, 64 bytes each. */
    private static final int MAX_ADDRESSES = 1 << 18;

    private final AtomicInteger budget = new AtomicInteger(MAX_ADDRESSES);
    private final AtomicInteger numbers = new AtomicInteger();
    private final List<Recorder> recorders = new CopyOnWriteArrayList<>();
    private final ClientStatistics unkeyed;
    private final KeyedHash keyed;

    /**
     * Creates empty statistics.
     *
     * @param keyed a hash whose key clients do not know
     */
    public Statistics(KeyedHash keyed) {
        this.keyed = keyed;
        this.unkeyed = newClients();
    }

    /** Returns a new recorder for one thread. Its counts stay until the storage closes. */
    public Recorder newRecorder() {
        Recorder recorder = new Recorder(numbers.getAndIncrement(), keyed, budget);
        recorders.add(recorder);
        return recorder;
    }

    /** Creates statistics for another key. */
    public ClientStatistics newClients() {
        return new ClientStatistics(budget, keyed);
    }

    /** Returns the slots of a discarded key to the budget. */
    public void forget(ClientStatistics clients) {
        budget.addAndGet(clients.places());
    }

    /** Returns the statistics of clients that do not encrypt. */
    public ClientStatistics unkeyed() {
        return unkeyed;
    }

    /** Takes the hourly samples that are due. One thread must call this periodically. */
    public void sample(Iterable<ClientStatistics> keys, long millis) {
        unkeyed.sample(millis);
        keys.forEach(clients -> clients.sample(millis));
    }

    /** Returns the counts of each protocol generation. */
    public Map<ProtocolVersion, GenerationCounts> generations() {
        Map<ProtocolVersion, GenerationCounts> sums = new EnumMap<>(ProtocolVersion.class);
        for (ProtocolVersion epoch : ProtocolVersion.values()) {
            GenerationCounts sum = new GenerationCounts(0, 0, 0);
            for (Recorder recorder : recorders) {
                sum = sum.plus(recorder.generation(epoch));
            }
            sums.put(epoch, sum);
        }
        return sums;
    }

    /** Returns the number of malformed datagrams by source, for the most recent sources. */
    public Map<InetAddress, Long> invalidByAddress() {
        Map<InetAddress, Counts> sums = new HashMap<>();
        recorders.forEach(recorder -> recorder.invalidAddresses().addTo(sums));
        Map<InetAddress, Long> errors = new HashMap<>();
        sums.forEach((address, counts) -> errors.put(address, counts.errors()));
        return errors;
    }
}
