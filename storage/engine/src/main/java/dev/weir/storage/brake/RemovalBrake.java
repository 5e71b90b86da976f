package dev.weir.storage.brake;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

import dev.weir.storage.Trouble;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The brake on mass removal. Whatever removes hashes on the word of a clock, a setting or another party asks first. If
 * more than a tenth of the hashes and more than {@value #MOST} would go within a minute, the removal waits for an
 * operator.
 *
 * <p>How to use it:
 *
 * <pre>
 * MassRemoval removal = new MassRemoval("copy", leader + " " + position, "the leader lacks them", lacking, size);
 * if (!brake.mayRemove(removal)) {
 *     return; // Remove nothing. Ask again, at least once a minute, as long as the removal is wanted.
 * }
 * remove(...); // Exactly what was counted, now.
 * </pre>
 *
 * <p>Count first, then ask for all of it once, then remove: the yes is used up by the answer. Portions that are asked
 * for one by one add up for a minute, and then wait, too. Hashes that go because of their own age by steadily elapsed
 * time need no question.
 *
 * <p>The operator confirms a removal by its {@linkplain WaitingRemoval#id id}. The yes applies to the same name and
 * basis, and to no more hashes than the operator saw; another basis or more hashes make a new removal, with a new id,
 * that waits again. A removal that was not asked for during {@link #LAPSE} is forgotten, with its confirmation, and
 * {@link #withdraw} forgets it at once. There is no refusal, because waiting destroys nothing: mend the cause, and the
 * removal is no longer wanted. Nothing outlives the process: a restart asks again.
 *
 * <p>Thread-safe.
 */
public final class RemovalBrake {
    private static final Logger LOG = LoggerFactory.getLogger(RemovalBrake.class);

    /** So many hashes may go within a minute, even if they are all. */
    public static final int MOST = 1_000;

    /** One part of so many of all hashes may go within a minute. */
    static final int PART = 10;

    /** The time after which a removal is forgotten that is no longer asked for. */
    public static final Duration LAPSE = Duration.ofMinutes(10);

    private static final long WINDOW_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long REMIND_NANOS = Duration.ofHours(1).toNanos();

    private final LongSupplier nanos;
    private final IntSupplier random;

    // The following fields are guarded by the lock of this object.
    private final Map<String, Entry> entries = new TreeMap<>();
    private final Deque<Gone> gone = new ArrayDeque<>();
    private long held;

    /** What was removed without a question. */
    private record Gone(long nanos, long hashes) {}

    private static final class Entry {
        private final WaitingRemoval waiting;
        private boolean confirmed;
        private long asked;
        private long reminded;

        private Entry(WaitingRemoval waiting, long now) {
            this.waiting = waiting;
            this.asked = now;
            this.reminded = now;
        }
    }

    /**
     * Creates a brake that has seen no removal.
     *
     * @param nanos a monotonic clock
     * @param random for ids
     */
    public RemovalBrake(LongSupplier nanos, IntSupplier random) {
        this.nanos = nanos;
        this.random = random;
    }

    /** Returns whether a removal may take place now. If not, it waits for an operator, and the log says so. */
    public synchronized boolean mayRemove(MassRemoval removal) {
        long now = nanos.getAsLong();
        forget(now);
        if (isSmall(removal, now)) {
            gone.add(new Gone(now, removal.hashes()));
            withdraw(removal.name());
            return true;
        }
        Entry entry = entries.get(removal.name());
        if (entry == null || !matches(entry.waiting.removal(), removal)) {
            begin(removal, now);
            return false;
        }
        entry.asked = now;
        if (entry.confirmed) {
            entries.remove(removal.name());
            LOG.warn("{}; an operator confirmed it", entry.waiting.sentence());
            return true;
        }
        if (now - entry.reminded >= REMIND_NANOS) {
            entry.reminded = now;
            report(entry.waiting);
        }
        return false;
    }

    private static boolean matches(MassRemoval waiting, MassRemoval wanted) {
        return waiting.basis().equals(wanted.basis()) && wanted.hashes() <= waiting.hashes();
    }

    private void begin(MassRemoval removal, long now) {
        String id = String.format(Locale.ROOT, "%s-%06x", removal.name(), random.getAsInt() & 0xff_ffff);
        Entry entry = new Entry(new WaitingRemoval(id, removal), now);
        entries.put(removal.name(), entry);
        held++;
        report(entry.waiting);
    }

    private static void report(WaitingRemoval waiting) {
        LOG.error("{}. Nothing is removed before an operator confirms it: {}", waiting.sentence(), advice(waiting));
    }

    private static String advice(WaitingRemoval waiting) {
        return "mend the cause or, if they are to go, run \"weir control confirm " + waiting.id() + "\"";
    }

    private boolean isSmall(MassRemoval removal, long now) {
        while (!gone.isEmpty() && now - gone.getFirst().nanos() >= WINDOW_NANOS) {
            gone.removeFirst();
        }
        long before = gone.stream().mapToLong(Gone::hashes).sum();
        long hashes = before + removal.hashes();
        return removal.hashes() == 0 || hashes <= MOST || hashes <= (removal.total() + before) / PART;
    }

    private void forget(long now) {
        entries.values().removeIf(entry -> now - entry.asked >= LAPSE.toNanos());
    }

    /** Forgets the removal of a name, because its reason has gone. */
    public synchronized void withdraw(String name) {
        Entry entry = entries.remove(name);
        if (entry != null) {
            LOG.info("{} is no longer wanted", entry.waiting.id());
        }
    }

    /** Returns the removals that wait for an operator. */
    public synchronized List<WaitingRemoval> waiting() {
        forget(nanos.getAsLong());
        return entries.values().stream().filter(entry -> !entry.confirmed).map(entry -> entry.waiting).toList();
    }

    /** Confirms the removal that waits under an id, and returns it; empty if there is none. */
    public synchronized Optional<WaitingRemoval> confirm(String id) {
        forget(nanos.getAsLong());
        Optional<Entry> found = entries.values().stream()
                .filter(entry -> !entry.confirmed && entry.waiting.id().equals(id)).findFirst();
        found.ifPresent(entry -> {
            entry.confirmed = true;
            // The party that asks has the whole time for its next question.
            entry.asked = nanos.getAsLong();
        });
        return found.map(entry -> entry.waiting);
    }

    /** Returns the number of removals that had to wait since the start. */
    public synchronized long held() {
        return held;
    }

    /** Returns the removals that wait, for the operator. */
    public List<Trouble> troubles() {
        return waiting().stream().map(waiting -> new Trouble("a removal of many hashes waits for an operator",
                waiting.sentence() + "; " + advice(waiting))).toList();
    }
}
