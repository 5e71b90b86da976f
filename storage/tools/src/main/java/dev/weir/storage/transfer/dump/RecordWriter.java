package dev.weir.storage.transfer.dump;

import java.util.Arrays;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.HtmlSides;
import dev.weir.model.Signature;
import dev.weir.storage.StoredHash;

/** A writer of hashes as records into a growing buffer. */
final class RecordWriter {
    private static final int ROOM = 16;

    private byte[] bytes = new byte[DumpFormat.BLOCK_TARGET + 1024];
    private int length;

    /** Appends a hash. */
    void put(StoredHash hash) {
        putBytes(hash.digest().toBytes());
        if (hash.flags().size() > DumpFormat.FLAGS_LIMIT) {
            throw new IllegalArgumentException("a hash with " + hash.flags().size() + " flags");
        }
        putUnsigned(hash.flags().size());
        for (FlagValue flag : hash.flags()) {
            putSigned(flag.flag());
            putSigned(flag.value());
            putSigned(flag.time());
        }
        putSigned(hash.renewed());
        Signature signature = hash.signature();
        if (signature == null) {
            putByte(0);
            return;
        }
        HtmlSides sides = signature.sides();
        putByte(sides == null ? 1 : 2);
        putFixed(signature.mask(), Integer.BYTES);
        for (int i = 0; i < Signature.SLOTS; i++) {
            if (signature.has(i)) {
                putFixed(signature.value(i), Long.BYTES);
            }
        }
        if (sides != null) {
            putFixed(sides.ctaDomains(), Long.BYTES);
            putFixed(sides.allDomains(), Long.BYTES);
            putFixed(sides.features(), Long.BYTES);
        }
    }

    int length() {
        return length;
    }

    /** Returns the buffer, whose first {@link #length} bytes are records; valid until the next change. */
    byte[] buffer() {
        return bytes;
    }

    void clear() {
        length = 0;
    }

    private void room(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, bytes.length * 2 + more);
        }
    }

    private void putBytes(byte[] source) {
        room(Digest.BYTES);
        System.arraycopy(source, 0, bytes, length, source.length);
        length += source.length;
    }

    private void putByte(int value) {
        room(1);
        bytes[length++] = (byte) value;
    }

    private void putFixed(long value, int width) {
        room(width);
        for (int i = 0; i < width; i++) {
            bytes[length++] = (byte) (value >>> (8 * i));
        }
    }

    /** Writes in zigzag encoding, so that small negative numbers are short. */
    private void putSigned(long value) {
        putUnsigned((value << 1) ^ (value >> 63));
    }

    /** Writes seven bits per byte, lowest first, with the top bit set on all bytes but the last. */
    private void putUnsigned(long value) {
        room(ROOM);
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            bytes[length++] = (byte) ((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        bytes[length++] = (byte) rest;
    }
}
