package dev.weir.storage.log;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

import dev.weir.storage.Submission;
import org.jspecify.annotations.Nullable;

/**
 * Who asked for an update: an address, a port, the tag of the request, the key that it was encrypted for, and who
 * submitted the mail to the scanner that asked.
 */
public final class UpdateOrigin {
    /** The storage itself: expiry, refresh. */
    public static final UpdateOrigin STORAGE = new UpdateOrigin(null, 0, 0, null);

    /** Bytes of a public key that are kept: enough to tell keys apart, and eight are its name in statistics. */
    public static final int KEY_BYTES = 16;

    private final @Nullable InetAddress address;
    private final int port;
    private final int tag;
    private final byte @Nullable [] key;
    private final @Nullable Submission submission;

    /** The origin of a request of which nothing else is known. */
    public UpdateOrigin(@Nullable InetAddress address, int port, int tag, byte @Nullable [] key) {
        this(address, port, tag, key, null);
    }

    /**
     * An origin.
     *
     * @param address null for the storage itself
     * @param tag of the request, which its repetitions carry too
     * @param key the server's public key that the request was encrypted for (at least {@value #KEY_BYTES} bytes, of
     *            which the first are kept); null for a plain one
     * @param submission who submitted the mail; null where that is not known
     */
    public UpdateOrigin(@Nullable InetAddress address, int port, int tag, byte @Nullable [] key,
            @Nullable Submission submission) {
        this.address = address;
        this.port = port;
        this.tag = tag;
        this.key = key == null ? null : Arrays.copyOf(key, KEY_BYTES);
        this.submission = submission;
    }

    /** The sender's address; null for the storage itself. */
    public @Nullable InetAddress address() {
        return address;
    }

    /** Returns the sender's port, 0..65535. */
    public int port() {
        return port;
    }

    /** Returns the tag of the request. */
    public int tag() {
        return tag;
    }

    /** A copy of the first bytes of the key; null for a request that was not encrypted. */
    public byte @Nullable [] key() {
        return key == null ? null : key.clone();
    }

    /** Who submitted the mail; null where that is not known. */
    public @Nullable Submission submission() {
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
                ? "storage"
                : address.getHostAddress() + " port " + port
                        + (key == null ? "" : " key " + HexFormat.of().formatHex(key));
    }
}
