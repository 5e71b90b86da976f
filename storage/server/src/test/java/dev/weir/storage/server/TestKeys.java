package dev.weir.storage.server;

import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import dev.weir.wire.box.ClientSession;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import dev.weir.wire.key.Secret;
import tools.jackson.databind.JsonNode;

/** The published key pairs of the captured conversations, by name. */
final class TestKeys {
    private final Map<String, KeyPair> pairs = new LinkedHashMap<>();

    static TestKeys of(JsonNode list) {
        TestKeys keys = new TestKeys();
        list.forEach(entry -> keys.pairs.put(entry.get("name").asString(),
                new KeyPair(PublicKey.of(hex(entry.get("pubkey_hex"))), Secret.of(hex(entry.get("privkey_hex"))))));
        return keys;
    }

    private static byte[] hex(JsonNode text) {
        return HexFormat.of().parseHex(text.asString());
    }

    KeyPair pair(String name) {
        return Objects.requireNonNull(pairs.get(name), name);
    }

    ClientSession session(String client, String server) {
        return ClientSession.of(pair(client), pair(server).publicKey()).orElseThrow();
    }
}
