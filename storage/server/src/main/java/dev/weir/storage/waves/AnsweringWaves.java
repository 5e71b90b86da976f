package dev.weir.storage.waves;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

import dev.weir.model.KeyedHash;
import dev.weir.model.Update;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import org.jspecify.annotations.Nullable;

/**
 * The hashes of the groups that answer checks, in an index of their own. Its values are checks in the window. Any
 * thread may look up; one thread changes it.
 */
final class AnsweringWaves {
    /** The most groups that answer at a time, so that this index stays small. */
    static final int MOST = 4_096;

    /** The most memory: an index begins with a few pieces of 2 MiB, and its hashes fit into these. */
    static final long MOST_BYTES = (48L << 20) + SignatureFilter.bytes(2 * MOST * Wave.MOST_MEMBERS);

    /** Groups that answer no more whose bits may stay in the filter, besides a quarter of those that answer. */
    private static final int MOST_GONE = 16;

    private final KeyedHash keyed;
    private final HashIndex index;
    private final Set<Wave> groups = new HashSet<>();
    private int gone;

    /** What is in the index; null if nothing is. The usual miss then costs one read. */
    private volatile @Nullable SignatureFilter filter;

    AnsweringWaves(KeyedHash keyed) {
        this.keyed = keyed;
        this.index = new HashIndex(keyed);
    }

    boolean find(Lookup lookup) {
        SignatureFilter there = filter;
        return there != null && there.mayHave(lookup) && index.find(lookup, Long.MIN_VALUE);
    }

    /**
     * Makes a group answer with its checks in the window.
     *
     * @return false if too many groups answer
     */
    boolean put(Wave wave, int flag, Duration window, long seconds) {
        if (!wave.answers && groups.size() >= MOST) {
            return false;
        }
        SignatureFilter there = filter == null ? new SignatureFilter(keyed, 0) : filter;
        long value = Math.max(1, wave.within(window));
        for (int i = 0; i < wave.members.size(); i++) {
            Wave.Member member = wave.members.get(i);
            if (member.whole() && wave.answered[i] != value) {
                there.add(member.digest(), member.signature());
                index.apply(new Update.Write(member.digest(), flag, value - wave.answered[i], seconds,
                        member.signature()));
                wave.answered[i] = value;
            }
        }
        groups.add(wave);
        wave.answers = true;
        // A check that reads it sees what was added.
        filter = there;
        if (there.isFull()) {
            renewFilter();
        }
        return true;
    }

    /** Makes a group answer no more. */
    void remove(Wave wave) {
        if (!wave.answers) {
            return;
        }
        for (int i = 0; i < wave.members.size(); i++) {
            if (wave.answered[i] != 0) {
                index.apply(new Update.DeleteAll(wave.members.get(i).digest()));
                wave.answered[i] = 0;
            }
        }
        wave.answers = false;
        groups.remove(wave);
        if (groups.isEmpty()) {
            gone = 0;
            filter = null;
        } else if (++gone > MOST_GONE + groups.size() / 4) {
            renewFilter();
        }
    }

    private void renewFilter() {
        SignatureFilter renewed = new SignatureFilter(keyed,
                2 * groups.stream().mapToInt(wave -> wave.members.size()).sum());
        for (Wave wave : groups) {
            for (int i = 0; i < wave.members.size(); i++) {
                if (wave.answered[i] != 0) {
                    renewed.add(wave.members.get(i).digest(), wave.members.get(i).signature());
                }
            }
        }
        gone = 0;
        filter = renewed;
    }

    int size() {
        return groups.size();
    }

    long bytes() {
        return index.bytes() + (filter == null ? 0 : filter.bytes());
    }
}
