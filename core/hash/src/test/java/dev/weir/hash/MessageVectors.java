package dev.weir.hash;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Test vectors: 102 mails and the output of Rspamd 4.1.6 for each. */
public final class MessageVectors {
    private final JsonNode root;

    private MessageVectors(JsonNode root) {
        this.root = root;
    }

    /** Reads the vectors from the test resources. */
    public static MessageVectors load() {
        return new MessageVectors(JsonMapper.shared().readTree(resource("messages.json")));
    }

    /** Returns the names of the mails. */
    public Iterable<String> names() {
        return root.get("messages").propertyNames();
    }

    /** Returns the expectations for one mail. */
    public JsonNode mail(String name) {
        return root.get("messages").get(name);
    }

    /** Returns the bytes of one mail. */
    public static byte[] bytes(String name) {
        return resource("messages/" + name);
    }

    private static byte[] resource(String name) {
        try (InputStream in = Objects.requireNonNull(MessageVectors.class.getResourceAsStream(name), name)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
