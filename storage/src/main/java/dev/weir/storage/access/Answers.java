package dev.weir.storage.access;

/**
 * What is answered, and what is kept back.
 *
 * @param forbidden flags that no client sees, unless its key has its own list
 *            (docs/reference/storage.md#forbidden-flags)
 * @param weak flags that are only named after all others (docs/reference/storage.md#options, {@code weak_ids})
 * @param skipped digests that clients may not learn and that no longer match (docs/reference/storage.md#after-a-match)
 * @param delay how long what was learned is kept back
 */
public record Answers(FlagSet forbidden, FlagSet weak, DigestSet skipped, Delay delay) {
    /** Everything is answered. */
    public static final Answers ALL = new Answers(FlagSet.none(), FlagSet.none(), DigestSet.none(), Delay.NONE);

    /** Returns a copy with hidden flags. */
    public Answers withForbidden(FlagSet flags) {
        return new Answers(flags, weak, skipped, delay);
    }

    /** Returns a copy with flags that come last. */
    public Answers withWeak(FlagSet flags) {
        return new Answers(forbidden, flags, skipped, delay);
    }

    /** Returns a copy with digests that are left out. */
    public Answers withSkipped(DigestSet digests) {
        return new Answers(forbidden, weak, digests, delay);
    }

    /** Returns a copy with a delay. */
    public Answers withDelay(Delay time) {
        return new Answers(forbidden, weak, skipped, time);
    }
}
