package dev.weir.scan;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;

import dev.weir.hash.FuzzyHash;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;

/** A hash of a mail that the storage knows exactly or approximately. Immutable. */
public final class HashMatch {
    private final FuzzyHash query;
    private final Reply reply;

    HashMatch(FuzzyHash query, Reply reply) {
        this.query = query;
        this.reply = reply;
    }

    /**
     * A further flag of the digest.
     *
     * @param flag the flag
     * @param value the sum of the weights
     */
    public record OtherFlag(int flag, int value) {}

    /** Returns the hash of the mail. */
    public FuzzyHash query() {
        return query;
    }

    /** Returns the flag of the digest. If there are several, returns the one with the greatest value. */
    public int flag() {
        return reply.flag();
    }

    /** Returns the sum of the weights. */
    public int value() {
        return reply.value();
    }

    /** Returns the share of equal shingles, more than one half. It is 1 if the digests are equal. */
    public float probability() {
        return reply.probability();
    }

    /** Returns the stored digest, 64 bytes. */
    public byte[] digest() {
        return reply.digest();
    }

    /** Returns whether the stored digest equals the queried one. */
    public boolean exact() {
        return Arrays.equals(reply.digest(), query.digest());
    }

    /** Returns when the flag of the hash last changed, or null if the storage does not report it. */
    public @Nullable Instant added() {
        return reply.time() == 0 ? null : Instant.ofEpochSecond(reply.time());
    }

    /** Returns further flags of the digest in the order of the storage: by value, greatest first. */
    public List<OtherFlag> otherFlags() {
        return reply.extras().stream().map(extra -> new OtherFlag(extra.flag(), extra.value())).toList();
    }
}
