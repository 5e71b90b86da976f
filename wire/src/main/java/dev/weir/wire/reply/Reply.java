package dev.weir.wire.reply;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import dev.weir.wire.LittleEndian;
import dev.weir.wire.Protocol;
import dev.weir.wire.ReplyLayout;

/**
 * A decoded reply (docs/reference/protocol.md#reply-layout). The length of the datagram determines the layout.
 * Immutable; replies with equal contents are equal.
 */
public final class Reply {
    private static final int NO_BYTES = 0;

    private final ReplyLayout layout;
    private final int value;
    private final int flag;
    private final int tag;
    private final float probability;
    private final byte[] digest;
    private final int time;
    private final boolean matched;
    private final List<Extra> extras;

    /**
     * An extra flag of the hash.
     *
     * @param value the weight
     * @param flag the flag, 32 bits unsigned
     */
    public record Extra(int value, int flag) {}

    private Reply(byte[] bytes, int offset, ReplyLayout layout) {
        this.layout = layout;
        this.value = LittleEndian.getInt(bytes, offset);
        this.flag = LittleEndian.getInt(bytes, offset + 4);
        this.tag = LittleEndian.getInt(bytes, offset + 8);
        this.probability = Float.intBitsToFloat(LittleEndian.getInt(bytes, offset + 12));
        if (layout == ReplyLayout.SHORT) {
            this.digest = new byte[NO_BYTES];
            this.time = 0;
            this.matched = false;
            this.extras = List.of();
            return;
        }
        int digestAt = offset + ReplyWriter.DIGEST;
        this.digest = Arrays.copyOfRange(bytes, digestAt, digestAt + Protocol.DIGEST);
        this.time = LittleEndian.getInt(bytes, offset + ReplyWriter.TIME);
        boolean multi = layout == ReplyLayout.MULTI_FLAG;
        int bits = bytes[offset + (multi ? ReplyWriter.MULTI_FLAG_BITS : ReplyWriter.LONG_BITS)];
        this.matched = (bits & ReplyWriter.MATCHED) != 0;
        List<Extra> more = new ArrayList<>();
        for (int i = 0; multi && i < bytes[offset + ReplyWriter.EXTRA_COUNT]; i++) {
            int at = offset + ReplyWriter.EXTRAS + i * ReplyWriter.EXTRA_SIZE;
            more.add(new Extra(LittleEndian.getInt(bytes, at), LittleEndian.getInt(bytes, at + 4)));
        }
        this.extras = List.copyOf(more);
    }

    /**
     * Decodes a reply that is not encrypted.
     *
     * @return empty if the length is not 16, 96 or 144, or if the reply declares more than seven extra flags
     * @throws IndexOutOfBoundsException if offset and length do not lie within the array
     */
    public static Optional<Reply> decode(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        return switch (length) {
            case 16 -> Optional.of(new Reply(bytes, offset, ReplyLayout.SHORT));
            case 96 -> Optional.of(new Reply(bytes, offset, ReplyLayout.LONG));
            case 144 -> (bytes[offset + ReplyWriter.EXTRA_COUNT] & 0xff) <= Protocol.MAX_EXTRA_FLAGS
                    ? Optional.of(new Reply(bytes, offset, ReplyLayout.MULTI_FLAG))
                    : Optional.empty();
            default -> Optional.empty();
        };
    }

    /** Returns the layout of the reply. */
    public ReplyLayout layout() {
        return layout;
    }

    /** Returns the weight of a match. If {@link #isMatch} is false, a value other than 0 is an {@link ErrorCode}. */
    public int value() {
        return value;
    }

    /** Returns the flag that matched, 32 bits unsigned. */
    public int flag() {
        return flag;
    }

    /** Returns the tag of the request. */
    public int tag() {
        return tag;
    }

    /** Returns the probability of the match; a correct server sends 0..1. */
    public float probability() {
        return probability;
    }

    /** Returns whether the reply reports a match, that is, a probability above one half. */
    public boolean isMatch() {
        return probability > 0.5f;
    }

    /** Returns the count in a reply to STAT. */
    public long count() {
        return (long) value << 32 | Integer.toUnsignedLong(flag);
    }

    /**
     * Returns the {@link Protocol#DIGEST} bytes of the digest of the matched hash; an empty array for a short reply.
     */
    public byte[] digest() {
        return digest.clone();
    }

    /** Returns the time at which the hash was stored, in seconds since the epoch; 0 if unknown. */
    public long time() {
        return Integer.toUnsignedLong(time);
    }

    /** Returns whether the server marked the digest as that of a stored hash. */
    public boolean matched() {
        return matched;
    }

    /** Returns the extra flags of the hash, at most seven. */
    public List<Extra> extras() {
        return extras;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Reply that && layout == that.layout && value == that.value && flag == that.flag
                && tag == that.tag && Float.compare(probability, that.probability) == 0 && time == that.time
                && matched == that.matched && Arrays.equals(digest, that.digest) && extras.equals(that.extras);
    }

    @Override
    public int hashCode() {
        return Objects.hash(layout, value, flag, tag, probability, Arrays.hashCode(digest), time, matched, extras);
    }

    @Override
    public String toString() {
        return "Reply[value=" + value + ", flag=" + Integer.toUnsignedString(flag) + ", tag=" + Integer.toHexString(tag)
                + ", probability=" + probability + ", digest=" + HexFormat.of().formatHex(digest) + ", time=" + time()
                + ", matched=" + matched + ", extras=" + extras + "]";
    }
}
