package dev.weir.http.control;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

import dev.weir.http.controller.Json;
import dev.weir.storage.access.RateLimit;
import dev.weir.storage.access.gate.AccessReport;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.StorageStats;
import dev.weir.storage.stats.ClientReport;
import dev.weir.storage.stats.Counts;
import dev.weir.storage.stats.GenerationCounts;
import dev.weir.wire.ProtocolVersion;
import dev.weir.wire.key.Base32;
import dev.weir.wire.key.PublicKey;
import org.bouncycastle.crypto.digests.Blake2bDigest;
import tools.jackson.core.JsonGenerator;

/**
 * The statistics of a storage in the form that {@code rspamadm control fuzzystat} reads
 * (docs/reference/storage.md#control-socket). Keys appear with their public halves only. Arrays have the five members
 * for which the labels of that program are right: 0.6, 0.8, 0.9, 1.0, and 1.7 together with 4.0.
 */
final class FuzzyStat {
    private static final int ID_LENGTH = 31;
    private static final Comparator<InetAddress> BY_TEXT = Comparator.comparing(InetAddress::getHostAddress);

    private final JsonGenerator json;

    private FuzzyStat(JsonGenerator json) {
        this.json = json;
    }

    /** Writes the members of one worker, after its type. */
    static void write(JsonGenerator json, StorageStats stats, AccessReport report, Path database) {
        new FuzzyStat(json).worker(stats, report, database);
    }

    private void worker(StorageStats stats, AccessReport report, Path database) {
        json.writeNumberProperty("status", 0);
        json.writeObjectPropertyStart("data");
        json.writeObjectPropertyStart("keys");
        report.keys().forEach((name, key) -> {
            json.writeObjectPropertyStart(name.statName());
            clients(key.clients());
            key(name, key);
            json.writeEndObject();
        });
        Json.object(json, "unkeyed", () -> clients(report.unkeyed()));
        json.writeEndObject();
        general(stats);
        Json.object(json, "errors_ips", () -> sorted(report.invalid())
                .forEach((address, count) -> json.writeNumberProperty(address.getHostAddress(), count)));
        generations("fuzzy_checked", report.generations(), GenerationCounts::checked);
        generations("fuzzy_shingles", report.generations(), GenerationCounts::shingles);
        generations("fuzzy_found", report.generations(), GenerationCounts::found);
        json.writeEndObject();
        json.writeStringProperty("id", id(database));
    }

    private void general(StorageStats stats) {
        json.writeNumberProperty("fuzzy_stored", stats.engine().hashes());
        json.writeNumberProperty("fuzzy_expired", stats.engine().updates().expired());
        json.writeNumberProperty("invalid_requests", sum(stats, Counter.DROPPED_TOO_SHORT, Counter.DROPPED_VERSION,
                Counter.DROPPED_LENGTH, Counter.DROPPED_SHINGLES, Counter.DROPPED_EXTENSION, Counter.DROPPED_INTERNAL,
                Counter.CONNECTION_BAD_FRAME));
        json.writeNumberProperty("delayed_hashes", stats.get(Counter.DELAYED));
        json.writeNumberProperty("blocked_requests",
                sum(stats, Counter.DROPPED_BLOCKED, Counter.BLOCKED, Counter.CONNECTION_BLOCKED));
        json.writeNumberProperty("decrypt_errors",
                sum(stats, Counter.DROPPED_NO_KEY, Counter.DROPPED_WEAK_KEY, Counter.DROPPED_ECHO,
                        Counter.DROPPED_MAC));
        json.writeNumberProperty("ratelimited_requests",
                sum(stats, Counter.RATE_LIMITED, Counter.DROPPED_LIMITED, Counter.DROPPED_NEW_KEYS));
    }

    private static long sum(StorageStats stats, Counter... counters) {
        long sum = 0;
        for (Counter counter : counters) {
            sum += stats.get(counter);
        }
        return sum;
    }

