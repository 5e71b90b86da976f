package dev.weir.bench.peer;

import java.net.InetSocketAddress;

/** A storage that runs as a child process. Closing it kills it. */
public sealed interface PeerProcess extends AutoCloseable permits WeirProcess, RspamdProcess {
    /** Where it answers. */
    InetSocketAddress address();

    /** What its backend holds. */
    Contents contents();

    @Override
    void close();
}
