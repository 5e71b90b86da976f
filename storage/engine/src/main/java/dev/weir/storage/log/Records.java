package dev.weir.storage.log;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

import dev.weir.model.AddressBits;
import dev.weir.model.Digest;
import dev.weir.model.HtmlSides;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.UpdateSubmitter;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of records: little endian, each a multiple of 8 bytes long; {@code docs/internals/log.md} has the table.
 * For one thread.
 *
 * <p>{@code settled} is the last revision that was known to be on disk when the record was written. It distinguishes a
 * lost record from one of the batch in progress at a crash.
 */
final class Records {
    /** The version of a record without the parts of the next three. */
    private static final int PLAIN = 1;
    private static final int SUBMITTED = 2;
    private static final int WIDE = 3;
    private static final int WITH_SIDES = 4;

    static final int ALIGN = 8;

    /** The length of a record without its optional parts: the minimum. */
    static final int FIXED = 128;
    private static final int ADDRESS_BYTES = 16;
    private static final int SIGNATURE_BYTES = Signature.SLOTS * Long.BYTES;

    /** The maximum length of a record of these versions. */
    static final int MAX = FIXED + ADDRESS_BYTES + UpdateOrigin.KEY_BYTES + SIGNATURE_BYTES + HtmlSides.BYTES
            + Long.BYTES + submissionBytes(UpdateSubmitter.MAX_BYTES);

    /** The maximum length in later versions. Longer lengths are invalid. */
    static final int MAX_OF_ANY_VERSION = 4_096;

    private static final int CRC_AT = 4;
    private static final int CHECKED_FROM = 8;
    private static final int REVISION_AT = 8;

    /** The bytes of a record up to the end of its revision. */
    static final int REVISION_END = REVISION_AT + Long.BYTES;
    private static final int SETTLED_AT = 16;
    private static final int MILLIS_AT = 24;
    private static final int VERSION_AT = 32;
    private static final int KIND_AT = 33;
    private static final int PARTS_AT = 34;
    private static final int ADDRESS_LENGTH_AT = 35;
    private static final int PORT_AT = 36;
    private static final int TAG_AT = 40;
    private static final int FLAG_AT = 44;
    private static final int WEIGHT_AT = 48;
    private static final int MASK_AT = 52;
    private static final int MOMENT_AT = 56;
    private static final int DIGEST_AT = 64;

    private static final int WRITE = 1;
    private static final int DELETE = 2;
    private static final int DELETE_ALL = 3;
    private static final int REFRESH = 4;
    private static final int EXPIRE = 5;

    private static final int HAS_ADDRESS = 1;
    private static final int HAS_KEY = 2;
    private static final int HAS_SIGNATURE = 4;
    private static final int HAS_SUBMISSION = 8;
    private static final int HAS_WEIGHT = 16;
    private static final int HAS_SIDES = 32;
    private static final int ALL_PARTS = 63;

    private final CRC32C crc = new CRC32C();
    private final byte[] salt;
    private final byte[] digest = new byte[Digest.BYTES];
    private final long[] words = new long[Math.max(Digest.WORDS, Signature.SLOTS)];

    /**
     * Creates the encoding for one storage.
     *
     * @param storageId part of the checksums. Clients choose the bytes of shingles; without a number unknown to them,
     *            they could hide a complete record there, and a reader that searches after damage would find it
     */
    Records(long storageId) {
        this.salt = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(storageId).array();
    }

