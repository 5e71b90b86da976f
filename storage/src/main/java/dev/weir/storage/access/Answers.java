package dev.weir.storage.access;

/**
 * The rules for what replies may contain.
 *
 * @param forbidden flags hidden from clients, unless their key has a separate list
 *            (docs/reference/storage.md#forbidden-flags)
 * @param weak flags listed after all others (docs/reference/storage.md#options, {@code weak_ids})
 * @param skipped digests that clients cannot learn and that never match (docs/reference/storage.md#after-a-match)
 * @param delay how long to withhold newly learned flags
 */
public record Answers(FlagSet forbidden, FlagSet weak, DigestSet skipped, Delay delay) {
    /** The rules that withhold nothing. */
    public static final Answers ALL = new Answers(FlagSet.none(), FlagSet.none(), DigestSet.none(), Delay.NONE);

    /** Returns a copy with other hidden flags. */
    public Answers withForbidden(FlagSet flags) {
        return new Answers(flags, weak, skipped, delay);
    }

    /** Returns a copy with other weak flags. */
    public Answers withWeak(FlagSet flags) {
        return new Answers(forbidden, flags, skipped, delay);
    }

    /** Returns a copy with other skipped digests. */
    public Answers withSkipped(DigestSet digests) {
        return new Answers(forbidden, weak, digests, delay);
    }

    /** Returns a copy with another delay. */
    public Answers withDelay(Delay time) {
        return new Answers(forbidden, weak, skipped, time);
    }
}
