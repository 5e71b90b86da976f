package dev.weir.wire.box;

import java.util.Optional;

import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;

/**
 * The client's side of an encrypted exchange: the client's public key and the key that it shares with one server.
 * Immutable. Create one for each server and reuse it, because each one costs an X25519 computation.
 */
public final class ClientSession {
    private final PublicKey server;
    private final PublicKey client;
    private final SharedKey shared;
    private final int[] outgoing;

    private ClientSession(PublicKey server, PublicKey client, SharedKey shared) {
        this.server = server;
        this.client = client;
        this.shared = shared;
        this.outgoing = Nonces.requests(shared.words());
    }

    /** Creates the session of a client's key pair with a server. Returns empty if the server's key is of low order. */
    public static Optional<ClientSession> of(KeyPair client, PublicKey server) {
        return SharedKey.of(client.secret(), server)
                .map(shared -> new ClientSession(server, client.publicKey(), shared));
    }

    /** Returns the server's key. */
    public PublicKey server() {
        return server;
    }

    /** Returns the client's public key. */
    public PublicKey client() {
        return client;
    }

    /** Returns the shared key. */
    public SharedKey shared() {
        return shared;
    }

    /** Returns the subkey of the shared key for request nonces from {@link Nonces}. */
    int[] outgoing() {
        return outgoing;
    }

    /** Returns a text with the server's public key only. */
    @Override
    public String toString() {
        return "ClientSession[server=" + server + "]";
    }
}