    /** Appends a record; {@code out} must be little endian and have room for {@link #MAX} bytes. */
    void encode(LoggedUpdate logged, long settled, ByteBuffer out) {
        int start = out.position();
        UpdateOrigin origin = logged.origin();
        Update update = logged.update();
        InetAddress address = origin.address();
        byte[] key = origin.key();
        Signature signature = update instanceof Update.Write write ? write.signature() : null;
        HtmlSides sides = signature == null ? null : signature.sides();
        UpdateSubmitter submission = origin.submission();
        byte[] raw = address == null ? new byte[0] : address.getAddress();
        long weight = update instanceof Update.Write write ? write.weight() : 0;
        boolean wide = weight != (int) weight;
        out.putLong(start, 0).putLong(start + REVISION_AT, logged.revision()).putLong(start + SETTLED_AT, settled)
                .putLong(start + MILLIS_AT, logged.millis())
                .put(start + VERSION_AT, (byte) version(submission != null, wide, sides != null))
                .put(start + KIND_AT, (byte) kind(update))
                .put(start + PARTS_AT, (byte) ((address == null ? 0 : HAS_ADDRESS) | (key == null ? 0 : HAS_KEY)
                        | (signature == null ? 0 : HAS_SIGNATURE)
                        | (submission == null ? 0 : HAS_SUBMISSION) | (wide ? HAS_WEIGHT : 0)
                        | (sides == null ? 0 : HAS_SIDES)))
                .put(start + ADDRESS_LENGTH_AT, (byte) raw.length).putInt(start + PORT_AT, origin.port())
                .putInt(start + TAG_AT, origin.tag()).putInt(start + FLAG_AT, flag(update))
                .putInt(start + WEIGHT_AT, wide ? 0 : (int) weight)
                .putInt(start + MASK_AT, signature == null ? 0 : signature.mask())
                .putLong(start + MOMENT_AT, moment(update));
        update.digest().copyTo(words, 0);
        for (int i = 0; i < Digest.WORDS; i++) {
            out.putLong(start + DIGEST_AT + i * Long.BYTES, words[i]);
        }
        out.position(start + FIXED);
        if (address != null) {
            out.put(raw);
            out.put(new byte[ADDRESS_BYTES - raw.length]);
        }
        if (key != null) {
            out.put(key);
        }
        if (signature != null) {
            for (int i = 0; i < Signature.SLOTS; i++) {
                out.putLong(signature.has(i) ? signature.value(i) : 0);
            }
        }
        if (sides != null) {
            out.putLong(sides.ctaDomains()).putLong(sides.allDomains()).putLong(sides.features());
        }
        if (wide) {
            out.putLong(weight);
        }
        if (submission != null) {
            byte[] text = submission.toBytes();
            out.putShort((short) text.length).put(text);
            out.put(new byte[submissionBytes(text.length) - Short.BYTES - text.length]);
        }
        int length = out.position() - start;
        out.putInt(start, length).putInt(start + CRC_AT, sum(out, start, length));
    }

    private static int version(boolean submitted, boolean wide, boolean withSides) {
        return withSides ? WITH_SIDES : wide ? WIDE : submitted ? SUBMITTED : PLAIN;
    }

    /** Returns the size of a length, a text, and zeros up to a multiple of 8 bytes. */
    private static int submissionBytes(int text) {
        return (Short.BYTES + text + ALIGN - 1) / ALIGN * ALIGN;
    }

    private int sum(ByteBuffer bytes, int start, int length) {
        int position = bytes.position();
        int limit = bytes.limit();
        bytes.limit(start + length).position(start + CHECKED_FROM);
        crc.reset();
        crc.update(salt);
        crc.update(bytes);
        bytes.limit(limit).position(position);
        return (int) crc.getValue();
    }

    /** Returns the length that the bytes at a position claim, if a record can have it; otherwise 0. */
    static int claimedLength(ByteBuffer bytes, int at) {
        if (bytes.limit() - at < FIXED) {
            return 0;
        }
        int length = bytes.getInt(at);
        return length < FIXED || length > MAX_OF_ANY_VERSION || length % ALIGN != 0 ? 0 : length;
    }

    /** Returns the length of the record at a position, or 0 if there is no complete and sound record. */
    int lengthOf(ByteBuffer bytes, int at) {
        int room = bytes.limit() - at;
        int length = claimedLength(bytes, at);
        if (length == 0 || length > room) {
            return 0;
        }
        boolean sound = bytes.getInt(at + CRC_AT) == sum(bytes, at, length)
                && (!isKnown(bytes, at) || isConsistent(bytes, at, length));
        return sound ? length : 0;
    }

