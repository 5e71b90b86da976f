package dev.weir.bench.peer;

import java.net.InetSocketAddress;

/** A storage that runs as a child process. Closing it kills it. */
public sealed interface Peer extends AutoCloseable permits WeirPeer, RspamdPeer {
    /** Where it answers. */
    InetSocketAddress address();

    /** What its backend holds. */
    Contents contents();

    @Override
    void close();
}
