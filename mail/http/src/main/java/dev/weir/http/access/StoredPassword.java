package dev.weir.http.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.wire.key.Base32;
import org.jspecify.annotations.Nullable;

/**
 * A password from a configuration (docs/reference/rspamd-http.md#stored-passwords): hashed, {@code $1$salt$key} or
 * {@code $2$salt$key} as {@code rspamadm pw} prints it, or plain. No password matches a damaged hash or an empty text.
 * The time of a comparison does not depend on the content. The text form reveals nothing.
 */
public final class StoredPassword {
    /** The maximum length of a password in bytes. Longer ones never match. */
    public static final int MAX_LENGTH = 1024;

    static final int KEY = 32;
    private static final int SALT = 20;
    private static final int BOX = 64;
    private static final Pattern HASHED = Pattern.compile("\\$([12])(?:\\$.*)?", Pattern.DOTALL);

    private final Form form;
    private final byte[] salt;
    private final byte[] expected;

    private enum Form {
        PLAIN, PBKDF2, CATENA, DAMAGED
    }

    @SuppressWarnings("ArrayRecordComponent")
    private StoredPassword(Form form, byte[] salt, byte[] expected) {
        this.form = form;
        this.salt = salt;
        this.expected = expected;
    }

    /** Parses the value of a configuration. Never fails; see {@link #isDamaged}. */
    public static StoredPassword parse(String text) {
        Matcher matcher = HASHED.matcher(text);
        if (text.isEmpty()) {
            return new StoredPassword(Form.DAMAGED, new byte[0], new byte[0]);
        }
        if (!matcher.matches()) {
            return new StoredPassword(Form.PLAIN, new byte[0], text.getBytes(StandardCharsets.UTF_8));
        }
        String[] parts = text.split("\\$", -1);
        Optional<byte[]> salt = parts.length == 4 ? part(parts[2], SALT) : Optional.empty();
        Optional<byte[]> key = parts.length == 4 ? part(parts[3], KEY) : Optional.empty();
        if (salt.isEmpty() || key.isEmpty()) {
            return new StoredPassword(Form.DAMAGED, new byte[0], new byte[0]);
        }
        return new StoredPassword(matcher.group(1).equals("1") ? Form.PBKDF2 : Form.CATENA, salt.get(), key.get());
    }

    private static Optional<byte[]> part(String text, int length) {
        // Four bits never make a byte, so the length distinguishes the forms before anything is decoded.
        return text.length() == (length * 8 + 4) / 5
                ? Base32.decode(text).filter(bytes -> bytes.length >= length).map(bytes -> Arrays.copyOf(bytes, length))
                : Optional.empty();
    }

    /** The methods of hashing passwords. */
    public enum Type {
        /** Catena with butterfly graphs, which costs memory and time. */
        CATENA,
        /** PBKDF2 with BLAKE2b. */
        PBKDF2
    }

    /**
     * Returns a hash of a password with a new salt, in the form of a configuration.
     *
     * @throws IllegalArgumentException if the password is empty or longer than {@link #MAX_LENGTH}
     */
    public static String make(Type type, byte[] password, SecureRandom random) {
        if (password.length == 0 || password.length > MAX_LENGTH) {
            throw new IllegalArgumentException("a password has 1 to " + MAX_LENGTH + " bytes");
        }
        byte[] salt = new byte[SALT];
        random.nextBytes(salt);
        byte[] key = switch (type) {
            case CATENA -> Catena.key(password, salt);
            case PBKDF2 -> Pbkdf2.key(password, salt);
        };
        return (type == Type.PBKDF2 ? "$1$" : "$2$") + Base32.encode(salt) + "$" + Base32.encode(key);
    }

    /** Returns whether the configuration contains the password in plain text. */
    public boolean isPlain() {
        return form == Form.PLAIN;
    }

    /** Returns whether it is empty or an unreadable hash, so that no password matches. */
    public boolean isDamaged() {
        return form == Form.DAMAGED;
    }

    /** Returns whether a comparison takes a tenth of a second rather than a microsecond. */
    public boolean isSlow() {
        return form == Form.PBKDF2 || form == Form.CATENA;
    }

    /** Returns whether a password matches. */
    public boolean matches(byte[] password) {
        if (password.length > MAX_LENGTH) {
            return false;
        }
        return switch (form) {
            case DAMAGED -> false;
            case PLAIN -> MessageDigest.isEqual(padded(password), padded(expected));
            case PBKDF2 -> MessageDigest.isEqual(Pbkdf2.key(password, salt), expected);
            case CATENA -> MessageDigest.isEqual(Catena.key(password, salt), expected);
        };
    }

    /**
     * Pads a text to a fixed length, with its length in front, so that the time of a comparison does not reveal the
     * length.
     */
    private static byte[] padded(byte[] text) {
        byte[] padded = new byte[Math.max(BOX, MAX_LENGTH) + Integer.BYTES];
        padded[0] = (byte) (text.length >>> 8);
        padded[1] = (byte) text.length;
        System.arraycopy(text, 0, padded, Integer.BYTES, Math.min(text.length, MAX_LENGTH));
        return padded;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StoredPassword that && form == that.form && MessageDigest.isEqual(salt, that.salt)
                && MessageDigest.isEqual(expected, that.expected);
    }

    @Override
    public int hashCode() {
        // Reveals nothing about the secret.
        return form.hashCode();
    }

    @Override
    public String toString() {
        return "StoredPassword[redacted]";
    }
}
