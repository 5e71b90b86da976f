package dev.weir.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import dev.weir.wire.key.Secret;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Messages captured from real servers; {@code meta} in wire.json describes their origin. */
public final class Vectors {
    public static final JsonNode ROOT = read();

    /** A datagram to a server, with the reply. */
    public record Exchange(String scenario, String server, JsonNode step) {
        public String label() {
            return scenario + ": " + step.path("label").asString();
        }

        public byte[] request() {
            return bytes(step.path("request").asString());
        }

        public byte @Nullable [] reply() {
            return step.path("reply").isNull() ? null : bytes(step.path("reply").asString());
        }

        public boolean answered() {
            return !step.path("reply").isNull();
        }

        public boolean stream() {
            return step.path("transport").asString().equals("tcp");
        }

        public boolean encrypted() {
            return step.has("encryption");
        }

        public JsonNode encryption() {
            return step.path("encryption");
        }

        @Override
        public String toString() {
            return label();
        }
    }

    private Vectors() {}

    private static JsonNode read() {
        try (InputStream in = Objects.requireNonNull(Vectors.class.getResourceAsStream("wire.json"))) {
            return JsonMapper.shared().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    public static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    public static List<JsonNode> list(String name) {
        return List.copyOf(ROOT.path(name).values());
    }

    public static List<Exchange> exchanges() {
        List<Exchange> all = new ArrayList<>();
        for (JsonNode scenario : ROOT.path("scenarios")) {
            for (JsonNode step : scenario.path("steps")) {
                if (step.has("request")) {
                    all.add(new Exchange(scenario.path("name").asString(), scenario.path("server_version").asString(),
                            step));
                }
            }
        }
        return all;
    }

    public static KeyPair keyPair(String name) {
        for (JsonNode key : ROOT.path("keypairs")) {
            if (key.path("name").asString().equals(name)) {
                return new KeyPair(PublicKey.of(bytes(key.path("pubkey_hex").asString())),
                        Secret.of(bytes(key.path("privkey_hex").asString())));
            }
        }
        throw new IllegalArgumentException(name);
    }
}
