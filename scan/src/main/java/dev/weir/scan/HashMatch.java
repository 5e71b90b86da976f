package dev.weir.scan;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;

import dev.weir.hash.FuzzyHash;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;

/** A hash of a mail that the storage knows, wholly or nearly. Immutable. */
public final class HashMatch {
    private final FuzzyHash query;
    private final Reply reply;

    HashMatch(FuzzyHash query, Reply reply) {
        this.query = query;
        this.reply = reply;
    }

    /**
     * One more list on which the digest is.
     *
     * @param flag the list
     * @param value the summed weight
     */
    public record OtherFlag(int flag, int value) {}

    /** The hash of the mail. */
    public FuzzyHash query() {
        return query;
    }

    /** The list on which it is, the one with the greatest value where there are several. */
    public int flag() {
        return reply.flag();
    }

    /** The summed weight. */
    public int value() {
        return reply.value();
    }

    /** The share of equal shingles, more than one half; 1 where the digest is the same. */
    public float probability() {
        return reply.probability();
    }

    /** The stored digest, 64 bytes. */
    public byte[] digest() {
        return reply.digest();
    }

    /** Whether the stored digest is the one that was asked for. */
    public boolean exact() {
        return Arrays.equals(reply.digest(), query.digest());
    }

    /** When that flag of the hash last changed, or null where the storage does not say. */
    public @Nullable Instant added() {
        return reply.time() == 0 ? null : Instant.ofEpochSecond(reply.time());
    }

    /** Further flags of the same digest, as the storage orders them: by value, greatest first. */
    public List<OtherFlag> otherFlags() {
        return reply.extras().stream().map(extra -> new OtherFlag(extra.flag(), extra.value())).toList();
    }
}
