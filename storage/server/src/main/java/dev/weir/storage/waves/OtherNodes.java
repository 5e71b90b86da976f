package dev.weir.storage.waves;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import dev.weir.storage.sampling.CountCurve;

/**
 * The groups of other nodes, joined with those of this one: each group of a table has the parts that others counted
 * ({@link WavePart}). What is near a group here adds to it; what is not becomes a group without checks of its own, if
 * there is room. What another node tells replaces what it told before, and is forgotten ten minutes after the last
 * word. The lock of {@link Waves} protects it.
 */
final class OtherNodes {
    /** The most parts of all groups. Each of n nodes has an equal share. */
    static final int MOST_PARTS = 16 * WaveNote.MOST;

    /** How long the counts of a silent node count. */
    private static final long KEPT_MILLIS = TimeUnit.MINUTES.toMillis(10);

    /** The signatures that others get: enough to find near duplicates. */
    private static final int MEMBERS = 2;

    /** How far the clock of another node may be ahead. */
    private static final long AHEAD_MINUTES = 5;

    private static final Duration HOUR = Duration.ofHours(1);

    private final WaveTable table;
    private final Map<String, Long> heard = new HashMap<>();
    private int parts;
    private long ignored;

    OtherNodes(WaveTable table) {
        this.table = table;
    }

    /**
     * Returns what to tell: the groups with most checks of all nodes in the last hour first, with the checks of the
     * nodes that the reader does not hear itself. Groups that this node excludes are told even without checks of this
     * node. What every node knows, because it is stored, is left out, but not what this node learned: after an undo, no
     * other node may learn it again.
     *
     * @param known the names of nodes that the reader hears without this one
     * @param skipped whether a group is on the skip list of this node
     */
    List<SavedWave> tell(Predicate<String> known, Predicate<Wave> skipped) {
        List<SavedWave> told = new ArrayList<>();
        List<Wave> waves = table.waves();
        waves.sort(Comparator.comparingLong((Wave wave) -> wave.within(HOUR))
                .thenComparingLong(wave -> wave.lastMillis).reversed());
        for (Wave wave : waves) {
            if (wave.state != WaveState.KNOWN && wave.state != WaveState.WANTED
                    && wave.members.stream().anyMatch(Wave.Member::whole)) {
                SavedWave one = told(wave, known, skipped);
                if (one.checks() > 0 || one.exempt()) {
                    told.add(one);
                }
            }
        }
        return told;
    }

    private static SavedWave told(Wave wave, Predicate<String> known, Predicate<Wave> skipped) {
        SavedWave own = SavedWave.of(wave).excluded(wave.exempt || skipped.test(wave))
                .withMembers(MEMBERS);
        for (WavePart part : wave.parts) {
            if (!known.test(part.from())) {
                own = own.plus(part.counts());
            }
        }
        return own;
    }

    /** Takes what a node tells in place of what it told before. */
    void hear(String from, boolean first, List<SavedWave> told, long now) {
        heard.put(from, now);
        forget(from);
        int most = MOST_PARTS / heard.size();
        ignored += Math.max(0, told.size() - most);
        for (SavedWave one : told.subList(0, Math.min(most, told.size()))) {
            SavedWave counts = one.until(now);
            Wave wave = parts < MOST_PARTS && isPossible(one, now) ? table.join(counts) : null;
            if (wave == null) {
                ignored++;
            } else {
                wave.learned |= counts.learned();
                add(wave, new WavePart(from, first, counts.withMembers(0)));
            }
        }
    }

    private static boolean isPossible(SavedWave one, long now) {
        return (one.checks() > 0 || one.exempt()) && !one.members().isEmpty()
                && one.curve().minute() <= now / CountCurve.MINUTE_MILLIS + AHEAD_MINUTES;
    }

    private void add(Wave wave, WavePart part) {
        List<WavePart> more = new ArrayList<>(wave.parts);
        for (int i = 0; i < more.size(); i++) {
            if (more.get(i).from().equals(part.from())) {
                // Two groups there are one here.
                more.set(i, new WavePart(part.from(), part.first(), more.get(i).counts().plus(part.counts())));
                replace(wave, more);
                return;
            }
        }
        more.add(part);
        replace(wave, more);
    }

    private void replace(Wave wave, List<WavePart> next) {
        parts += next.size() - wave.parts.size();
        wave.parts = List.copyOf(next);
        wave.changed = true;
    }

    /** Takes note that a group is forgotten. */
    void forgotten(Wave wave) {
        parts -= wave.parts.size();
        wave.parts = List.of();
    }

    private void forget(String from) {
        for (Wave wave : table.waves()) {
            if (wave.parts.stream().anyMatch(part -> part.from().equals(from))) {
                replace(wave, wave.parts.stream().filter(part -> !part.from().equals(from)).toList());
            }
        }
    }

    /** Forgets who asked and who sent at other nodes, because the key of the hashes changes. */
    void forgetWho() {
        table.waves().forEach(wave -> wave.parts.forEach(part -> part.counts().forgetWho()));
    }

    /** Forgets what all nodes told, because this one has another place among them. */
    void forget() {
        List.copyOf(heard.keySet()).forEach(this::forget);
        heard.clear();
    }

    /** Forgets the nodes that have been silent for long. */
    void age(long now) {
        Collection<String> silent = heard.entrySet().stream()
                .filter(node -> Math.abs(now - node.getValue()) > KEPT_MILLIS).map(Map.Entry::getKey).toList();
        silent.forEach(node -> {
            heard.remove(node);
            forget(node);
        });
    }

    /** Returns the number of nodes whose counts count. */
    int size() {
        return heard.size();
    }

    /** Returns how many groups of notes were not used. */
    long ignored() {
        return ignored;
    }

    /** Returns the bytes of all parts. */
    long bytes() {
        return (long) parts * WavePart.mostBytes(table.hours());
    }

    /** Returns the most bytes of all parts. */
    long mostBytes() {
        return heard.isEmpty() ? 0 : (long) MOST_PARTS * WavePart.mostBytes(table.hours());
    }
}
