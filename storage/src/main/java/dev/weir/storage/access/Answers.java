package dev.weir.storage.access;

/**
 * What is answered, and what is kept back.
 *
 * @param forbidden flags that nobody sees, but for those whose key has a list of its own (storage.md 7.3)
 * @param weak flags that are only named after all others (storage.md 6, {@code weak_ids})
 * @param skipped digests that nobody may learn, and that are not matched any more (storage.md 1.4)
 * @param delay how long what was learned is kept back
 */
public record Answers(FlagSet forbidden, FlagSet weak, DigestSet skipped, Delay delay) {
    /** Everything is answered. */
    public static final Answers ALL = new Answers(FlagSet.none(), FlagSet.none(), DigestSet.none(), Delay.NONE);

    /** The same with flags that nobody sees. */
    public Answers withForbidden(FlagSet flags) {
        return new Answers(flags, weak, skipped, delay);
    }

    /** The same with flags that come last. */
    public Answers withWeak(FlagSet flags) {
        return new Answers(forbidden, flags, skipped, delay);
    }

    /** The same with digests that are left out. */
    public Answers withSkipped(DigestSet digests) {
        return new Answers(forbidden, weak, digests, delay);
    }

    /** The same with a delay. */
    public Answers withDelay(Delay time) {
        return new Answers(forbidden, weak, skipped, time);
    }
}
