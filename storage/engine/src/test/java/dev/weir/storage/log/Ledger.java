package dev.weir.storage.log;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;

import dev.weir.model.Update;
import dev.weir.storage.Model;
import org.jspecify.annotations.Nullable;

/**
 * The expected state of a simulated storage: the valid updates, in order, and others that may reappear after a restart.
 *
 * <p>An update is valid when the log has reported it as durable, or when a restart found it. After the valid updates, a
 * restart may find any beginning of the last attempt to write the same revisions. An attempt is forgotten when a later
 * segment has its name durably, because that segment begins before it.
 */
final class Ledger {
    private record Request(UpdateOrigin origin, Update update) {}

    private final List<LoggedUpdate> confirmed = new ArrayList<>();
    private final Map<Request, Integer> times = new HashMap<>();
    private final List<NavigableMap<Long, LoggedUpdate>> attempts = new ArrayList<>();
    private Model model = new Model();
    private Consumer<Update> watcher = _ -> {};

    /** The beginning of the next segment. */
    private List<LoggedUpdate> content = List.of();

    /** The last revision that may never be missing. */
    private long guaranteed;
    /** The last revision that the last restart found, which may have been in memory only. */
    private long found;
    private boolean recovering;
    private boolean begunInRecovery;
    private boolean crashed;

    /** The last revision that may not be missing before the machine crashes. */
    private long handedOver;

    // The annotation would need an additional dependency.
    @SuppressWarnings("AnnotateFormatMethod")
    static void check(boolean holds, String message, @Nullable Object... arguments) {
        if (!holds) {
            throw new AssertionError(message.formatted(arguments));
        }
    }

    Model model() {
        return model;
    }

    long confirmed() {
        return confirmed.size();
    }

    List<Update> updates(long first, long last) {
        check(last <= confirmed.size(), "%d is not confirmed, %d is the last", last, confirmed.size());
        return confirmed.subList((int) first - 1, (int) last).stream().map(LoggedUpdate::update).toList();
    }

    /** Returns the valid update with a revision. */
    LoggedUpdate update(long revision) {
        check(revision <= confirmed.size(), "%d is not confirmed, %d is the last", revision, confirmed.size());
        return confirmed.get((int) revision - 1);
    }

    /** Returns how often a request was applied. */
    int times(UpdateOrigin origin, Update update) {
        return times.getOrDefault(new Request(origin, update), 0);
    }

    /** Returns the last revision at which a request was applied; the maximum if it was not. */
    long revision(UpdateOrigin origin, Update update) {
        for (LoggedUpdate logged : confirmed.reversed()) {
            if (logged.origin().equals(origin) && logged.update().equals(update)) {
                return logged.revision();
            }
        }
        return Long.MAX_VALUE;
    }

    // ---- events of the log ----

    /** Records that updates are about to be written. */
    void written(List<LoggedUpdate> updates) {
        if (recovering) {
            return;
        }
        long first = updates.getFirst().revision();
        for (int i = 0; i < updates.size(); i++) {
            check(updates.get(i).revision() == first + i, "revisions are written as %d + %d", first, i);
        }
        NavigableMap<Long, LoggedUpdate> attempt = attempts.isEmpty() ? new TreeMap<>() : attempts.getLast();
        if (attempts.isEmpty() || attempt.lastKey() + 1 != first) {
            attempt = new TreeMap<>(attempt.headMap(first, false));
            attempts.add(attempt);
        }
        for (LoggedUpdate update : updates) {
            attempt.put(update.revision(), update);
        }
    }

    /** Records the beginning of the segment that is about to be created. */
    void content(List<LoggedUpdate> updates) {
        content = updates;
    }

    /** Records that a segment has its name durably. Earlier attempts for its revisions cannot reappear. */
    void begun(long first) {
        if (recovering) {
            begunInRecovery = true;
            return;
        }
        guaranteed = confirmed.size();
        if (!attempts.isEmpty()) {
            NavigableMap<Long, LoggedUpdate> last = attempts.getLast();
            last.tailMap(first, true).clear();
            content.forEach(update -> last.put(update.revision(), update));
            attempts.clear();
            if (!last.isEmpty()) {
                attempts.add(last);
            }
        }
    }

    /** Records that the log reports everything up to a revision as durable. */
    void durable(long revision) {
        check(revision <= confirmed.size(), "%d is on disk, only %d are handed over", revision, confirmed.size());
        if (revision > found) {
            guaranteed = Math.max(guaranteed, revision);
        }
    }

    /** Records that the process ended and the machine did not. Everything that was written is there. */
    void killed() {
        if (!crashed) {
            handedOver = confirmed.size();
        }
    }

    /** Records that the disk dropped data that was written and not synced, although the machine did not crash. */
    void droppedUnsynced() {
        handedOver = 0;
    }

    /** Records that the machine crashed. */
    void crashed() {
        crashed = true;
        handedOver = 0;
    }

