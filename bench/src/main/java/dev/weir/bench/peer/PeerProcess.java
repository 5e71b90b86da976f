package dev.weir.bench.peer;

import java.net.InetSocketAddress;

/** A storage in a child process; {@code close} kills it. */
public sealed interface PeerProcess extends AutoCloseable permits WeirProcess, RspamdProcess {
    /** Returns the address of the server. */
    InetSocketAddress address();

    /** Returns the contents of the backend. */
    Contents contents();

    @Override
    void close();
}
