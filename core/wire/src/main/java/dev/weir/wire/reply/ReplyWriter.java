package dev.weir.wire.reply;

import java.util.Arrays;

import dev.weir.wire.LittleEndian;
import dev.weir.wire.Protocol;
import dev.weir.wire.ReplyLayout;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.CommandCode;

/**
 * An encoder that writes replies into a buffer of the caller, in the layout of the request's epoch
 * (docs/reference/protocol.md#reply-layout): {@code begin(command, out, 0).result(value, flag,
 * probability).matched().end()}. The writer ignores fields that the layout does not have, so callers need not know the
 * layout. It does not allocate. For one thread.
 *
 * <p>To encrypt the reply afterwards, begin it {@link Protocol#REPLY_HEADER} bytes into the buffer.
 */
public final class ReplyWriter {
    private static final int VALUE = 0;
    private static final int FLAG = 4;
    private static final int TAG = 8;
    private static final int PROBABILITY = 12;
    static final int DIGEST = 16;
    static final int TIME = 80;
    static final int LONG_BITS = 84;
    static final int EXTRA_COUNT = 84;
    static final int MULTI_FLAG_BITS = 85;
    static final int EXTRAS = 88;
    static final int EXTRA_SIZE = 8;
    static final int MATCHED = 1;

    /** The type of an addition to a reply, as that of the extension. */
    static final int WEIR = 0xf7;
    static final int CAPABILITIES = 3;
    static final int SIDES = 1;
    static final int WIDE_FLAGS = 2;

    private byte[] out = {};
    private int start;
    private ReplyLayout layout = ReplyLayout.SHORT;
    private int code;
    private int requestFlag;
    private int value;
    private int flag;
    private float probability;
    private int tail;

    /**
     * Begins the reply to a command, with its tag and digest. All other fields are zero.
     *
     * @throws IndexOutOfBoundsException if the buffer has no room for the layout
     */
    public ReplyWriter begin(Command request, byte[] out, int offset) {
        begin(request.epoch().reply(), request.code(), request.tag(), out, offset);
        this.requestFlag = request.flag();
        return digest(request.bytes(), request.digestOffset());
    }

    /** Begins a reply in a given layout with a zero digest. Only the text layout uses the command code. */
    public ReplyWriter begin(ReplyLayout layout, int code, int tag, byte[] out, int offset) {
        Arrays.fill(out, offset, offset + layout.size(), (byte) 0);
        this.out = out;
        this.start = offset;
        this.layout = layout;
        this.code = code;
        this.requestFlag = 0;
        this.value = 0;
        this.flag = 0;
        this.probability = 0;
        this.tail = 0;
        if (layout != ReplyLayout.TEXT) {
            LittleEndian.putInt(out, offset + TAG, tag);
        }
        return this;
    }

    /**
     * Sets the result.
     *
     * @param value the weight, or an {@link ErrorCode} if the probability is at most 0.5
     * @param flag the flag, 32 bits unsigned
     * @param probability 0..1; the count in a reply to STAT
     */
    public ReplyWriter result(int value, int flag, float probability) {
        this.value = value;
        this.flag = flag;
        this.probability = probability;
        if (layout != ReplyLayout.TEXT) {
            LittleEndian.putInt(out, start + VALUE, value);
            LittleEndian.putInt(out, start + FLAG, flag);
            LittleEndian.putInt(out, start + PROBABILITY, Float.floatToRawIntBits(probability));
        }
        return this;
    }

    /**
     * Reports an error with the flag of the request. Only the rate limit of a check has flag 0
     * (docs/reference/protocol.md#error-codes).
     */
    public ReplyWriter error(int errorCode) {
        return result(errorCode, requestFlag, 0);
    }

    /** Reports that the storage accepted an update: value 0, the flag of the request, probability 1. */
    public ReplyWriter accepted() {
        return result(0, requestFlag, 1);
    }

    /** Sets the count of STAT as 3.8 and later do: 64 bits in value (high half) and flag (low half). */
    public ReplyWriter count(long hashes) {
        return result((int) (hashes >>> 32), (int) hashes, (float) hashes);
    }

    /** Replaces the digest of the request with that of a similar hash. */
    public ReplyWriter digest(byte[] digest, int offset) {
        if (hasDigest()) {
            System.arraycopy(digest, offset, out, start + DIGEST, Protocol.DIGEST);
        }
        return this;
    }

