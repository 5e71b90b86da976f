package dev.weir.bench.peer;

import java.io.IOException;
import java.net.InetSocketAddress;

/** A storage in a child process; {@code close} kills it. */
public sealed interface PeerProcess extends AutoCloseable permits WeirProcess, RspamdProcess {
    /** Returns the address of the server. */
    InetSocketAddress address();

    /** Returns the contents of the backend. */
    Contents contents();

    /** Returns the process id. */
    long pid();

    /** Sends SIGTERM, waits for the end, and returns the exit status. */
    int terminate() throws IOException, InterruptedException;

    @Override
    void close();
}
