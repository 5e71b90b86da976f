package dev.weir.wire.box;

import java.util.Arrays;
import java.util.Optional;

import dev.weir.wire.key.PublicKey;
import dev.weir.wire.key.Secret;
import dev.weir.wire.key.X25519;

/**
 * The key that two key pairs share: HChaCha20 of their X25519 secret (docs/reference/protocol.md#box-construction).
 * Immutable; its string form is redacted. A caller may keep it to encrypt the reply.
 */
public final class SharedKey {
    private final int[] words;
    private final int[] outgoing;

    /** Computes the key that a secret key and a peer share. Returns empty if the peer's key is of low order. */
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

    /** Returns the subkey for reply nonces from {@link Nonces}. */
    int[] outgoing() {
        return outgoing;
    }

    @Override
    public String toString() {
        return "SharedKey[redacted]";
    }
}
