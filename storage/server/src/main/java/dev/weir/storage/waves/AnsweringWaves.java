package dev.weir.storage.waves;

import java.time.Duration;

import dev.weir.model.KeyedHash;
import dev.weir.model.Update;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;

/**
 * The hashes of the groups that answer checks, in an index of their own. Its values are checks in the window. Any
 * thread may look up; one thread changes it.
 */
final class AnsweringWaves {
    /** The most groups that answer at a time, so that this index stays small. */
    static final int MOST = 4_096;

    /** The most memory: an index begins with a few pieces of 2 MiB, and its hashes fit into these. */
    static final long MOST_BYTES = 48L << 20;

    private final HashIndex index;
    private int size;

    /** Whether there is anything to find. The usual miss then costs one read. */
    private volatile boolean used;

    AnsweringWaves(KeyedHash keyed) {
        this.index = new HashIndex(keyed);
    }

    boolean find(Lookup lookup) {
        return used && index.find(lookup, Long.MIN_VALUE);
    }

    /**
     * Makes a group answer with its checks in the window.
     *
     * @return false if too many groups answer
     */
    boolean put(Wave wave, int flag, Duration window, long seconds) {
        if (!wave.answers && size >= MOST) {
            return false;
        }
        long value = Math.max(1, wave.within(window));
        for (int i = 0; i < wave.members.size(); i++) {
            Wave.Member member = wave.members.get(i);
            if (member.whole() && wave.answered[i] != value) {
                index.apply(new Update.Write(member.digest(), flag, value - wave.answered[i], seconds,
                        member.signature()));
                wave.answered[i] = value;
            }
        }
        size += wave.answers ? 0 : 1;
        wave.answers = true;
        used = true;
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
        size--;
        used = size > 0;
    }

    int size() {
        return size;
    }

    long bytes() {
        return index.bytes();
    }
}