    /** Records that the log reports everything up to a revision as written. */
    void handed(long revision) {
        check(revision >= confirmed.size(), "the log goes back from %d to %d", confirmed.size(), revision);
        while (confirmed.size() < revision) {
            LoggedUpdate next = attempts.isEmpty() ? null : attempts.getLast().get(confirmed.size() + 1L);
            if (next == null) {
                throw new AssertionError("revision " + (confirmed.size() + 1) + " was never written");
            }
            confirm(next);
        }
    }

    /** Sets a receiver of every valid update before it is applied. */
    void watch(Consumer<Update> watcher) {
        this.watcher = watcher;
    }

    private void confirm(LoggedUpdate next) {
        watcher.accept(next.update());
        confirmed.add(next);
        model.apply(next.update());
        times.merge(new Request(next.origin(), next.update()), 1, Integer::sum);
    }

    /** Records that the backend has everything up to a revision. */
    void applied(long revision) {
        guaranteed = Math.max(guaranteed, revision);
    }

    // ---- restart ----

    void recovering() {
        recovering = true;
        begunInRecovery = false;
    }

    void notRecovered() {
        recovering = false;
    }

    /**
     * Checks the result of a restart.
     *
     * @param lied whether the disk ever forgot what it could not write
     */
    void recovered(List<LoggedUpdate> replayed, long applied, long durable, boolean lied) {
        recovering = false;
        crashed = false;
        long reached = Math.max(applied, replayed.isEmpty() ? 0 : replayed.getLast().revision());
        found = reached;
        checkReplay(replayed, applied);
        check(durable == reached, "%d was replayed, but %d is said to be the last", reached, durable);
        check(reached >= handedOver, "%d of %d are left, which were handed over", reached, handedOver);
        handedOver = 0;
        check(reached >= guaranteed, "%d of %d are left, which were confirmed", reached, guaranteed);
        List<LoggedUpdate> behind = replayed.stream().filter(update -> update.revision() > applied).toList();
        for (LoggedUpdate update : behind) {
            if (update.revision() > confirmed.size()) {
                break;
            }
            check(update.equals(confirmed.get((int) update.revision() - 1)), "%d changed to %s", update.revision(),
                    update);
        }
        List<LoggedUpdate> fresh = behind.stream().filter(update -> update.revision() > confirmed.size()).toList();
        check(fresh.isEmpty() || attempts.stream().anyMatch(attempt -> begins(attempt, fresh)),
                "%d to %d are nothing that was tried last", confirmed.size() + 1, reached);
        if (reached < confirmed.size()) {
            forget(reached);
        }
        fresh.forEach(this::confirm);
        if (begunInRecovery) {
            attempts.clear();
        }
        if (begunInRecovery || !lied) {
            guaranteed = confirmed.size();
        }
    }

    private static void checkReplay(List<LoggedUpdate> replayed, long applied) {
        for (int i = 1; i < replayed.size(); i++) {
            // The backend has the updates in between.
            check(replayed.get(i).revision() == replayed.get(i - 1).revision() + 1
                    || (replayed.get(i).revision() > replayed.get(i - 1).revision()
                            && replayed.get(i).revision() <= applied + 1),
                    "%d is replayed behind %d",
                    replayed.get(i).revision(), replayed.get(i - 1).revision());
        }
        check(replayed.isEmpty() || replayed.getFirst().revision() <= applied + 1, "%d is replayed first, %d applied",
                replayed.isEmpty() ? 0 : replayed.getFirst().revision(), applied);
    }

    private static boolean begins(NavigableMap<Long, LoggedUpdate> attempt, List<LoggedUpdate> found) {
        return found.stream().allMatch(update -> update.equals(attempt.get(update.revision())));
    }

    /** Forgets updates that a restart found but could not make durable, because the next one does not find them. */
    private void forget(long from) {
        while (confirmed.size() > from) {
            LoggedUpdate last = confirmed.removeLast();
            times.merge(new Request(last.origin(), last.update()), -1, Integer::sum);
        }
        model = new Model();
        confirmed.forEach(update -> model.apply(update.update()));
    }

    /**
     * Checks the updates on a copy of the disk: they must be a beginning of the valid ones, or all of them and a
     * beginning of an attempt.
     */
    void checkCopy(List<LoggedUpdate> replayed, long applied, long atLeast) {
        checkReplay(replayed, applied);
        long reached = Math.max(applied, replayed.isEmpty() ? 0 : replayed.getLast().revision());
        check(reached >= atLeast, "%d updates are left, of which %d are not in the last batch", reached, atLeast);
        for (LoggedUpdate update : replayed) {
            boolean known = update.revision() <= confirmed.size()
                    ? update.equals(confirmed.get((int) update.revision() - 1))
                    : attempts.stream().anyMatch(attempt -> update.equals(attempt.get(update.revision())));
            check(known, "%s is nothing that was written", update);
        }
    }
}
