package dev.weir.storage.server;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The expected plaintext reply to a step. A time in it is absent, marks a change made by this test, or is a given
 * value.
 */
final class Expected {
    private static final int TIME = 80;
    private static final int NOW = -1;

    private final byte[] request;
    private final byte @Nullable [] reply;

    private Expected(byte[] request, byte @Nullable [] reply) {
        this.request = request;
        this.reply = reply;
    }

    static Expected of(JsonNode step) {
        boolean boxed = step.has("server_key");
        byte[] request = HexFormat.of().parseHex(step.get(boxed ? "plain_request" : "request").asString());
        if (step.get("reply").isNull()) {
            return new Expected(request, null);
        }
        byte[] reply = HexFormat.of().parseHex(step.get(boxed ? "plain_reply" : "reply").asString());
        if (reply.length > TIME && words(reply).getInt(TIME) != 0) {
            words(reply).putInt(TIME, NOW);
        }
        if (reply.length == 144) {
            // In Rspamd, entries beyond the count contain leftover data (docs/reference/protocol.md#multi-flag-reply);
            // in Weir, they are zero.
            Arrays.fill(reply, 88 + 8 * reply[84], reply.length, (byte) 0);
        }
        return new Expected(request, reply);
    }

    private static ByteBuffer words(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    Expected withNothing() {
        return new Expected(request, null);
    }

    Expected withText(String text) {
        return new Expected(request, text.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Returns a copy with other fields. If no reply was captured, starts from a zero reply with the request's layout,
     * tag, and digest.
     */
    Expected with(JsonNode fields, float exact) {
        byte[] bytes = reply == null ? empty() : reply.clone();
        ByteBuffer words = words(bytes);
        boolean whole = bytes.length > 16;
        boolean multi = bytes.length == 144;
        fields.propertyStream().forEach(field -> {
            JsonNode value = field.getValue();
            switch (field.getKey()) {
                case "value" -> words.putInt(0, value.asInt());
                case "flag" -> words.putInt(4, value.asInt());
                case "prob" -> words.putFloat(12, value.isString() ? exact : value.floatValue());
                case "digest" -> {
                    if (whole) {
                        words.put(16, value.asString().equals("request")
                                ? Arrays.copyOfRange(request, 12, 76)
                                : HexFormat.of().parseHex(value.asString()));
                    }
                }
                case "ts" -> {
                    if (whole) {
                        words.putInt(TIME, value.isString() ? NOW : value.asInt());
                    }
                }
                case "matched" -> {
                    if (whole) {
                        words.put(multi ? 85 : 84, (byte) value.asInt());
                    }
                }
                case "extras" -> {
                    if (multi) {
                        words.put(84, (byte) value.size());
                        for (int i = 0; i < value.size(); i++) {
                            words.putInt(88 + 8 * i, value.get(i).get(0).asInt());
                            words.putInt(92 + 8 * i, value.get(i).get(1).asInt());
                        }
                    }
                }
                default -> throw new IllegalArgumentException("unknown field " + field.getKey());
            }
        });
        return new Expected(request, bytes);
    }

    private byte[] empty() {
        int generation = request[0] & 0x0f;
        boolean multi = generation == 5 || (generation == 4 && (request[0] & 0x10) != 0);
        byte[] bytes = new byte[multi ? 144 : generation == 4 ? 96 : 16];
        System.arraycopy(request, 8, bytes, 8, 4);
        if (bytes.length > 16) {
            System.arraycopy(request, 12, bytes, 16, 64);
        }
        return bytes;
    }

    boolean matches(byte @Nullable [] actual, long start) {
        if (reply == null || actual == null) {
            return reply == null && actual == null;
        }
        byte[] bytes = actual.clone();
        if (reply.length == bytes.length && reply.length > TIME && words(reply).getInt(TIME) == NOW) {
            int time = words(bytes).getInt(TIME);
            if (time >= start && time <= System.currentTimeMillis() / 1000) {
                words(bytes).putInt(TIME, NOW);
            }
        }
        return Arrays.equals(reply, bytes);
    }

    static String text(byte[] reply) {
        return reply.length + " bytes " + Reply.decode(reply, 0, reply.length).map(Reply::toString).orElse("");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Expected that && Arrays.equals(request, that.request)
                && Arrays.equals(reply, that.reply);
    }

    @Override
    public int hashCode() {
        return Objects.hash(Arrays.hashCode(request), Arrays.hashCode(reply));
    }

    @Override
    public String toString() {
        return reply == null ? "nothing" : text(reply);
    }
}
