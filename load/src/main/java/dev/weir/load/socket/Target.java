package dev.weir.load.socket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.weir.wire.key.PublicKey;

/**
 * A storage, and how it is asked.
 *
 * @param storage its address
 * @param transport UDP or TCP
 * @param sockets so many for each stream of a thread: a storage with several workers deals requests out by socket
 * @param atOnce queries that a socket sends before it is the turn of another, 1..{@value QuerySocket#BATCH}: those of
 * one mail
 * @param sources the addresses to send from in turns, UDP only; none for the system's choice
 * @param encryption for encrypted requests
 */
public record Target(InetSocketAddress storage, Transport transport, int sockets, int atOnce,
        List<InetAddress> sources, Optional<Encryption> encryption) {
    private static final int MAX_SOCKETS = 4_096;

    /** What carries requests. */
    public enum Transport {
        /** Datagrams. */
        UDP,
        /** A stream of frames. */
        TCP
    }

    /**
     * Encrypted requests.
     *
     * @param server the storage's key
     * @param clients how many clients, each with a key of its own, take turns
     */
    public record Encryption(PublicKey server, int clients) {
        private static final int MAX_CLIENTS = 100_000;

        /** Checks the number. */
        public Encryption {
            if (clients < 1 || clients > MAX_CLIENTS) {
                throw new IllegalArgumentException(clients + " clients are not between 1 and " + MAX_CLIENTS);
            }
        }
    }

    /** Checks the numbers. */
    public Target {
        sources = List.copyOf(sources);
        if (sockets < 1 || sockets > MAX_SOCKETS) {
            throw new IllegalArgumentException(sockets + " sockets are not between 1 and " + MAX_SOCKETS);
        }
        QuerySocket.checkAtOnce(atOnce);
        if (!sources.isEmpty() && transport != Transport.UDP) {
            throw new IllegalArgumentException("source addresses can be chosen for UDP only");
        }
    }

    /** UDP in the clear over one socket. */
    public static Target plain(InetSocketAddress storage) {
        return new Target(storage, Transport.UDP, 1, QuerySocket.BATCH, List.of(), Optional.empty());
    }

    /** UDP, encrypted, over one socket. */
    public static Target encrypted(InetSocketAddress storage, PublicKey key, int clients) {
        return new Target(storage, Transport.UDP, 1, QuerySocket.BATCH, List.of(),
                Optional.of(new Encryption(key, clients)));
    }

    /** As this, with so many sockets, each of which sends so many queries at once. */
    public Target withSockets(int number, int queries) {
        return new Target(storage, transport, number, queries, sources, encryption);
    }

    /**
     * Opens the sockets; the caller closes them.
     *
     * @throws IOException if the system refuses or nothing accepts a connection
     */
    public List<QuerySocket> open(int maxBytes) throws IOException {
        List<QuerySocket> opened = new ArrayList<>();
        try {
            for (int i = 0; i < sockets; i++) {
                opened.add(switch (transport) {
                    case UDP ->
                        QuerySocket.udp(storage, sources.isEmpty() ? null : sources.get(i % sources.size()), maxBytes);
                    case TCP -> QuerySocket.tcp(storage, maxBytes);
                });
            }
            return opened;
        } catch (Throwable e) {
            opened.forEach(QuerySocket::close);
            throw e;
        }
    }
}
