package dev.weir.cli.socket;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

import dev.weir.model.failure.Reason;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client of a control socket: one HTTP request on each connection (docs/reference/storage.md#control-socket). */
public final class ControlClient {
    private static final int MAX_REPLY = 256 << 20;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Path socket;
    private final Duration timeout;

    /**
     * Creates a client without connecting.
     *
     * @param timeout the time limit for a request and its reply together
     */
    public ControlClient(Path socket, Duration timeout) {
        this.socket = socket;
        this.timeout = timeout;
    }

    /**
     * Sends a request and returns its reply.
     *
     * @param target path and query
     * @return the reply, which may be an error of the command
     * @throws IOException with a message for the operator, if nothing listens, no reply comes in time, or the reply is
     *         not JSON
     */
    public JsonNode ask(String target) throws IOException {
        String reply = exchange("GET " + target + " HTTP/1.0\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        int body = reply.indexOf("\r\n\r\n");
        if (!reply.startsWith("HTTP/1.") || body < 0) {
            throw new IOException("the reply of " + socket + " is not HTTP; is it a control socket?");
        }
        try {
            return JSON.readTree(reply.substring(body + 4));
        } catch (JacksonException e) {
            throw new IOException("the reply of " + socket + " is not JSON: "
                    + reply.substring(0, reply.indexOf("\r\n")), e);
        }
    }

    private String exchange(String request) throws IOException {
        long end = System.nanoTime() + timeout.toNanos();
        ByteArrayOutputStream reply = new ByteArrayOutputStream();
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                Selector ready = Selector.open()) {
            connect(channel);
            channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
            channel.configureBlocking(false);
            channel.register(ready, SelectionKey.OP_READ);
            ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
            while (true) {
                long left = Duration.ofNanos(end - System.nanoTime()).toMillis();
                if (left <= 0) {
                    throw new IOException(socket + " does not answer within " + timeout.toSeconds() + " s");
                }
                ready.select(left);
                ready.selectedKeys().clear();
                int count = channel.read(buffer.clear());
                if (count < 0) {
                    return reply.toString(StandardCharsets.UTF_8);
                }
                reply.write(buffer.array(), 0, count);
                if (reply.size() > MAX_REPLY) {
                    throw new IOException("the reply of " + socket + " is too long");
                }
            }
        }
    }

    private void connect(SocketChannel channel) throws IOException {
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
        } catch (IOException e) {
            throw new IOException("nothing listens on " + socket + " (" + Reason.of(e)
                    + "). Is the storage running, and may this user open the socket?", e);
        }
    }
}
