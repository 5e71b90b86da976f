package dev.weir.wire.reply;

import java.util.Arrays;

import dev.weir.wire.LittleEndian;
import dev.weir.wire.Protocol;
import dev.weir.wire.ReplyLayout;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.CommandCode;

/**
 * Writes replies into a caller's buffer, in the layout that the request's epoch asks for
 * (docs/reference/protocol.md#reply-layout):
 * {@code begin(command, out, 0).result(value, flag, probability).matched().end()}. What a layout has no room for is
 * left out, so callers need not ask which one it is. Allocates nothing; one writer serves one thread.
 *
 * <p>To encrypt the reply afterwards begin it {@link Protocol#REPLY_HEADER} bytes into the buffer.
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

    private byte[] out = {};
    private int start;
    private ReplyLayout layout = ReplyLayout.SHORT;
    private int code;
    private int requestFlag;
    private int value;
    private int flag;
    private float probability;

    /**
     * Starts the reply to a command: tag and digest are the request's, everything else is zero.
     *
     * @throws IndexOutOfBoundsException if the buffer has no room for the layout
     */
    public ReplyWriter begin(Command request, byte[] out, int offset) {
        begin(request.epoch().reply(), request.code(), request.tag(), out, offset);
        this.requestFlag = request.flag();
        return digest(request.bytes(), request.digestOffset());
    }

    /** Starts a reply of a given layout with a digest of zeroes; only the text layout looks at the command code. */
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
        if (layout != ReplyLayout.TEXT) {
            LittleEndian.putInt(out, offset + TAG, tag);
        }
        return this;
    }

    /**
     * The answer itself.
     *
     * @param value weight, or an {@link ErrorCode} where the probability is 0.5 or less
     * @param flag the flag, 32 bits unsigned
     * @param probability 0..1; STAT puts the count here
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
     * An error with the request's flag; only the rate limit of a check has flag 0
     * (docs/reference/protocol.md#error-codes).
     */
    public ReplyWriter error(int errorCode) {
        return result(errorCode, requestFlag, 0);
    }

    /** Says that an update was accepted: value 0, the request's flag, probability 1. */
    public ReplyWriter accepted() {
        return result(0, requestFlag, 1);
    }

    /** Answers STAT as 3.8 and later do: a 64-bit count in value (high half) and flag (low half). */
    public ReplyWriter count(long hashes) {
        return result((int) (hashes >>> 32), (int) hashes, (float) hashes);
    }

    /** Another digest than the request's: that of a near duplicate. */
    public ReplyWriter digest(byte[] digest, int offset) {
        if (hasDigest()) {
            System.arraycopy(digest, offset, out, start + DIGEST, Protocol.DIGEST);
        }
        return this;
    }

    /** A digest of zeroes, as the redis backend gives with a miss. */
    public ReplyWriter noDigest() {
        if (hasDigest()) {
            Arrays.fill(out, start + DIGEST, start + DIGEST + Protocol.DIGEST, (byte) 0);
        }
        return this;
    }

    /** When the hash was stored, seconds since 1970, 32 bits unsigned. */
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
                // No room for it.
            }
        }
        return this;
    }

    /** One more flag of the hash with its weight; beyond seven, and in other layouts, it is left out. */
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

    /** The value of the reply as it stands. */
    public int value() {
        return value;
    }

    /** The flag of the reply as it stands. */
    public int flag() {
        return flag;
    }

    /** The probability of the reply as it stands. */
    public float probability() {
        return probability;
    }

    /** Finishes the reply and returns its length in bytes. */
    public int end() {
        return layout == ReplyLayout.TEXT ? text() : layout.size();
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
