package dev.weir.load.socket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.weir.wire.key.PublicKey;

/**
 * A storage and the way to reach it.
 *
 * @param storage the address
 * @param transport UDP or TCP
 * @param sockets number of sockets for each stream of a thread; a storage with several workers assigns requests to them
 *            by socket
 * @param atOnce number of queries that a socket sends before the next socket's turn, from 1 to {@value
 *            QuerySocket#BATCH}, like those of one mail
 * @param sources addresses to send from in turn, for UDP only; empty for the system's choice
 * @param encryption the encryption, if any
 */
public record Target(InetSocketAddress storage, Transport transport, int sockets, int atOnce,
        List<InetAddress> sources, Optional<Encryption> encryption) {
    private static final int MAX_SOCKETS = 4_096;

    /** The transports. */
    public enum Transport {
        /** Datagrams. */
        UDP,
        /** A stream of frames. */
        TCP
    }

    /**
     * The encryption of requests.
     *
     * @param server the storage's key
     * @param clients number of clients, each with its own key, that take turns
     */
    public record Encryption(PublicKey server, int clients) {
        private static final int MAX_CLIENTS = 100_000;

        /** Checks the number of clients. */
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

    /** Returns a target for plain UDP over one socket. */
    public static Target plain(InetSocketAddress storage) {
        return new Target(storage, Transport.UDP, 1, QuerySocket.BATCH, List.of(), Optional.empty());
    }

    /** Returns a target for encrypted UDP over one socket. */
    public static Target encrypted(InetSocketAddress storage, PublicKey key, int clients) {
        return new Target(storage, Transport.UDP, 1, QuerySocket.BATCH, List.of(),
                Optional.of(new Encryption(key, clients)));
    }

    /** Returns a copy with another number of sockets and of queries that each sends at once. */
    public Target withSockets(int number, int queries) {
        return new Target(storage, transport, number, queries, sources, encryption);
    }

    /**
     * Opens the sockets; the caller closes them.
     *
     * @throws IOException if the system refuses or a connection fails
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