    /** Sets the digest to zero, as the redis backend does for a miss. */
    public ReplyWriter noDigest() {
        if (hasDigest()) {
            Arrays.fill(out, start + DIGEST, start + DIGEST + Protocol.DIGEST, (byte) 0);
        }
        return this;
    }

    /** Sets the time at which the hash was stored, in seconds since the epoch, 32 bits unsigned. */
    public ReplyWriter time(int seconds) {
        if (hasDigest()) {
            LittleEndian.putInt(out, start + TIME, seconds);
        }
        return this;
    }

    /** Marks the digest as that of a stored hash. */
    public ReplyWriter matched() {
        switch (layout) {
            case LONG -> out[start + LONG_BITS] |= MATCHED;
            case MULTI_FLAG -> out[start + MULTI_FLAG_BITS] |= MATCHED;
            case TEXT, SHORT -> {
                // The layout has no such field.
            }
        }
        return this;
    }

    /** Adds an extra flag with its weight. Ignored after seven extra flags and in other layouts. */
    public ReplyWriter extra(int value, int flag) {
        if (layout == ReplyLayout.MULTI_FLAG) {
            int count = out[start + EXTRA_COUNT];
            if (count < Protocol.MAX_EXTRA_FLAGS) {
                int at = start + EXTRAS + count * EXTRA_SIZE;
                LittleEndian.putInt(out, at, value);
                LittleEndian.putInt(out, at + 4, flag);
                out[start + EXTRA_COUNT] = (byte) (count + 1);
            }
        }
        return this;
    }

    /**
     * Adds how similar the side hashes of the match are, for a request with side hashes. Ignored in layouts without a
     * digest.
     *
     * @param structure the share of equal shingles
     * @param similarity the similarity of the HTML
     * @param bits see {@link SideMatch}
     */
    public ReplyWriter sides(float structure, float similarity, int bits) {
        if (hasDigest()) {
            int at = beginTail(SideMatch.KIND, SideMatch.BYTES);
            LittleEndian.putInt(out, at, Float.floatToRawIntBits(structure));
            LittleEndian.putInt(out, at + Float.BYTES, Float.floatToRawIntBits(similarity));
            out[at + 2 * Float.BYTES] = (byte) bits;
        }
        return this;
    }

    /** Adds which extensions of Weir the storage knows. Ignored in layouts without a digest. */
    public ReplyWriter capabilities() {
        if (hasDigest()) {
            out[beginTail(CAPABILITIES, 1)] = WIDE_FLAGS | SIDES;
        }
        return this;
    }

    private int beginTail(int kind, int bytes) {
        int at = start + layout.size();
        out[at] = (byte) WEIR;
        out[at + 1] = (byte) (1 + bytes);
        out[at + 2] = (byte) kind;
        tail = 3 + bytes;
        return at + 3;
    }

    /** Returns the current value. */
    public int value() {
        return value;
    }

    /** Returns the current flag. */
    public int flag() {
        return flag;
    }

    /** Returns the current probability. */
    public float probability() {
        return probability;
    }

    /** Finishes the reply and returns its length in bytes. */
    public int end() {
        return layout == ReplyLayout.TEXT ? text() : layout.size() + tail;
    }

    private boolean hasDigest() {
        return layout == ReplyLayout.LONG || layout == ReplyLayout.MULTI_FLAG;
    }

    /** Only a check reports more than success or failure (docs/reference/protocol.md#text-reply). */
    private int text() {
        int at = start;
        boolean good = probability > 0.5f && code <= CommandCode.DEL;
        if (good) {
            out[at++] = 'O';
            out[at++] = 'K';
            if (code == CommandCode.CHECK) {
                out[at++] = ' ';
                at = decimal(value, at);
                out[at++] = ' ';
                at = decimal(flag, at);
            }
        } else {
            out[at++] = 'E';
            out[at++] = 'R';
            out[at++] = 'R';
        }
        out[at++] = '\r';
        out[at++] = '\n';
        return at - start;
    }

    private int decimal(int number, int offset) {
        int at = offset;
        long rest = Math.abs((long) number);
        if (number < 0) {
            out[at++] = '-';
        }
        int digits = 1;
        for (long n = rest; n >= 10; n /= 10) {
            digits++;
        }
        for (int i = at + digits - 1; i >= at; i--) {
            out[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return at + digits;
    }
}
