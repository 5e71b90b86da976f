package dev.weir.storage.access;

import dev.weir.storage.index.FlagThresholds;

/**
 * The rules for what replies may contain.
 *
 * @param forbidden flags hidden from clients, unless their key has a separate list
 *            (docs/reference/storage.md#forbidden-flags)
 * @param weak flags listed after all others (docs/reference/storage.md#options, {@code weak_ids})
 * @param skipped digests that clients cannot learn and that never match (docs/reference/storage.md#after-a-match)
 * @param delay how long to withhold newly learned flags
 * @param thresholds how many slots a near duplicate must share, for each flag
 */
public record ReplyRules(FlagSet forbidden, FlagSet weak, DigestSet skipped, Delay delay, FlagThresholds thresholds) {
    /** The rules that withhold nothing. */
    public static final ReplyRules ALL = new ReplyRules(FlagSet.none(), FlagSet.none(), DigestSet.none(), Delay.NONE,
            FlagThresholds.NONE);

    /** Returns a copy with other hidden flags. */
    public ReplyRules withForbidden(FlagSet flags) {
        return new ReplyRules(flags, weak, skipped, delay, thresholds);
    }

    /** Returns a copy with other weak flags. */
    public ReplyRules withWeak(FlagSet flags) {
        return new ReplyRules(forbidden, flags, skipped, delay, thresholds);
    }

    /** Returns a copy with other skipped digests. */
    public ReplyRules withSkipped(DigestSet digests) {
        return new ReplyRules(forbidden, weak, digests, delay, thresholds);
    }

    /** Returns a copy with another delay. */
    public ReplyRules withDelay(Delay time) {
        return new ReplyRules(forbidden, weak, skipped, time, thresholds);
    }

    /** Returns a copy with other thresholds. */
    public ReplyRules withThresholds(FlagThresholds byFlag) {
        return new ReplyRules(forbidden, weak, skipped, delay, byFlag);
    }
}
