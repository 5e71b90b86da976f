package dev.weir.storage.log;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

import dev.weir.storage.UpdateSubmitter;
import org.jspecify.annotations.Nullable;

/**
 * The author of an update: address, port, tag of the request, key of the encryption, and the submitter of the mail to
 * the scanner.
 */
public final class UpdateOrigin {
    /** The storage itself, for expiry and renewal. */
    public static final UpdateOrigin STORAGE = new UpdateOrigin(null, 0, 0, null);

    /** Another node, whose change came through the Redis that both share. */
    public static final UpdateOrigin SHARED = new UpdateOrigin(null, 0, 1, null);

    /** An import into a stopped storage. */
    public static final UpdateOrigin IMPORT = new UpdateOrigin(null, 0, 2, null);

    /**
     * The number of bytes kept of a public key. They distinguish keys, and the first eight are its name in statistics.
     */
    public static final int KEY_BYTES = 16;

    private final @Nullable InetAddress address;
    private final int port;
    private final int tag;
    private final byte @Nullable [] key;
    private final @Nullable UpdateSubmitter submission;

    /** Creates the origin of a request without a known submitter. */
    public UpdateOrigin(@Nullable InetAddress address, int port, int tag, byte @Nullable [] key) {
        this(address, port, tag, key, null);
    }

    /**
     * Creates an origin.
     *
     * @param address null for the storage itself
     * @param tag tag of the request, which repetitions have, too
     * @param key the server's public key of the encryption (at least {@value #KEY_BYTES} bytes, of which the first are
     *            kept); null for a plain request
     * @param submission the submitter of the mail; null if unknown
     */
    public UpdateOrigin(@Nullable InetAddress address, int port, int tag, byte @Nullable [] key,
            @Nullable UpdateSubmitter submission) {
        this.address = address;
        this.port = port;
        this.tag = tag;
        this.key = key == null ? null : Arrays.copyOf(key, KEY_BYTES);
        this.submission = submission;
    }

    /** Returns the sender's address; null for the storage itself. */
    public @Nullable InetAddress address() {
        return address;
    }

    /** Returns the sender's port, 0 to 65535. */
    public int port() {
        return port;
    }

    /** Returns the tag of the request. */
    public int tag() {
        return tag;
    }

    /** Returns a copy of the first bytes of the key; null for a plain request. */
    public byte @Nullable [] key() {
        return key == null ? null : key.clone();
    }

    /** Returns the submitter of the mail; null if unknown. */
    public @Nullable UpdateSubmitter submission() {
        return submission;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof UpdateOrigin that && port == that.port && tag == that.tag
                && Objects.equals(address, that.address) && Arrays.equals(key, that.key)
                && Objects.equals(submission, that.submission);
    }

    @Override
    public int hashCode() {
        return (Objects.hashCode(address) * 31 + port) * 31 + tag;
    }

    @Override
    public String toString() {
        return address == null
                ? equals(SHARED) ? "another node" : equals(IMPORT) ? "import" : "storage"
                : address.getHostAddress() + " port " + port
                        + (key == null ? "" : " key " + HexFormat.of().formatHex(key));
    }
}
