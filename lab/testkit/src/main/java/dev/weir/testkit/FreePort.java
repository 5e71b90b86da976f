package dev.weir.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
    /** One byte for each port, locked by the JVM that got the port. It stays open: closing it would drop the locks. */
    private static final FileChannel CLAIMS = claims();

    private FreePort() {}

    private static FileChannel claims() {
        try {
            return FileChannel.open(
                    Path.of(System.getProperty("java.io.tmpdir"), "weir-ports-" + System.getProperty("user.name")),
                    StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns a port of the loopback address that no program has, for UDP and TCP. No other call in any JVM of this
     * user returns it as well while this JVM runs, so a program may take its time to open it.
     *
     * @throws IOException if none is found
     */
    public static int find() throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            if (claim(port) && isFree(port)) {
                return port;
            }
        }
        throw new IOException("no port is free for both UDP and TCP");
    }

    private static boolean claim(int port) throws IOException {
        try {
            return CLAIMS.tryLock(port, 1, false) != null;
        } catch (OverlappingFileLockException ours) {
            return false;
        }
    }

    /** Returns whether no program has the port, for UDP and TCP. */
    static boolean isFree(int port) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        // A process that another thread starts now inherits both sockets for some milliseconds. An inherited one with
        // SO_REUSEADDR that does not listen keeps no program from opening the port.
        try (Socket tcp = new Socket(); DatagramSocket udp = new DatagramSocket(null)) {
            tcp.setReuseAddress(true);
            tcp.bind(address);
            udp.bind(address);
            return true;
        } catch (BindException taken) {
            return false;
        }
    }
}