    private void clients(ClientReport clients) {
        counts(clients.total(), clients.checkedPerHour(), clients.matchedPerHour());
        Json.object(json, "ips", () -> sorted(clients.addresses())
                .forEach((address, counts) -> record(address.getHostAddress(), counts)));
        Json.object(json, "flags", () -> clients.flags().forEach((flag, counts) -> record(flag.toString(), counts)));
    }

    private void record(String name, Counts counts) {
        Json.object(json, name, () -> counts(counts, 0, 0));
    }

    private void counts(Counts counts, double checkedPerHour, double matchedPerHour) {
        json.writeNumberProperty("checked", counts.checked());
        json.writeNumberProperty("checked_per_hour", checkedPerHour);
        json.writeNumberProperty("matched", counts.matched());
        json.writeNumberProperty("matched_per_hour", matchedPerHour);
        json.writeNumberProperty("added", counts.added());
        json.writeNumberProperty("deleted", counts.deleted());
        json.writeNumberProperty("errors", counts.errors());
    }

    private void key(PublicKey name, AccessReport.Key key) {
        json.writeObjectPropertyStart("keypair");
        json.writeStringProperty("pubkey", name.base32());
        json.writeStringProperty("id", Base32.encode(name.id()));
        json.writeStringProperty("algorithm", "curve25519");
        json.writeStringProperty("type", "kex");
        AccessReport.Limit limit = key.limit();
        if (!key.name().isEmpty() || !key.email().isEmpty() || limit != null) {
            Json.object(json, "extensions", () -> {
                property("name", key.name());
                property("email", key.email());
                if (limit != null) {
                    // Written as an object, because the report of Rspamd 4.1 fails for a text.
                    limit(limit.limit());
                }
            });
        }
        json.writeEndObject();
        if (limit != null) {
            json.writeObjectPropertyStart("ratelimit");
            json.writeNumberProperty("cur", limit.level());
            json.writeNumberProperty("last", limit.last());
            json.writeEndObject();
        }
    }

    private void property(String name, String text) {
        if (!text.isEmpty()) {
            json.writeStringProperty(name, text);
        }
    }

    private void limit(RateLimit limit) {
        json.writeObjectPropertyStart("ratelimit");
        json.writeNumberProperty("burst", limit.burst());
        json.writeNumberProperty("rate", limit.rate());
        json.writeEndObject();
    }

    private void generations(String name, Map<ProtocolVersion, GenerationCounts> counts,
            ToLongFunction<GenerationCounts> which) {
        json.writeArrayPropertyStart(name);
        for (ProtocolVersion epoch : new ProtocolVersion[]{ProtocolVersion.V0_6, ProtocolVersion.V0_8,
            ProtocolVersion.V0_9, ProtocolVersion.V1_0}) {
            json.writeNumber(number(counts, epoch, which));
        }
        json.writeNumber(number(counts, ProtocolVersion.V1_7, which) + number(counts, ProtocolVersion.V4_0, which));
        json.writeEndArray();
    }

    private static long number(Map<ProtocolVersion, GenerationCounts> counts, ProtocolVersion epoch,
            ToLongFunction<GenerationCounts> which) {
        GenerationCounts of = counts.get(epoch);
        return of == null ? 0 : which.applyAsLong(of);
    }

    private static <T> Map<InetAddress, T> sorted(Map<InetAddress, T> map) {
        Map<InetAddress, T> sorted = new TreeMap<>(BY_TEXT);
        sorted.putAll(map);
        return sorted;
    }

    /** Returns the identifier by which that program groups workers with the same hashes. */
    private static String id(Path database) {
        byte[] path = database.toString().getBytes(StandardCharsets.UTF_8);
        Blake2bDigest hash = new Blake2bDigest(512);
        hash.update(path, 0, path.length);
        byte[] digest = new byte[hash.getDigestSize()];
        hash.doFinal(digest, 0);
        return HexFormat.of().formatHex(digest).substring(0, ID_LENGTH);
    }
}
