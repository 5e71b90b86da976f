package dev.weir.storage.waves;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

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

    private final WaveTable table;
    private final Map<String, Long> heard = new HashMap<>();
    private int parts;
    private long untold;

    OtherNodes(WaveTable table) {
        this.table = table;
    }

    /**
     * Returns what to tell: the groups with most checks in the last hour first, and the checks of the nodes that the
     * reader does not hear itself. What every node knows, because it is stored, is left out, but not what this node
     * learned: after an undo, no other node may learn it again.
     */
    List<SavedWave> tell(Predicate<String> known) {
        List<SavedWave> told = new ArrayList<>();
        for (Wave wave : table.waves()) {
            if (wave.state != WaveState.KNOWN && wave.state != WaveState.WANTED
                    && wave.members.stream().anyMatch(Wave.Member::whole)) {
                SavedWave one = told(wave, known);
                if (one.checks() > 0) {
                    told.add(one);
                }
            }
        }
        untold = Math.max(0, told.size() - WaveNote.MOST);
        return told.stream()
                .sorted(Comparator.comparingLong((SavedWave wave) -> wave.curve().minutes(CheckCurve.MINUTES))
                        .thenComparingLong(SavedWave::lastMillis).reversed())
                .limit(WaveNote.MOST).toList();
    }

    private static SavedWave told(Wave wave, Predicate<String> known) {
        SavedWave own = SavedWave.of(wave).excluded(wave.exempt || wave.state == WaveState.SKIPPED)
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
        for (SavedWave one : told.subList(0, Math.min(most, told.size()))) {
            if (parts < MOST_PARTS && isPossible(one, now)) {
                SavedWave counts = one.until(now);
                Wave wave = table.join(counts);
                if (wave != null) {
                    wave.learned |= counts.learned();
                    add(wave, new WavePart(from, first, counts.withMembers(0)));
                }
            }
        }
    }

    private static boolean isPossible(SavedWave one, long now) {
        return one.checks() > 0 && !one.members().isEmpty()
                && one.curve().minute() <= now / CheckCurve.MINUTE_MILLIS + AHEAD_MINUTES;
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

    /** Returns how many groups had no room in the last note. */
    long untold() {
        return untold;
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
