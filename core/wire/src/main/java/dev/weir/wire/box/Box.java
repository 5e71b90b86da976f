package dev.weir.wire.box;

import java.security.SecureRandom;
import java.util.Objects;

import dev.weir.model.KeyedHash;
import dev.weir.wire.LittleEndian;
import dev.weir.wire.Protocol;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.ServerKeys;
import org.jspecify.annotations.Nullable;

/**
 * The crypto box of the protocol (docs/reference/protocol.md#encryption): X25519, then XChaCha20. The first block of
 * the keystream is only used as the Poly1305 key, and the authenticator covers just the ciphertext. No library offers
 * this construction.
 *
 * <p>A box holds the scratch state of one thread and its cache of shared keys. It opens and seals messages in place,
 * and does not allocate on a cache hit:
 *
 * <pre>{@code
 * if (box.open(keys, datagram, 0, length) == Opened.OK) {
 *     command.wrap(datagram, box.plainOffset(), box.plainLength(), Carrier.BOXED_DATAGRAM);
 *     int size = writer.begin(command, out, Protocol.REPLY_HEADER).accepted().end();
 *     send(out, box.sealReply(box.sharedKey(), out, 0, size));
 * }
 * }</pre>
 *
 * <p>A box verifies the authenticator, in constant time, before it decrypts anything. The authenticator does not cover
 * the header; only the keys that the header names are confirmed. The protocol does not prevent replays, but a process
 * rejects its own messages if they return in the other direction ({@link Opened#ECHO}).
 */
public final class Box {
    /** The default capacity of the cache of shared keys. */
    public static final int DEFAULT_CACHE = 512;
    /**
     * The minimum length of an encrypted request. Shorter requests are read as plaintext and dropped
     * (docs/reference/protocol.md#encrypted-requests).
     */
    public static final int MIN_REQUEST = Protocol.REQUEST_HEADER + Protocol.COMMAND;

    private static final int MAGIC = 0x65667372;
    private static final int KEY_ID = 4;
    private static final int CLIENT_KEY = 12;
    private static final int REQUEST_NONCE = 44;
    private static final int REQUEST_MAC = 68;
    private static final int REPLY_MAC = 24;

    private final SharedKeyCache cache;
    private final Nonces nonces = new Nonces();
    private final int[] state = new int[ChaCha20.STATE];
    private final int[] first = new int[ChaCha20.STATE];
    private final int[] block = new int[ChaCha20.STATE];
    private final Poly1305 poly = new Poly1305();

    private int plainOffset;
    private int plainLength;
    private @Nullable SharedKey shared;
    private @Nullable KeyPair serverKey;

    /** Creates a box that caches {@link #DEFAULT_CACHE} shared keys. */
    public Box(SecureRandom random) {
        this(random, DEFAULT_CACHE);
    }

    /**
     * Creates a box.
     *
     * @param random the source of the key of the cache's hash
     * @param cachedKeys the capacity of the cache, 1..1048576; a key takes about 200 bytes
     */
    public Box(SecureRandom random, int cachedKeys) {
        this.cache = new SharedKeyCache(cachedKeys, KeyedHash.random(random));
    }

    /** Returns whether a request is encrypted: long enough, with the magic bytes at its beginning. */
    public static boolean isRequest(byte[] bytes, int offset, int length) {
        return length >= MIN_REQUEST && LittleEndian.getInt(bytes, offset) == MAGIC;
    }

    /**
     * Opens a request in place. After {@link Opened#OK}, the plaintext is at {@link #plainOffset}; otherwise the bytes
     * are unchanged. A datagram must be cut to {@link Protocol#MAX_DATAGRAM} first.
     *
     * @throws IndexOutOfBoundsException if offset and length do not lie within the array
     */
    public Opened open(ServerKeys keys, byte[] bytes, int offset, int length) {
        return open(keys, bytes, offset, length, true);
    }

