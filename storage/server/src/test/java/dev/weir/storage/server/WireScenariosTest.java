package dev.weir.storage.server;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

import dev.weir.model.Digest;
import dev.weir.model.Networks;
import dev.weir.storage.StorageException;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.DigestSet;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.KeyRules;
import dev.weir.storage.access.Operation;
import dev.weir.storage.access.ReplyRules;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.engine.BackendKind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Replays captured conversations with Rspamd storages (1.9.4, 3.4, 4.1.6; SQLite and Redis) against a real server over
 * UDP. Each reply must equal the captured one byte for byte, apart from times, which are compared by meaning, and the
 * deviations listed in {@code deviations.json} with their steps, fields, and reasons. The test fails for an unlisted
 * deviation and for a row that is no longer needed.
 */
class WireScenariosTest {
    @TempDir
    private @Nullable Path folder;

    private int identical;
    private int meant;
    private int later;
    private final List<String> unexplained = new ArrayList<>();

    @Test
    void repliesMatchRspamdExceptForListedDeviations() throws Exception {
        JsonNode vectors = read("wire-scenarios.json");
        TestKeys keys = TestKeys.of(vectors.get("keypairs"));
        List<Deviation> deviations = new ArrayList<>();
        read("deviations.json").forEach(row -> deviations.add(new Deviation(row)));
        Set<Deviation> used = new LinkedHashSet<>();
        int number = 0;
        for (JsonNode scenario : vectors.get("scenarios")) {
            number++;
            play(scenario, keys, deviations, used, Objects.requireNonNull(folder).resolve("s" + number));
        }
        deviations.stream().filter(row -> !used.contains(row))
                .forEach(row -> unexplained.add("no longer needed: " + row));
        int all = identical + meant + later;
        System.out.printf("wire: %d of %d replies identical, %d intended deviations, %d not implemented%n", identical,
                all, meant, later);
        assertThat(unexplained).isEmpty();
        assertThat(all).isEqualTo(428);
    }

    private void play(JsonNode scenario, TestKeys keys, List<Deviation> deviations, Set<Deviation> used, Path data)
            throws IOException, StorageException {
        String name = scenario.get("name").asString();
        long start = System.currentTimeMillis() / 1000;
        StorageConfig config = config(scenario.get("config"), keys, data);
        try (StorageServer server = new StorageServer(
                config.withAccess(Access.DEFAULT.withUpdateSources(config.access().updates().sources())))) {
            InetSocketAddress address = server.start();
            preload(scenario.get("config"), address);
            // Only now apply the rules, because updates of hidden flags are not acknowledged.
            server.reconfigure(config.access());
            for (JsonNode step : scenario.get("steps")) {
                String label = step.get("label").asString();
                Expected captured = Expected.of(step);
                byte @Nullable [] actual = TestClient.exchange(address, step, keys);
                List<Deviation> rows = deviations.stream().filter(row -> row.concerns(name, label)).toList();
                Expected wanted = captured;
                for (Deviation row : rows) {
                    Expected changed = row.apply(wanted, label);
                    if (!changed.equals(wanted)) {
                        used.add(row);
                    }
                    wanted = changed;
                }
                boolean same = captured.matches(actual, start);
                if (rows.stream().anyMatch(Deviation::later)) {
                    rows.stream().filter(Deviation::later).filter(row -> !same).forEach(used::add);
                    later++;
                    if (same) {
                        unexplained.add(name + " / " + label + ": listed as not implemented, but answered as captured");
                    }
                } else if (same && wanted.equals(captured)) {
                    identical++;
                } else if (wanted.matches(actual, start)) {
                    meant++;
                } else {
                    unexplained.add(name + " / " + label + "\n  wanted " + wanted + "\n  actual "
                            + (actual == null ? "nothing" : Expected.text(actual)));
                }
            }
        }
    }

    private static StorageConfig config(JsonNode config, TestKeys keys, Path data) {
        Access access = Access.DEFAULT.withKeys(serverKeys(config.get("keypairs"), keys))
                .withUpdateSources(networks(config, "allow_update")).withBlocked(networks(config, "blocked"))
                .withEncryptedOnly(config.has("encrypted_only") && config.get("encrypted_only").asBoolean())
                .withAnswers(ReplyRules.ALL.withForbidden(flags(config))
                        .withSkipped(DigestSet.of(texts(config, "skip_hashes").stream()
                                .map(hex -> Digest.read(HexFormat.of().parseHex(hex), 0)).toList())));
        return StorageConfig.of(data)
                .withBackend(BackendKind.STORE).withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))
                .withAccess(access);
    }

    /** Reads names of keys, or an object of keys with their options. The last key is the default. */
    private static List<ServerKey> serverKeys(@Nullable JsonNode pairs, TestKeys keys) {
        if (pairs == null) {
            // The captured server had no keys.
            return List.of();
        }
        if (pairs.isArray()) {
            return pairs.valueStream().map(name -> ServerKey.of(keys.pair(name.asString()))).toList();
        }
        return pairs.propertyStream()
                .map(entry -> new ServerKey(keys.pair(entry.getKey()), rules(entry.getValue()))).toList();
    }

    private static KeyRules rules(JsonNode options) {
        KeyRules rules = KeyRules.DEFAULT;
        if (options.has("forbidden_ids") && !options.get("forbidden_ids").isNull()) {
            rules = rules.withForbidden(flags(options));
        }
        if (options.has("allowed_ops")) {
            rules = rules.withAllowed(texts(options, "allowed_ops").stream()
                    .map(text -> Operation.valueOf(text.toUpperCase(Locale.ROOT))).toArray(Operation[]::new));
        }
        if (options.has("expire")) {
            LocalDate day = LocalDate.parse(options.get("expire").asString(),
                    DateTimeFormatter.ofPattern("dd-MM-yyyy", Locale.ROOT));
            rules = rules.withExpires(day.atStartOfDay(ZoneOffset.UTC).toInstant());
        }
        return rules;
    }

    private static FlagSet flags(JsonNode options) {
        return options.has("forbidden_ids")
                ? FlagSet.of(options.get("forbidden_ids").valueStream().map(JsonNode::asInt).toList())
                : FlagSet.none();
    }

    private static Networks networks(JsonNode config, String option) {
        return Networks.perFamily(texts(config, option).toArray(String[]::new));
    }

    private static List<String> texts(JsonNode config, String option) {
        return config.has(option)
                ? config.get(option).valueStream().map(JsonNode::asString).toList()
                : List.of();
    }

    /** Learns the hashes that the captured server found in its Redis. */
    private static void preload(JsonNode config, InetSocketAddress address) throws IOException {
        if (!config.has("redis_preload")) {
            return;
        }
        for (JsonNode entry : config.get("redis_preload")) {
            String key = entry.get("key_hex").asString();
            String digest = key.substring(key.length() - 128);
            JsonNode hash = entry.get("hash");
            for (String slot : List.of("", "1", "2", "3")) {
                if (hash.has("F" + slot)) {
                    TestClient.write(address, digest, hash.get("F" + slot).asInt(), hash.get("V" + slot).asInt());
                }
            }
        }
    }

    private static JsonNode read(String resource) throws IOException {
        try (InputStream in = Objects
                .requireNonNull(WireScenariosTest.class.getResourceAsStream(resource), resource)) {
            return JsonMapper.shared().readTree(in);
        }
    }
}