    /**
     * Returns whether these versions write a record with this content and a correct checksum. Other versions are not
     * interpreted.
     */
    private static boolean isConsistent(ByteBuffer bytes, int at, int length) {
        int parts = bytes.get(at + PARTS_AT);
        int wanted = FIXED + ((parts & HAS_ADDRESS) == 0 ? 0 : ADDRESS_BYTES)
                + ((parts & HAS_KEY) == 0 ? 0 : UpdateOrigin.KEY_BYTES)
                + ((parts & HAS_SIGNATURE) == 0 ? 0 : SIGNATURE_BYTES)
                + ((parts & HAS_SIDES) == 0 ? 0 : HtmlSides.BYTES) + ((parts & HAS_WEIGHT) == 0 ? 0 : Long.BYTES);
        if ((parts & HAS_SUBMISSION) != 0) {
            // The length of the text must be inside the record before it is read.
            wanted += wanted < length ? submissionBytes(bytes.getShort(at + wanted) & 0xffff) : ALIGN;
        }
        int kind = bytes.get(at + KIND_AT);
        int address = bytes.get(at + ADDRESS_LENGTH_AT);
        return length == wanted && kind >= WRITE && kind <= EXPIRE && (parts & ~ALL_PARTS) == 0
                && bytes.get(at + VERSION_AT) == version((parts & HAS_SUBMISSION) != 0, (parts & HAS_WEIGHT) != 0,
                        (parts & HAS_SIDES) != 0)
                && ((parts & HAS_SIDES) == 0 || (parts & HAS_SIGNATURE) != 0)
                && ((parts & HAS_ADDRESS) == 0 ? address == 0 : address == 4 || address == ADDRESS_BYTES)
                && ((parts & (HAS_SIGNATURE | HAS_WEIGHT)) == 0 || kind == WRITE);
    }

    /** Returns whether the version of the sound record at a position is known. */
    static boolean isKnown(ByteBuffer bytes, int at) {
        int version = bytes.get(at + VERSION_AT);
        return version >= PLAIN && version <= WITH_SIDES;
    }

    /** Returns the running checksum after complete records of this program between two positions. */
    static long checksum(ByteBuffer bytes, int from, int to, long before) {
        long sum = before;
        for (int at = from; at < to; at += bytes.getInt(at)) {
            sum = RunningChecksum.after(sum, bytes.getLong(at + REVISION_AT), bytes.getLong(at + MILLIS_AT),
                    bytes.getLong(at + DIGEST_AT));
        }
        return sum;
    }

    static long revision(ByteBuffer bytes, int at) {
        return bytes.getLong(at + REVISION_AT);
    }

    /** Returns whether a filter wants the record at a position. */
    static boolean wants(RecordFilter filter, ByteBuffer bytes, int at) {
        return filter.wants(bytes.getLong(at + DIGEST_AT), bytes.getLong(at + MILLIS_AT),
                (bytes.get(at + PARTS_AT) & HAS_SUBMISSION) != 0);
    }

    static long settled(ByteBuffer bytes, int at) {
        return bytes.getLong(at + SETTLED_AT);
    }

