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
import org.jspecify.annotations.Nullable;

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
    private final @Nullable SideMatch sides;
    private final int capabilities;

    /**
     * An extra flag of the hash.
     *
     * @param value the weight
     * @param flag the flag, 32 bits unsigned
     */
    public record Extra(int value, int flag) {}

    private Reply(byte[] bytes, int offset, ReplyLayout layout, int length) {
        this.layout = layout;
        int tail = offset + layout.size();
        int kind = length == layout.size() ? 0 : bytes[tail + 2];
        boolean hasSides = kind == SideMatch.KIND && length - layout.size() == 3 + SideMatch.BYTES;
        this.sides = hasSides
                ? SideMatch.of(Float.intBitsToFloat(LittleEndian.getInt(bytes, tail + 3)),
                        Float.intBitsToFloat(LittleEndian.getInt(bytes, tail + 3 + Float.BYTES)),
                        bytes[tail + 3 + 2 * Float.BYTES])
                : null;
        this.capabilities = kind == ReplyWriter.CAPABILITIES && length - layout.size() > 3 ? bytes[tail + 3] : 0;
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
     * @return empty if the length is not 16, 96 or 144, with or without an addition of Weir to the last two, or if the
     *         reply declares more than seven extra flags
     * @throws IndexOutOfBoundsException if offset and length do not lie within the array
     */
    public static Optional<Reply> decode(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (length == ReplyLayout.SHORT.size()) {
            return Optional.of(new Reply(bytes, offset, ReplyLayout.SHORT, length));
        }
        if (fits(ReplyLayout.LONG, bytes, offset, length)) {
            return Optional.of(new Reply(bytes, offset, ReplyLayout.LONG, length));
        }
        return fits(ReplyLayout.MULTI_FLAG, bytes, offset, length)
                && (bytes[offset + ReplyWriter.EXTRA_COUNT] & 0xff) <= Protocol.MAX_EXTRA_FLAGS
                        ? Optional.of(new Reply(bytes, offset, ReplyLayout.MULTI_FLAG, length))
                        : Optional.empty();
    }

    /** Returns whether a reply has the length of a layout, or of the layout and an addition of Weir. */
    private static boolean fits(ReplyLayout layout, byte[] bytes, int offset, int length) {
        int tail = length - layout.size();
        int at = offset + layout.size();
        return tail == 0 || (tail >= 3 && tail <= Protocol.MAX_TAIL && (bytes[at] & 0xff) == ReplyWriter.WEIR
                && (bytes[at + 1] & 0xff) == tail - 2);
    }

    /** Returns how similar the HTML of the match is, if the request had side hashes and the match has some. */
    public Optional<SideMatch> sides() {
        return Optional.ofNullable(sides);
    }

    /** Returns whether the storage said that it keeps side hashes of HTML. */
    public boolean keepsSides() {
        return (capabilities & ReplyWriter.SIDES) != 0;
    }

    /** Returns whether the storage said that it takes flags beyond 255. */
    public boolean takesWideFlags() {
        return (capabilities & ReplyWriter.WIDE_FLAGS) != 0;
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

    /**
     * Returns whether the reply reports a match of at least {@code least} equal shingles. A storage may have a lower
     * threshold for some flags than one half (docs/integrate/kinds.md); it then marks the digest as that of a stored
     * hash.
     *
     * @param least number of 32, at least 1
     */
    public boolean isMatch(int least) {
        return probability * Protocol.SHINGLES >= least && (isMatch() || matched);
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
                && matched == that.matched && Arrays.equals(digest, that.digest) && extras.equals(that.extras)
                && capabilities == that.capabilities && Objects.equals(sides, that.sides);
    }

    @Override
    public int hashCode() {
        return Objects.hash(layout, value, flag, tag, probability, Arrays.hashCode(digest), time, matched, extras,
                sides, capabilities);
    }

    @Override
    public String toString() {
        return "Reply[value=" + value + ", flag=" + Integer.toUnsignedString(flag) + ", tag=" + Integer.toHexString(tag)
                + ", probability=" + probability + ", digest=" + HexFormat.of().formatHex(digest) + ", time=" + time()
                + ", matched=" + matched + ", extras=" + extras
                + (sides == null ? "]" : ", " + sides + "]");
    }
}
