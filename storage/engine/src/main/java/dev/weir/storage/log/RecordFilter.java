package dev.weir.storage.log;

/**
 * A condition on records that is checked before they are decoded, so that a search in a long log takes little time. The
 * receiver of the updates checks the rest.
 */
@FunctionalInterface
public interface RecordFilter {
    /** Wants all records. */
    RecordFilter ALL = (_, _, _) -> true;

    /**
     * Returns whether a record may be wanted.
     *
     * @param digestWord the first eight bytes of the digest, the first one lowest
     * @param millis the time of acceptance
     * @param submitted whether the record names who submitted a mail
     */
    boolean wants(long digestWord, long millis, boolean submitted);
}
