package dev.weir.storage.redis;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import org.jspecify.annotations.Nullable;

/** The keys under a prefix (docs/reference/storage.md#redis-keys). */
public final class Keys {
    /** The meaning of a key. */
    public sealed interface Key {}

    /** The hash of a digest. */
    public record HashKey(Digest digest) implements Key {}

    /** The owner of a shingle. */
    public record SlotKey(int slot, long value) implements Key {}

    /** A counter of Rspamd, or a key of Weir. */
    public record Known() implements Key {}

    /** Another key that happens to have the prefix. */
    public record Other() implements Key {}

    private static final Known KNOWN = new Known();
    private static final Other OTHER = new Other();

    /** What the keys of deletes begin with; a digest follows. */
    private static final byte[] GONE = "_weir_gone".getBytes(StandardCharsets.US_ASCII);

    /** What the keys begin with that say whose time is an estimate; a digest follows. */
    private static final byte[] ESTIMATE = "_weir_time".getBytes(StandardCharsets.US_ASCII);

    /** What the keys of notes begin with; the name of a node follows. */
    private static final String NOTE = "_weir_note";

    /** The number of digits of the greatest 64-bit number. */
    private static final int DIGITS = 20;

    private final byte[] prefix;

    /** Creates the names under a prefix, which may be any bytes. */
    public Keys(byte[] prefix) {
        this.prefix = prefix.clone();
    }

    /** Returns the key of a digest. */
    public byte[] hash(Digest digest) {
        return concat(digest.toBytes());
    }

    /** Returns the key of a shingle. */
    public byte[] slot(int slot, long value) {
        return concat(("_" + slot + "_" + Long.toUnsignedString(value)).getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns the key of the number of hashes. */
    public byte[] count() {
        return concat("_count".getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns the key of the number of batches. */
    public byte[] local() {
        return concat("local".getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns the key under which a target records its progress. */
    public byte[] progress() {
        return concat("_weir_import".getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns the key of what the nodes of Weir know of each other. */
    public byte[] nodes() {
        return concat("_weir_nodes".getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns the key of the stream of changes. */
    public byte[] stream() {
        return concat("_weir_stream".getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns the key of the settings that all nodes must have. */
    public byte[] settings() {
        return concat("_weir_settings".getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns the key of what a node tells the other ones. */
    public byte[] note(String node) {
        return concat((NOTE + node).getBytes(StandardCharsets.US_ASCII));
    }

    private byte[] concat(byte[] rest) {
        byte[] key = Arrays.copyOf(prefix, prefix.length + rest.length);
        System.arraycopy(rest, 0, key, prefix.length, rest.length);
        return key;
    }

    /** Returns a pattern for SCAN that matches keys with the prefix. */
    public byte[] pattern() {
        ByteArrayOutputStream pattern = new ByteArrayOutputStream();
        for (byte b : prefix) {
            if (b == '*' || b == '?' || b == '[' || b == ']' || b == '\\' || b == '^') {
                pattern.write('\\');
            }
            pattern.write(b);
        }
        pattern.write('*');
        return pattern.toByteArray();
    }

    /** Returns what a key means. */
    public Key read(byte[] key) {
        int rest = key.length - prefix.length;
        if (rest < 0 || !Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length)) {
            return OTHER;
        }
        if (rest == Digest.BYTES) {
            return new HashKey(Digest.read(key, prefix.length));
        }
        if (Arrays.equals(key, count()) || Arrays.equals(key, local()) || Arrays.equals(key, progress())
                || Arrays.equals(key, nodes()) || Arrays.equals(key, stream()) || Arrays.equals(key, settings())
                || isOfDigest(key, GONE) || isOfDigest(key, ESTIMATE)) {
            return KNOWN;
        }
        if (new String(key, prefix.length, rest, StandardCharsets.ISO_8859_1).startsWith(NOTE)) {
            return KNOWN;
        }
        if (rest > 1 && key[prefix.length] == '_') {
            SlotKey slot = slot(new String(key, prefix.length + 1, rest - 1, StandardCharsets.ISO_8859_1));
            return slot == null ? OTHER : slot;
        }
        return OTHER;
    }

    /** Returns whether a key with the prefix is one of those of digests that have this name. */
    private boolean isOfDigest(byte[] key, byte[] name) {
        int from = prefix.length;
        return key.length == from + name.length + Digest.BYTES
                && Arrays.equals(key, from, from + name.length, name, 0, name.length);
    }

    /** Parses {@code slot_value}, as in keys and the field S; null if the text is something else. */
    public static @Nullable SlotKey slot(String text) {
        int bar = text.indexOf('_');
        if (bar < 1 || bar > 2 || text.length() - bar - 1 > DIGITS || text.length() == bar + 1) {
            return null;
        }
        for (int i = 0; i < text.length(); i++) {
            if (i != bar && (text.charAt(i) < '0' || text.charAt(i) > '9')) {
                return null;
            }
        }
        int slot = Integer.parseInt(text.substring(0, bar));
        if (slot >= Signature.SLOTS) {
            return null;
        }
        try {
            return new SlotKey(slot, Long.parseUnsignedLong(text.substring(bar + 1)));
        } catch (NumberFormatException moreThan64Bits) {
            return null;
        }
    }
}
