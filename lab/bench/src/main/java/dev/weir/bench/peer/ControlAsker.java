package dev.weir.bench.peer;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client of the control socket of a storage with one worker, one request on each connection. */
final class ControlAsker {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private ControlAsker() {}

    /**
     * Sends a command and returns what the worker answers.
     *
     * @param target such as {@code /status}
     * @throws IOException if the storage does not answer, or not with JSON
     */
    static JsonNode ask(Path socket, String target) throws IOException {
        String reply;
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            ByteBuffer request = ByteBuffer.wrap(
                    ("GET " + target + " HTTP/1.0\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            while (request.hasRemaining()) {
                channel.write(request);
            }
            reply = new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
        }
        int body = reply.indexOf("\r\n\r\n");
        if (body < 0) {
            throw new IOException(socket + " does not answer " + target + " with HTTP: " + reply);
        }
        JsonNode workers;
        try {
            workers = JSON.readTree(reply.substring(body + 4)).path("workers");
        } catch (JacksonException e) {
            throw new IOException(socket + " does not answer " + target + " with JSON: " + reply, e);
        }
        if (workers.isEmpty()) {
            throw new IOException(socket + " has no worker yet: " + reply);
        }
        return workers.iterator().next();
    }
}