    /**
     * Same as {@link #open(ServerKeys, byte[], int, int)}, but only with a cached shared key, for servers that limit
     * the X25519 computations for new keys. For other keys, returns {@link Opened#NEW_KEY} and leaves the bytes
     * unchanged.
     *
     * @throws IndexOutOfBoundsException if offset and length do not lie within the array
     */
    public Opened openKnown(ServerKeys keys, byte[] bytes, int offset, int length) {
        return open(keys, bytes, offset, length, false);
    }

    private Opened open(ServerKeys keys, byte[] bytes, int offset, int length, boolean agree) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        forget();
        if (!isRequest(bytes, offset, length)) {
            return Opened.NOT_A_BOX;
        }
        if (Nonces.isOfReply(bytes, offset + REQUEST_NONCE)) {
            return Opened.ECHO;
        }
        KeyPair pair = keys.select(LittleEndian.getLong(bytes, offset + KEY_ID));
        if (pair == null) {
            return Opened.NO_KEY;
        }
        int slot = cache.find(pair, bytes, offset + CLIENT_KEY);
        if (slot < 0 && !agree) {
            return Opened.NEW_KEY;
        }
        SharedKey key = slot < 0 ? cache.agree(pair, bytes, offset + CLIENT_KEY) : cache.at(slot);
        if (key == null) {
            return Opened.WEAK_KEY;
        }
        if (!decrypt(key, bytes, offset + REQUEST_NONCE, offset + REQUEST_MAC, offset + Protocol.REQUEST_HEADER,
                length - Protocol.REQUEST_HEADER)) {
            return Opened.BAD_MAC;
        }
        if (slot < 0) {
            cache.add(pair, bytes, offset + CLIENT_KEY, key);
        } else {
            cache.used(slot);
        }
        shared = key;
        serverKey = pair;
        return Opened.OK;
    }

    /**
     * Opens a reply in place. Returns OK, NOT_A_BOX for a reply that is shorter than its header, BAD_MAC, or ECHO. ECHO
     * means a request of this process without its header, which would open because both directions use the same key.
     */
    public Opened openReply(SharedKey key, byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        forget();
        if (length < Protocol.REPLY_HEADER) {
            return Opened.NOT_A_BOX;
        }
        if (Nonces.isOfRequest(bytes, offset)) {
            return Opened.ECHO;
        }
        if (!decrypt(key, bytes, offset, offset + REPLY_MAC, offset + Protocol.REPLY_HEADER,
                length - Protocol.REPLY_HEADER)) {
            return Opened.BAD_MAC;
        }
        shared = key;
        return Opened.OK;
    }

    /**
     * Seals a reply. Its plaintext must begin {@link Protocol#REPLY_HEADER} bytes after the offset.
     *
     * @return the number of bytes to send, starting at the offset
     * @throws IndexOutOfBoundsException if header and plaintext do not lie within the array
     * @throws IllegalArgumentException if the length is negative
     */
    public int sealReply(SharedKey key, byte[] bytes, int offset, int plainLength) {
        int length = total(Protocol.REPLY_HEADER, plainLength);
        Objects.checkFromIndexSize(offset, length, bytes.length);
        nonces.reply(bytes, offset);
        begin(key.outgoing(), bytes, offset);
        encrypt(bytes, offset + REPLY_MAC, offset + Protocol.REPLY_HEADER, plainLength);
        return length;
    }

    /**
     * Seals a request. Its plaintext must begin {@link Protocol#REQUEST_HEADER} bytes after the offset.
     *
     * @return the number of bytes to send, starting at the offset
     * @throws IndexOutOfBoundsException if header and plaintext do not lie within the array
     * @throws IllegalArgumentException if the length is negative
     */
    public int sealRequest(ClientSession session, byte[] bytes, int offset, int plainLength) {
        int length = total(Protocol.REQUEST_HEADER, plainLength);
        Objects.checkFromIndexSize(offset, length, bytes.length);
        putHeader(session, bytes, offset);
        nonces.request(bytes, offset + REQUEST_NONCE);
        begin(session.outgoing(), bytes, offset + REQUEST_NONCE);
        encrypt(bytes, offset + REQUEST_MAC, offset + Protocol.REQUEST_HEADER, plainLength);
        return length;
    }

    /** Seals a request with the nonce that is already in the bytes, for tests with known answers. */
    void putRequest(ClientSession session, byte[] bytes, int offset, int plainLength) {
        putHeader(session, bytes, offset);
        encrypt(session.shared(), bytes, offset + REQUEST_NONCE, offset + REQUEST_MAC,
                offset + Protocol.REQUEST_HEADER, plainLength);
    }

    private static void putHeader(ClientSession session, byte[] bytes, int offset) {
        LittleEndian.putInt(bytes, offset, MAGIC);
        LittleEndian.putLong(bytes, offset + KEY_ID, session.server().wireId());
        session.client().copyTo(bytes, offset + CLIENT_KEY);
    }

    private static int total(int header, int plainLength) {
        if (plainLength < 0) {
            throw new IllegalArgumentException("a plaintext of " + plainLength + " bytes");
        }
        return Math.addExact(header, plainLength);
    }

    /** Encrypts in place and writes the authenticator (docs/reference/protocol.md#box-construction). */
    void encrypt(SharedKey key, byte[] bytes, int nonce, int mac, int text, int length) {
        prepare(key, bytes, nonce);
        encrypt(bytes, mac, text, length);
    }

    private void encrypt(byte[] bytes, int mac, int text, int length) {
        ChaCha20.block(state, first);
        ChaCha20.apply(state, block, bytes, text, length);
        poly.mac(first, bytes, text, length);
        poly.writeTag(bytes, mac);
    }

    /**
     * Verifies and then decrypts in place (docs/reference/protocol.md#box-construction). Returns false and leaves the
     * bytes unchanged if the authenticator is wrong.
     */
    boolean decrypt(SharedKey key, byte[] bytes, int nonce, int mac, int text, int length) {
        prepare(key, bytes, nonce);
        ChaCha20.block(state, first);
        poly.mac(first, bytes, text, length);
        if (!poly.verify(bytes, mac)) {
            return false;
        }
        ChaCha20.apply(state, block, bytes, text, length);
        plainOffset = text;
        plainLength = length;
        return true;
    }

    /** Prepares the state of block 0 with the subkey of a nonce. */
    private void prepare(SharedKey key, byte[] bytes, int nonce) {
        ChaCha20.key(state, key.words());
        ChaCha20.input(state, LittleEndian.getInt(bytes, nonce), LittleEndian.getInt(bytes, nonce + 4),
                LittleEndian.getInt(bytes, nonce + 8), LittleEndian.getInt(bytes, nonce + 12));
        ChaCha20.derive(state, block);
        begin(block, bytes, nonce);
    }

    /** Prepares the state of block 0 with a known subkey. */
    private void begin(int[] subkey, byte[] bytes, int nonce) {
        ChaCha20.key(state, subkey);
        ChaCha20.input(state, 0, 0, LittleEndian.getInt(bytes, nonce + 16), LittleEndian.getInt(bytes, nonce + 20));
    }

    private void forget() {
        shared = null;
        serverKey = null;
        plainOffset = 0;
        plainLength = 0;
    }

    /** Returns the offset of the plaintext that was opened last. */
    public int plainOffset() {
        return plainOffset;
    }

    /** Returns the length of the plaintext that was opened last. */
    public int plainLength() {
        return plainLength;
    }

    /**
     * Returns the shared key of the message that was opened last. The caller may keep it to seal the reply.
     *
     * @throws IllegalStateException if the last opening did not succeed
     */
    public SharedKey sharedKey() {
        if (shared == null) {
            throw new IllegalStateException("nothing was opened");
        }
        return shared;
    }

    /**
     * Returns the key pair that opened the last request.
     *
     * @throws IllegalStateException if the last opening did not succeed or was that of a reply
     */
    public KeyPair serverKey() {
        if (serverKey == null) {
            throw new IllegalStateException("no request was opened");
        }
        return serverKey;
    }

    /** Returns the number of requests that were opened with a cached shared key. */
    public long cacheHits() {
        return cache.hits();
    }

    /** Returns the number of shared keys that were computed or rejected. */
    public long cacheMisses() {
        return cache.misses();
    }
}
