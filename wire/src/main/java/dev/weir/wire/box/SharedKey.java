package dev.weir.wire.box;

import java.util.Arrays;
import java.util.Optional;

import dev.weir.wire.key.PublicKey;
import dev.weir.wire.key.Secret;
import dev.weir.wire.key.X25519;

/**
 * What two key pairs have in common: HChaCha20 of their X25519 secret (docs/reference/protocol.md#box-construction).
 * Immutable and free to be kept for the reply, cannot be printed.
 */
public final class SharedKey {
    private final int[] words;
    private final int[] outgoing;

    /** The key of one's own secret and a peer; empty if the peer's key is of low order and so shares nothing. */
    public static Optional<SharedKey> of(Secret own, PublicKey peer) {
        return X25519.multiply(own, peer.bytes()).map(SharedKey::new);
    }

    private SharedKey(byte[] secret) {
        int[] state = new int[ChaCha20.STATE];
        int[] derived = new int[ChaCha20.STATE];
        ChaCha20.key(state, secret, 0);
        ChaCha20.input(state, 0, 0, 0, 0);
        ChaCha20.derive(state, derived);
        this.words = Arrays.copyOf(derived, 8);
        this.outgoing = Nonces.replies(words);
        Arrays.fill(secret, (byte) 0);
        Arrays.fill(state, 0);
        Arrays.fill(derived, 0);
    }

    int[] words() {
        return words;
    }

    /** What is derived from this key and any nonce that {@link Nonces} gives a reply. */
    int[] outgoing() {
        return outgoing;
    }

    @Override
    public String toString() {
        return "SharedKey[redacted]";
    }
}
