package dev.weir.cli.serve;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** A line to a server that fails for good at the first question after the server has answered with enough bytes. */
final class FailingLine implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final long enough;
    private final AtomicLong answered = new AtomicLong();
    private final Queue<Socket> open = new ConcurrentLinkedQueue<>();

    /**
     * @param target port of the server on this machine
     * @param enough bytes of the server
     */
    FailingLine(int target, long enough) throws IOException {
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.target = target;
        this.enough = enough;
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                open.add(client);
                Socket server = new Socket(listener.getInetAddress(), target);
                open.add(server);
                Thread.ofVirtual().start(() -> copy(client, server, false));
                Thread.ofVirtual().start(() -> copy(server, client, true));
            }
        } catch (IOException closed) {
            close();
        }
    }

    private void copy(Socket from, Socket to, boolean answers) {
        try (from; to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[8192];
            for (int count = in.read(bytes); count > 0; count = in.read(bytes)) {
                if (!answers && answered.get() >= enough) {
                    close();
                    return;
                }
                out.write(bytes, 0, count);
                answered.addAndGet(answers ? count : 0);
            }
        } catch (IOException ended) {
            // The other direction ends with it.
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
