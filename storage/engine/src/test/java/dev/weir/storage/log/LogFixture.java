package dev.weir.storage.log;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;

/** A disk in memory without random failures, and logs on it. */
final class LogFixture {
    static final long ID = 77;

    /** Small segments, and room for four of them. */
    static final LogLimits SMALL = new LogLimits(4_096, 4 * 4_096, 0, Duration.ZERO, 0, LogLimits.REPEATS);

    /** As {@link #SMALL}, as if every request were so long ago that no client repeats it. */
    static final LogLimits SMALL_AND_OLD = new LogLimits(4_096, 4 * 4_096, 0, Duration.ZERO, 0, Duration.ZERO);

    private static final SimulatedDisk.Watcher NOBODY = new SimulatedDisk.Watcher() {
        @Override
        public void writes(ByteBuffer bytes, long position) {
            // Tests look at what comes of it.
        }

        @Override
        public void begun(Segment segment) {
            // Tests look at what comes of it.
        }
    };

    final SimulatedClock clock = new SimulatedClock();
    final Map<Fault, Long> counts = new EnumMap<>(Fault.class);
    final Faults faults;
    final SimulatedDisk disk;
    final List<LoggedUpdate> replayed = new ArrayList<>();

    LogFixture() {
        this(1);
    }

    /** Creates a disk. The seed determines what a crash loses. */
    LogFixture(long seed) {
        faults = new Faults(new SplittableRandom(seed), counts);
        disk = new SimulatedDisk(faults, NOBODY);
    }

    UpdateLog open(long applied) throws StorageException {
        return open(disk, SMALL, applied);
    }

    UpdateLog open(Disk anywhere, LogLimits limits, long applied) throws StorageException {
        replayed.clear();
        return UpdateLog.open(anywhere, limits, ID, applied, clock, Runnable::run, replayed::add);
    }

    /** The store has everything up to a revision. */
    static void release(UpdateLog log, long revision) {
        release(log, revision, Long.MAX_VALUE, false);
    }

    static void release(UpdateLog log, long revision, long storeBytes, boolean more) {
        log.store().moveTo(revision);
        log.trim(storeBytes, more);
    }

    /** Returns the length of the records of the first updates. */
    int bytesUpTo(long last) {
        ByteBuffer record = Records.buffer(Records.MAX);
        Records records = new Records(ID);
        int bytes = 0;
        for (LoggedUpdate update : updates(1, last)) {
            records.encode(update, 0, record.clear());
            bytes += record.position();
        }
        return bytes;
    }

    /** Returns the update that tests give the revision {@code n}. */
    LoggedUpdate update(long n) {
        Update update = switch ((int) (n % 6)) {
            case 0 -> new Update.Delete(Samples.digest(n), 3);
            case 1 -> new Update.DeleteAll(Samples.digest(n));
            case 2 -> new Update.Refresh(Samples.digest(n), 5_000 + n);
            case 3 -> new Update.Expire(Samples.digest(n), 4, 6_000 + n);
            case 4 -> Samples.write(n, 7, -n, 7_000 + n, null);
            default -> Samples.write(n, 255, n, 8_000 + n, Samples.signature(n));
        };
        UpdateOrigin origin = n % 2 == 0
                ? UpdateOrigin.STORAGE
                : new UpdateOrigin(InetAddress.getLoopbackAddress(), 11_335, (int) n, n % 3 == 0 ? null : new byte[32]);
        return new LoggedUpdate(n, clock.millis(), origin, update);
    }

    List<LoggedUpdate> updates(long first, long last) {
        List<LoggedUpdate> updates = new ArrayList<>();
        for (long n = first; n <= last; n++) {
            updates.add(update(n));
        }
        return updates;
    }

    /** Adds updates up to a revision, with a sync after {@code each} of them. */
    void write(UpdateLog log, long last, int each) throws StorageException {
        for (long n = log.durable() + 1; n <= last; n++) {
            add(log, n);
            if (n % each == 0 || n == last) {
                log.force();
            }
        }
    }

    void add(UpdateLog log, long n) {
        LoggedUpdate update = update(n);
        if (log.add(update.origin(), update.update()) != n) {
            throw new AssertionError("another revision than " + n);
        }
    }

    List<String> segments() throws Exception {
        return disk.names().stream().filter(name -> name.endsWith(".log")).sorted().toList();
    }
}
