package dev.weir.storage.server;

import java.io.Closeable;
import java.net.InetSocketAddress;

/**
 * A socket and the loop around it. Behind this a receiver that moves many datagrams with one system call can take the
 * place of {@link NioReceiver}.
 */
interface Receiver extends Closeable {
    /** The address that it is bound to. */
    InetSocketAddress address();

    /** Receives, handles and answers until {@link #stop}. */
    void run(DatagramHandler handler);

    /** Makes {@link #run} return after the datagram in hand; replies can still be sent. Any thread may call it. */
    void stop();

    /** Closes the socket. */
    @Override
    void close();
}
