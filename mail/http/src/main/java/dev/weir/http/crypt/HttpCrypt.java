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
 * The server side of HTTPCrypt (docs/reference/rspamd-http.md#httpcrypt). Nonce, authenticator and ciphertext are laid
 * out as in a reply of the fuzzy protocol, in both directions, so the same box opens and seals them. Thread-safe.
 */
public final class HttpCrypt {
    /** Bytes in front of the ciphertext: a nonce of 24 and an authenticator of 16. */
    public static final int OVERHEAD = 40;

    private static final int SHORT_ID = 5;
    /** The maximum length of the header. A longer one than two full identifiers is invalid. */
    private static final int MAX_HEADER = 256;
    private static final int CACHED = 1024;

    private final List<KeyPair> pairs;
    private final SecureRandom random;
    private final LinkedHashMap<Parties, SharedKey> cache = new LinkedHashMap<>(64, 0.75f, true);

    /** The public keys of this server and of a client, which have a shared key. */
    private record Parties(PublicKey server, PublicKey client) {}

    /** Creates the encryption with the key pairs of a server. Without key pairs, no request counts as encrypted. */
    public HttpCrypt(List<KeyPair> pairs, SecureRandom random) {
        this.pairs = List.copyOf(pairs);
        this.random = random;
    }

    /** Returns whether there is a key for decryption. */
    public boolean isEnabled() {
        return !pairs.isEmpty();
    }

    /**
     * Returns the shared key of a client and this server. The key is cached only after {@link #remember} confirmed that
     * the client has it, too. Otherwise anyone could displace the keys of clients by naming other ones.
     *
     * @param header the value of {@code Key}: an identifier of the server's key, {@code =}, the client's public key
     * @return empty if the header names no key of this server, or the client's key is invalid
     */
    public Optional<SharedKey> agree(String header) {
        return pair(header).flatMap(pair -> sender(header).flatMap(client -> shared(pair, client)));
    }

    /** Returns the shared key of a client if it is cached, at no cost. */
    public Optional<SharedKey> known(String header) {
        return pair(header).flatMap(pair -> sender(header).flatMap(client -> cached(pair, client)));
    }

    /** Returns the key pair of this server that a header names. */
    private Optional<KeyPair> pair(String header) {
        int equals = header.indexOf('=');
        if (equals < 0 || header.length() > MAX_HEADER) {
            return Optional.empty();
        }
        return Base32.decode(header.substring(0, equals).strip()).filter(id -> id.length >= SHORT_ID)
                .flatMap(id -> pairs.stream()
                        .filter(pair -> Arrays.equals(pair.publicKey().id(), 0, SHORT_ID, id, 0, SHORT_ID))
                        .findFirst());
    }

    private Optional<SharedKey> cached(KeyPair pair, PublicKey client) {
        synchronized (cache) {
            return Optional.ofNullable(cache.get(new Parties(pair.publicKey(), client)));
        }
    }

    /**
     * Returns the public key that a header {@code Key} names as the client's. Only a body that can be opened proves
     * that the client has this key.
     */
    public static Optional<PublicKey> sender(String header) {
        int equals = header.indexOf('=');
        return equals < 0 || header.length() > MAX_HEADER ? Optional.empty() : client(header);
    }

    private static Optional<PublicKey> client(String header) {
        return PublicKey.parse(header.substring(header.indexOf('=') + 1).strip());
    }

    private Optional<SharedKey> shared(KeyPair pair, PublicKey client) {
        Optional<SharedKey> known = cached(pair, client);
        return known.isPresent() ? known : SharedKey.of(pair.secret(), client);
    }

    /** Caches a key with which {@link #open} succeeded. The header is the one given to {@link #agree}. */
    public void remember(String header, SharedKey key) {
        pair(header).ifPresent(pair -> sender(header).ifPresent(client -> {
            synchronized (cache) {
                cache.put(new Parties(pair.publicKey(), client), key);
                if (cache.size() > CACHED) {
                    cache.pollFirstEntry();
                }
            }
        }));
    }

    /** Returns the number of cached keys. */
    int remembered() {
        synchronized (cache) {
            return cache.size();
        }
    }

    /** Decrypts a body in place. If the authenticator is wrong, returns empty and changes nothing. */
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
