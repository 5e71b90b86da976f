package dev.weir.http.replication;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.weir.storage.replication.ReplicationSettings;

/** A line to a leader on which answers can stop in the middle. */
final class HangingLine implements Closeable {
    private static final byte[] BEGINNING = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc"
            .getBytes(StandardCharsets.US_ASCII);

    private final ServerSocket server = new ServerSocket(0, 64, InetAddress.ofLiteral("127.0.0.1"));
    private final ConcurrentLinkedQueue<Closeable> open = new ConcurrentLinkedQueue<>();
    private final ReplicationSettings.Upstream leader;
    private volatile boolean hangs;
    private volatile boolean hanging;

    private HangingLine(ReplicationSettings.Upstream leader) throws IOException {
        this.leader = leader;
    }

    static HangingLine to(ReplicationSettings.Upstream leader) throws IOException {
        HangingLine line = new HangingLine(leader);
        line.open.add(line.server);
        Thread.ofVirtual().start(line::accept);
        return line;
    }

    ReplicationSettings.Upstream place() {
        return new ReplicationSettings.Upstream("127.0.0.1", server.getLocalPort(), leader.key());
    }

    /** The next answers begin, and stop in the middle. */
    void hang() {
        hangs = true;
    }

    /** Returns whether an answer has stopped. */
    boolean isHanging() {
        return hanging;
    }

    /** New connections work again. */
    void work() {
        hangs = false;
    }

    private void accept() {
        try {
            while (true) {
                Socket near = server.accept();
                open.add(near);
                Socket far = new Socket(leader.host(), leader.port());
                open.add(far);
                Thread.ofVirtual().start(() -> move(near, far, false));
                Thread.ofVirtual().start(() -> move(far, near, true));
            }
        } catch (IOException e) {
            // The test is over.
            return;
        }
    }

    private void move(Socket from, Socket to, boolean answers) {
        byte[] piece = new byte[1 << 16];
        boolean stopped = false;
        try (Socket source = from) {
            InputStream in = source.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                if (answers && hangs && !stopped) {
                    out.write(BEGINNING);
                    stopped = true;
                    hanging = true;
                } else if (!stopped) {
                    out.write(piece, 0, count);
                }
                out.flush();
            }
            if (!stopped) {
                to.close();
            }
        } catch (IOException e) {
            // One side is gone, and the other one notices.
            return;
        }
    }

    @Override
    public void close() throws IOException {
        for (Closeable each : open) {
            each.close();
        }
    }
}
