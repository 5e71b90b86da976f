package dev.weir.storage.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;

import dev.weir.testkit.StreamClient;
import dev.weir.testkit.UdpClient;
import dev.weir.wire.Generation;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.Opened;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A client that exchanges raw bytes. */
final class TestClient {
    /** The timeout for an expected reply in milliseconds. */
    private static final int TIMEOUT = 10_000;

    /** The timeout for the disk in milliseconds. */
    private static final int UPDATE_TIMEOUT = 2_000;

    /** The tag of the ping that follows each request. */
    private static final int FENCE = 0x0feece01;

    private TestClient() {}

    /** Sends the request of a step and returns the plaintext reply, or null if there is none. */
    static byte @Nullable [] exchange(InetSocketAddress server, JsonNode step, TestKeys keys) throws IOException {
        byte[] request = HexFormat.of().parseHex(step.get("request").asString());
        if (step.get("transport").asString().equals("tcp")) {
            return decrypted(overTcp(server, request), step, keys);
        }
        String source = step.has("source_ip") ? step.get("source_ip").asString() : "127.0.0.1";
        return decrypted(exchange(server, InetAddress.ofLiteral(source), request, isUpdate(step)), step, keys);
    }

    private static byte @Nullable [] decrypted(byte @Nullable [] reply, JsonNode step, TestKeys keys)
            throws IOException {
        if (reply == null || !step.has("server_key")) {
            return reply;
        }
        Box box = new Box(new SecureRandom());
        var session = keys.session(step.get("client_key").asString(), step.get("server_key").asString());
        if (box.openReply(session.shared(), reply, 0, reply.length) != Opened.OK) {
            throw new IOException("the client cannot decrypt the reply");
        }
        return Arrays.copyOfRange(reply, box.plainOffset(), box.plainOffset() + box.plainLength());
    }

    private static boolean isUpdate(JsonNode step) {
        String plain = step.get(step.has("server_key") ? "plain_request" : "request").asString();
        boolean update = plain.startsWith("01", 2) || plain.startsWith("02", 2);
        return update && !step.get("reply").isNull();
    }

    /** Sends a request and a ping. Replies on a connection arrive in order. */
    private static byte @Nullable [] overTcp(InetSocketAddress server, byte[] request) throws IOException {
        try (StreamClient client = new StreamClient(server)) {
            client.sendRaw(StreamClient.framed(request, fence()));
            byte[] reply = client.receive();
            return isFence(reply) ? null : reply;
        }
    }

    private static byte[] fence() {
        byte[] ping = new byte[76];
        return Arrays.copyOf(ping,
                new CommandWriter().begin(ping, 0, Generation.V4, CommandCode.PING).tag(FENCE).end());
    }

    /**
     * Sends a request and a ping. One thread answers in order, so if the ping is answered first, the request is never
     * answered. Another thread answers updates, so for them this waits a little longer.
     */
    static byte @Nullable [] exchange(InetSocketAddress server, InetAddress source, byte[] request,
            boolean update) throws IOException {
        try (UdpClient client = new UdpClient(server, source.getHostAddress(), TIMEOUT)) {
            client.sendRaw(request);
            client.sendRaw(fence());
            byte[] reply = client.receiveRaw();
            if (!isFence(reply)) {
                return reply;
            }
            if (!update) {
                return null;
            }
            // The disk may be slow. Missing replies are rare, so waiting for them is acceptable.
            client.timeout(UPDATE_TIMEOUT);
            return client.receiveRaw();
        } catch (SocketTimeoutException nothing) {
            return null;
        }
    }

    private static boolean isFence(byte[] reply) {
        return Reply.decode(reply, 0, reply.length).filter(decoded -> decoded.tag() == FENCE).isPresent();
    }

    /** Adds to a flag and waits until the update is stored. */
    static void write(InetSocketAddress server, String digest, int flag, int value) throws IOException {
        byte[] bytes = new byte[76];
        int length = new CommandWriter().begin(bytes, 0, Generation.V4, CommandCode.WRITE).flag(flag).value(value)
                .digest(HexFormat.of().parseHex(digest), 0).end();
        byte[] reply = exchange(server, InetAddress.ofLiteral("127.0.0.1"), Arrays.copyOf(bytes, length), true);
        if (reply == null || !Reply.decode(reply, 0, reply.length).orElseThrow().isMatch()) {
            throw new IOException("not stored");
        }
    }
}
