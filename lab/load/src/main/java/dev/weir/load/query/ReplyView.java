package dev.weir.load.query;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

import dev.weir.wire.Protocol;

/** A reusable view of a reply of 96 bytes (docs/reference/protocol.md#long-reply). It copies and allocates nothing. */
public final class ReplyView {
    /** The length of a reply to a command of version 4, in bytes. */
    static final int BYTES = 96;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int FLAG = 4;
    private static final int TAG = 8;
    private static final int PROBABILITY = 12;
    private static final int DIGEST = 16;

    private byte[] bytes = new byte[BYTES];
    private int offset;

    /** Points the view at bytes. Returns false if they are not such a reply. */
    public boolean wrap(byte[] bytes, int offset, int length) {
        if (length != BYTES) {
            return false;
        }
        this.bytes = bytes;
        this.offset = offset;
        return true;
    }

    /** Returns the value, or an error code. */
    public int value() {
        return (int) INT.get(bytes, offset);
    }

    int flag() {
        return (int) INT.get(bytes, offset + FLAG);
    }

    /** Returns the tag of the request. */
    public int tag() {
        return (int) INT.get(bytes, offset + TAG);
    }

    float probability() {
        return Float.intBitsToFloat((int) INT.get(bytes, offset + PROBABILITY));
    }

    /** Returns whether the reply is about a stored hash. */
    public boolean matches() {
        return probability() > 0.5f;
    }

    byte[] bytes() {
        return bytes;
    }

    int digestOffset() {
        return offset + DIGEST;
    }

    @Override
    public String toString() {
        StringBuilder digest = new StringBuilder();
        for (int i = 0; i < Protocol.DIGEST / 8; i++) {
            digest.append(String.format("%02x", bytes[digestOffset() + i]));
        }
        return "value " + value() + ", flag " + Integer.toUnsignedString(flag()) + ", probability " + probability()
                + ", digest " + digest + "…";
    }
}
