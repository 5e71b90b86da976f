package dev.weir.storage.waves;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;

import com.dynatrace.hash4j.distinctcount.UltraLogLog;
import org.jspecify.annotations.Nullable;

/**
 * The number of different values, without the values. Up to {@value #EXACT} keyed hashes of 32 bits are kept, so small
 * numbers are exact: {@code min_clients} depends on them. Beyond, a sketch of {@value #SKETCH_BYTES} bytes estimates
 * (O. Ertl: UltraLogLog, 2024), with a standard error of 7 %.
 */
final class DistinctCount {
    /** The most values that are counted exactly. */
    static final int EXACT = 8;

    /** 2 to this number are the bytes of a sketch. */
    private static final int PRECISION = 7;
    static final int SKETCH_BYTES = 1 << PRECISION;

    /** The memory at most: this object, and array or sketch. */
    static final int MOST_BYTES = 32 + 24 + 16 + SKETCH_BYTES;

    private int[] few = {};
    private int size;
    private @Nullable UltraLogLog many;

    /** Counts a value by its hash; 0 is no value. */
    void add(int hash) {
        if (hash == 0) {
            return;
        }
        if (many != null) {
            many.add(mixed(hash));
            return;
        }
        for (int i = 0; i < size; i++) {
            if (few[i] == hash) {
                return;
            }
        }
        if (size < EXACT) {
            if (size == few.length) {
                few = Arrays.copyOf(few, Math.max(1, 2 * size));
            }
            few[size++] = hash;
            return;
        }
        many = sketch().add(mixed(hash));
    }

    /** Counts the values of another count, of which those in both count once. */
    void merge(DistinctCount other) {
        UltraLogLog theirs = other.many;
        if (theirs == null) {
            for (int i = 0; i < other.size; i++) {
                add(other.few[i]);
            }
            return;
        }
        UltraLogLog sketch = sketch();
        many = sketch.add(theirs);
    }

    /** Forgets all values. */
    void clear() {
        few = new int[0];
        size = 0;
        many = null;
    }

    private UltraLogLog sketch() {
        UltraLogLog sketch = many;
        if (sketch == null) {
            sketch = UltraLogLog.create(PRECISION);
            for (int i = 0; i < size; i++) {
                sketch.add(mixed(few[i]));
            }
            few = new int[0];
            size = 0;
        }
        return sketch;
    }

    /** Returns the number of different values: exact up to {@value #EXACT}, then an estimate. */
    int count() {
        return many == null ? size : Math.max(EXACT + 1, (int) Math.round(many.getDistinctCountEstimate()));
    }

    /** The finalizer of MurmurHash3: the sketch wants 64 bits. Different hashes stay different. */
    private static long mixed(int hash) {
        long mixed = hash * 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ (mixed >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }

    void write(DataOutputStream out) throws IOException {
        out.writeByte(many == null ? size : EXACT + 1);
        if (many == null) {
            for (int i = 0; i < size; i++) {
                out.writeInt(few[i]);
            }
        } else {
            out.write(many.getState());
        }
    }

    static DistinctCount read(DataInputStream in) throws IOException {
        DistinctCount read = new DistinctCount();
        int size = in.readUnsignedByte();
        if (size <= EXACT) {
            for (int i = 0; i < size; i++) {
                read.add(in.readInt());
            }
            return read;
        }
        byte[] state = new byte[SKETCH_BYTES];
        in.readFully(state);
        read.many = UltraLogLog.wrap(state);
        return read;
    }
}
