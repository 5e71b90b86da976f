package dev.weir.wire.command;

import java.util.Arrays;
import java.util.Objects;

import dev.weir.wire.Generation;
import dev.weir.wire.LittleEndian;
import dev.weir.wire.Protocol;

/**
 * An encoder that writes commands into a buffer of the caller (docs/reference/protocol.md#request-layout): {@code
 * begin(...).flag(7).tag(t).digest(...).end()}. A writer is reusable. For one thread.
 *
 * <p>To encrypt the command afterwards, begin it {@link Protocol#REQUEST_HEADER} bytes into the buffer.
 */
public final class CommandWriter {
    private byte[] out = {};
    private int start;
    private int end;
    private boolean extensible;

    /**
     * Begins a command. All fields except version and code are zero.
     *
     * @param generation {@link Generation#V2} to {@link Generation#MULTI_FLAG} (sent as version 5)
     * @param code 0..255, see {@link CommandCode}
     * @throws IllegalArgumentException for the text protocol or a code out of range
     * @throws IndexOutOfBoundsException if the buffer has no room
     */
    public CommandWriter begin(byte[] out, int offset, Generation generation, int code) {
        return begin(out, offset, switch (generation) {
            case V2 -> 2;
            case V3 -> 3;
            case V4 -> 4;
            case MULTI_FLAG -> 5;
            case TEXT -> throw new IllegalArgumentException("the text form is only read");
        }, code);
    }

    /** Begins a command with a given version byte, 0..255, such as 0x14. */
    public CommandWriter begin(byte[] out, int offset, int version, int code) {
        Arrays.fill(out, offset, offset + Protocol.COMMAND, (byte) 0);
        this.out = out;
        this.start = offset;
        this.end = offset + Protocol.COMMAND;
        this.extensible = (version & 0x0f) >= 4;
        out[offset] = octet("version", version);
        out[offset + 1] = octet("command code", code);
        return this;
    }

    /** Sets the flag, 0..255. Commands cannot carry other flags. */
    public CommandWriter flag(int flag) {
        out[start + 3] = octet("flag", flag);
        return this;
    }

    /** Sets the weight. */
    public CommandWriter value(int value) {
        LittleEndian.putInt(out, start + 4, value);
        return this;
    }

    /** Sets the tag that identifies the reply. */
    public CommandWriter tag(int tag) {
        LittleEndian.putInt(out, start + 8, tag);
        return this;
    }

    /** Sets the {@link Protocol#DIGEST} bytes of the digest. */
    public CommandWriter digest(byte[] digest, int offset) {
        System.arraycopy(digest, offset, out, start + 12, Protocol.DIGEST);
        return this;
    }

    /**
     * Adds the shingles.
     *
     * @throws IllegalArgumentException if the number of shingles is not 32
     * @throws IllegalStateException if the command already has shingles or an extension
     */
    public CommandWriter shingles(long[] shingles) {
        if (shingles.length != Protocol.SHINGLES) {
            throw new IllegalArgumentException("a signature has 32 shingles, not " + shingles.length);
        }
        if (end != start + Protocol.COMMAND) {
            throw new IllegalStateException("shingles come once and before extensions");
        }
        Objects.checkFromIndexSize(end, Protocol.SHINGLES * Long.BYTES, out.length);
        for (int i = 0; i < Protocol.SHINGLES; i++) {
            LittleEndian.putLong(out, end + i * Long.BYTES, shingles[i]);
        }
        out[start + 2] = Protocol.SHINGLES;
        end = start + Protocol.SHINGLED_COMMAND;
        return this;
    }

    /**
     * Adds an extension. Shingles must come first.
     *
     * @throws IllegalStateException before version 4, which introduced extensions
     * @throws IllegalArgumentException if the content is longer than 255 bytes
     * @throws IndexOutOfBoundsException if the buffer has no room
     */
    public CommandWriter extension(Extension extension) {
        if (!extensible) {
            throw new IllegalStateException("extensions need version 4 or later");
        }
        end += Extensions.write(extension, out, end);
        return this;
    }

    /** Returns the length of the command in bytes. */
    public int end() {
        return end - start;
    }

    private static byte octet(String what, int value) {
        if ((value & ~0xff) != 0) {
            throw new IllegalArgumentException(what + " " + value + " is not in 0..255");
        }
        return (byte) value;
    }
}
