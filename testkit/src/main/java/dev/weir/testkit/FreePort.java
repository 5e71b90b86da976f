package dev.weir.testkit;

import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for programs that must be told theirs. */
public final class FreePort {
    /**
     * Linux assigns the ports from 32768 on to clients. One of them could take a port before the program does: Rspamd
     * needs up to fifteen seconds.
     */
    private static final int FIRST = 20_000;
    private static final int END = 32_768;
    private static final int ATTEMPTS = 100;

    private FreePort() {}

    /**
     * Returns a port of the loopback address that no program has, for UDP and TCP.
     *
     * @throws IOException if none is found
     */
    public static int find() throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            try (ServerSocket tcp = new ServerSocket(); DatagramSocket udp = new DatagramSocket(null)) {
                tcp.bind(address);
                udp.bind(address);
                return port;
            } catch (BindException taken) {
                // Another program has that port.
            }
        }
        throw new IOException("no port is free for both UDP and TCP");
    }
}
