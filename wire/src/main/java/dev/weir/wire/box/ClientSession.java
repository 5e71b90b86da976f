package dev.weir.wire.box;

import java.util.Optional;

import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;

/**
 * A client's side of an encrypted exchange: its own public key and what it shares with one server. Immutable; made once
 * per server and process, since making it costs an X25519.
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

    /** The session of a client's pair with a server; empty if the server's key is of low order. */
    public static Optional<ClientSession> of(KeyPair client, PublicKey server) {
        return SharedKey.of(client.secret(), server)
                .map(shared -> new ClientSession(server, client.publicKey(), shared));
    }

    /** The server's key. */
    public PublicKey server() {
        return server;
    }

    /** The client's own key. */
    public PublicKey client() {
        return client;
    }

    /** What both share. */
    public SharedKey shared() {
        return shared;
    }

    /** What is derived from the shared key and any nonce that {@link Nonces} gives a request. */
    int[] outgoing() {
        return outgoing;
    }

    /** The server's key. */
    @Override
    public String toString() {
        return "ClientSession[server=" + server + "]";
    }
}