    /** Decodes the record at a position for which {@link #lengthOf} is not 0. */
    LoggedUpdate decode(ByteBuffer bytes, int at) {
        int parts = bytes.get(at + PARTS_AT);
        int next = at + FIXED;
        InetAddress address = null;
        if ((parts & HAS_ADDRESS) != 0) {
            byte[] raw = new byte[bytes.get(at + ADDRESS_LENGTH_AT)];
            bytes.get(next, raw);
            address = AddressBits.address(raw);
            next += ADDRESS_BYTES;
        }
        byte[] key = null;
        if ((parts & HAS_KEY) != 0) {
            key = new byte[UpdateOrigin.KEY_BYTES];
            bytes.get(next, key);
            next += UpdateOrigin.KEY_BYTES;
        }
        Signature signature = null;
        if ((parts & HAS_SIGNATURE) != 0) {
            for (int i = 0; i < Signature.SLOTS; i++) {
                words[i] = bytes.getLong(next + i * Long.BYTES);
            }
            signature = Signature.partial(words, 0, bytes.getInt(at + MASK_AT));
            next += SIGNATURE_BYTES;
        }
        if (signature != null && (parts & HAS_SIDES) != 0) {
            signature = signature.withSides(new HtmlSides(bytes.getLong(next + Long.BYTES), bytes.getLong(next),
                    bytes.getLong(next + 2 * Long.BYTES)));
            next += HtmlSides.BYTES;
        }
        long weight = bytes.getInt(at + WEIGHT_AT);
        if ((parts & HAS_WEIGHT) != 0) {
            weight = bytes.getLong(next);
            next += Long.BYTES;
        }
        UpdateSubmitter submission = null;
        if ((parts & HAS_SUBMISSION) != 0) {
            byte[] text = new byte[bytes.getShort(next) & 0xffff];
            bytes.get(next + Short.BYTES, text);
            submission = UpdateSubmitter.read(text);
        }
        bytes.get(at + DIGEST_AT, digest);
        UpdateOrigin origin = address == null
                ? ofStorage(bytes.getInt(at + TAG_AT))
                : new UpdateOrigin(address, bytes.getInt(at + PORT_AT), bytes.getInt(at + TAG_AT), key,
                        submission);
        return new LoggedUpdate(revision(bytes, at), bytes.getLong(at + MILLIS_AT), origin,
                update(bytes, at, Digest.read(digest, 0), weight, signature));
    }

    private static UpdateOrigin ofStorage(int tag) {
        return tag == UpdateOrigin.SHARED.tag()
                ? UpdateOrigin.SHARED
                : tag == UpdateOrigin.IMPORT.tag() ? UpdateOrigin.IMPORT : UpdateOrigin.STORAGE;
    }

    private static Update update(ByteBuffer bytes, int at, Digest digest, long weight,
            @Nullable Signature signature) {
        int flag = bytes.getInt(at + FLAG_AT);
        long moment = bytes.getLong(at + MOMENT_AT);
        int kind = bytes.get(at + KIND_AT);
        return switch (kind) {
            case WRITE -> new Update.Write(digest, flag, weight, moment, signature);
            case DELETE -> new Update.Delete(digest, flag);
            case DELETE_ALL -> new Update.DeleteAll(digest);
            case REFRESH -> new Update.Refresh(digest, moment);
            case EXPIRE -> new Update.Expire(digest, flag, moment);
            default -> throw new IllegalArgumentException("no record of kind " + kind);
        };
    }

    private static int kind(Update update) {
        return switch (update) {
            case Update.Write write -> WRITE;
            case Update.Delete delete -> DELETE;
            case Update.DeleteAll delete -> DELETE_ALL;
            case Update.Refresh refresh -> REFRESH;
            case Update.Expire expire -> EXPIRE;
        };
    }

    private static int flag(Update update) {
        return switch (update) {
            case Update.Write write -> write.flag();
            case Update.Delete delete -> delete.flag();
            case Update.Expire expire -> expire.flag();
            case Update.DeleteAll delete -> 0;
            case Update.Refresh refresh -> 0;
        };
    }

    private static long moment(Update update) {
        return switch (update) {
            case Update.Write write -> write.time();
            case Update.Refresh refresh -> refresh.time();
            case Update.Expire expire -> expire.before();
            case Update.Delete delete -> 0;
            case Update.DeleteAll delete -> 0;
        };
    }

    /** Returns a little-endian direct buffer, which channels use without a copy. */
    static ByteBuffer buffer(int size) {
        return ByteBuffer.allocateDirect(size).order(ByteOrder.LITTLE_ENDIAN);
    }
}
