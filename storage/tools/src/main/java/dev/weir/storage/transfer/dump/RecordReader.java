package dev.weir.storage.transfer.dump;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.HtmlSides;
import dev.weir.model.Signature;
import dev.weir.storage.StoredHash;

/** A reader of the records in one block. */
final class RecordReader {
    private final byte[] bytes;
    private final int length;
    private int at;

    RecordReader(byte[] bytes, int length) {
        this.bytes = bytes;
        this.length = length;
    }

    boolean more() {
        return at < length;
    }

    /**
     * Returns the next hash.
     *
     * @throws DumpException if the bytes are not a record
     */
    StoredHash next() throws DumpException {
        need(Digest.BYTES);
        Digest digest = Digest.read(bytes, at);
        at += Digest.BYTES;
        long count = unsigned();
        if (count < 1 || count > DumpFormat.FLAGS_LIMIT) {
            throw new DumpException("a hash has " + Long.toUnsignedString(count) + " flags");
        }
        List<FlagValue> flags = new ArrayList<>((int) count);
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; i < count; i++) {
            long flag = signed();
            if (flag != (int) flag || !seen.add((int) flag)) {
                throw new DumpException("a hash has a flag that is out of range or there twice: " + flag);
            }
            flags.add(new FlagValue((int) flag, signed(), signed()));
        }
        long renewed = signed();
        int kind = (int) fixed(1);
        return switch (kind) {
            case 0 -> new StoredHash(digest, flags, null, renewed);
            case 1 -> new StoredHash(digest, flags, signature(), renewed);
            case 2 -> new StoredHash(digest, flags, signature().withSides(sides()), renewed);
            default -> throw new DumpException("a hash has a signature of an unknown kind " + kind);
        };
    }

    private Signature signature() throws DumpException {
        int mask = (int) fixed(Integer.BYTES);
        long[] values = new long[Signature.SLOTS];
        for (int i = 0; i < values.length; i++) {
            if (((mask >>> i) & 1) != 0) {
                values[i] = fixed(Long.BYTES);
            }
        }
        return Signature.partial(values, 0, mask);
    }

    private HtmlSides sides() throws DumpException {
        long cta = fixed(Long.BYTES);
        long all = fixed(Long.BYTES);
        long features = fixed(Long.BYTES);
        if (features == 0) {
            throw new DumpException("a hash has side hashes without features");
        }
        return new HtmlSides(all, cta, features);
    }

    private void need(int more) throws DumpException {
        if (length - at < more) {
            throw new DumpException("a record goes on after the end of its block");
        }
    }

    private long fixed(int width) throws DumpException {
        need(width);
        long value = 0;
        for (int i = 0; i < width; i++) {
            value |= (bytes[at++] & 0xffL) << (8 * i);
        }
        return value;
    }

    private long signed() throws DumpException {
        long value = unsigned();
        return (value >>> 1) ^ -(value & 1);
    }

    private long unsigned() throws DumpException {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            need(1);
            byte next = bytes[at++];
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                if (shift == 63 && next > 1) {
                    break;
                }
                return value;
            }
        }
        throw new DumpException("a number has more than 64 bits");
    }
}
