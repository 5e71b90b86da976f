package dev.weir.http.crypt;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

import dev.weir.wire.box.Box;
import dev.weir.wire.box.Opened;
import dev.weir.wire.box.SharedKey;
import dev.weir.wire.key.Base32;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;

/**
 * The server side of HTTPCrypt (docs/reference/http.md#httpcrypt). Nonce, authenticator and ciphertext are laid out as
 * in a reply of the fuzzy protocol, in both directions, so the same box opens and seals them. Thread-safe.
 */
public final class HttpCrypt {
    /** Bytes in front of the ciphertext: a nonce of 24 and an authenticator of 16. */
    public static final int OVERHEAD = 40;

    private static final int SHORT_ID = 5;
    /** A header longer than two full identifiers is invalid. */
    private static final int MAX_HEADER = 256;
    private static final int CACHED = 1024;

    private final List<KeyPair> pairs;
    private final SecureRandom random;
    private final LinkedHashMap<PublicKey, SharedKey> cache = new LinkedHashMap<>(64, 0.75f, true);

    /** Encryption with the key pairs of a server; with none, no request is taken for encrypted. */
    public HttpCrypt(List<KeyPair> pairs, SecureRandom random) {
        this.pairs = List.copyOf(pairs);
        this.random = random;
    }

    /** Returns whether there is a key to decrypt with. */
    public boolean isEnabled() {
        return !pairs.isEmpty();
    }

    /**
     * The key that a client and this server share. It is kept for the next request only once {@link #remember} says
     * that the
     * client has it, too: else anyone could displace the keys of clients by naming others.
     *
     * @param header the value of {@code Key}: an identifier of the server's key, {@code =}, the client's public key
     * @return empty if it names no key of this server, or the client's is not a key
     */
    public Optional<SharedKey> agree(String header) {
        int equals = header.indexOf('=');
        if (equals < 0 || header.length() > MAX_HEADER) {
            return Optional.empty();
        }
        Optional<PublicKey> client = client(header);
        Optional<byte[]> id = Base32.decode(header.substring(0, equals).strip());
        if (client.isEmpty() || id.isEmpty() || id.get().length < SHORT_ID) {
            return Optional.empty();
        }
        return pairs.stream()
                .filter(pair -> Arrays.equals(pair.publicKey().id(), 0, SHORT_ID, id.get(), 0, SHORT_ID))
                .findFirst()
                .flatMap(pair -> shared(pair, client.get()));
    }

    private static Optional<PublicKey> client(String header) {
        return PublicKey.parse(header.substring(header.indexOf('=') + 1).strip());
    }

    private Optional<SharedKey> shared(KeyPair pair, PublicKey client) {
        synchronized (cache) {
            SharedKey known = cache.get(client);
            if (known != null) {
                return Optional.of(known);
            }
        }
        return SharedKey.of(pair.secret(), client);
    }

    /** Keeps a key with which {@link #open} succeeded; {@code header} is what {@link #agree} made it of. */
    public void remember(String header, SharedKey key) {
        if (pairs.size() > 1) {
            // The cache does not say with which of them it was agreed.
            return;
        }
        client(header).ifPresent(client -> {
            synchronized (cache) {
                cache.put(client, key);
                if (cache.size() > CACHED) {
                    cache.pollFirstEntry();
                }
            }
        });
    }

    /** How many keys are kept. */
    int remembered() {
        synchronized (cache) {
            return cache.size();
        }
    }

    /** Opens what a client has sealed, in place; empty, and nothing changed, if the authenticator is wrong. */
    public Optional<byte[]> open(SharedKey key, byte[] body) {
        Box box = new Box(random, 1);
        return box.openReply(key, body, 0, body.length) == Opened.OK
                ? Optional.of(Arrays.copyOfRange(body, box.plainOffset(), box.plainOffset() + box.plainLength()))
                : Optional.empty();
    }

    /** Seals a reply. */
    public byte[] seal(SharedKey key, byte[] plain) {
        byte[] sealed = new byte[OVERHEAD + plain.length];
        System.arraycopy(plain, 0, sealed, OVERHEAD, plain.length);
        new Box(random, 1).sealReply(key, sealed, 0, plain.length);
        return sealed;
    }
}
