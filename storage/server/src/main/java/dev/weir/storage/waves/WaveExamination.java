package dev.weir.storage.waves;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.gate.Rules;
import dev.weir.storage.engine.LiveHashes;
import dev.weir.storage.index.FlagThresholds;
import dev.weir.storage.index.IndexMatch;
import dev.weir.storage.index.Lookup;

/** The look for reasons why a group must not answer: the skip list, exempt senders, and known hashes near it. */
final class WaveExamination {
    /**
     * How many shingles of 32 a group shares with wanted mail that it must leave alone: fewer than a near duplicate,
     * because a wrong answer about wanted mail does more harm than a missing one about spam.
     */
    static final int WANTED_SLOTS = 12;

    private final LiveHashes hashes;
    private final Supplier<Rules> rules;
    private final Lookup lookup = new Lookup();
    private final long[] words = new long[Digest.WORDS];

    WaveExamination(LiveHashes hashes, Supplier<Rules> rules) {
        this.hashes = hashes;
        this.rules = rules;
    }

    /** Returns what is known about a group, {@link WaveState#COUNTED} or {@link WaveState#ANSWERS} for nothing. */
    WaveState of(Wave wave, FlagSet wanted, long now) {
        WaveState found = wave.answers ? WaveState.ANSWERS : WaveState.COUNTED;
        Rules inForce = rules.get();
        if (isSkipped(wave, inForce)) {
            return WaveState.SKIPPED;
        }
        if (wave.exempt) {
            return WaveState.EXEMPT;
        }
        if (wave.isExcludedElsewhere()) {
            return WaveState.EXCLUDED;
        }
        lookup.thresholds(thresholds(inForce.thresholds(), wanted), FlagThresholds.USUAL);
        for (Wave.Member member : wave.members) {
            if (lookUp(member, now)) {
                if (hasOneOf(lookup.match(), wanted)) {
                    return WaveState.WANTED;
                }
                found = WaveState.KNOWN;
            }
        }
        return found;
    }

    /** Returns whether a digest of a group is on the skip list. */
    boolean isSkipped(Wave wave) {
        return isSkipped(wave, rules.get());
    }

    private boolean isSkipped(Wave wave, Rules inForce) {
        for (Wave.Member member : wave.members) {
            member.digest().copyTo(words, 0);
            if (inForce.skipped(words)) {
                return true;
            }
        }
        return false;
    }

    private boolean lookUp(Wave.Member member, long now) {
        member.digest().copyTo(lookup.digest(), 0);
        Signature signature = member.signature();
        lookup.hasShingles(signature != null);
        if (signature != null) {
            signature.copyTo(lookup.shingles(), 0);
        }
        return hashes.find(lookup, now);
    }

    private static FlagThresholds thresholds(FlagThresholds usual, FlagSet wanted) {
        Map<Integer, Integer> lowered = new HashMap<>();
        wanted.stream().forEach(
                flag -> lowered.put(flag, Math.min(WANTED_SLOTS, usual.of(flag, FlagThresholds.USUAL))));
        return FlagThresholds.of(lowered);
    }

    private static boolean hasOneOf(IndexMatch match, FlagSet wanted) {
        for (int i = 0; i < match.flagCount(); i++) {
            if (wanted.contains(match.flag(i)) && match.value(i) > 0) {
                return true;
            }
        }
        return false;
    }
}
