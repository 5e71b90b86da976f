package dev.weir.http.data;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

import dev.weir.http.controller.Json;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.model.Digest;
import dev.weir.model.Network;
import dev.weir.model.Networks;
import dev.weir.model.failure.Reason;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.NetworkLimit;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.access.gate.AccessReport;
import dev.weir.storage.access.gate.SkipList;
import dev.weir.storage.server.StorageServer;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JsonGenerator;

/** Who may do what, who is refused at present, and the skip list. It shows public keys only. */
final class AccessAdmin {
    private static final Logger LOG = LoggerFactory.getLogger(AccessAdmin.class);
    private static final Duration LONGEST = Duration.ofDays(3650);

    private final StorageServer storage;

    AccessAdmin(StorageServer storage) {
        this.storage = storage;
    }

    /** Answers with the rules in force, the keys, the refused networks and the skip list. */
    HttpReply show() {
        Access access = storage.access();
        AccessReport report = storage.clients();
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
            out.writeNumberProperty("time", storage.hashes().now());
            out.writeBooleanProperty("encrypted_only", access.encryptedOnly());
            out.writeBooleanProperty("read_only", access.updates().readOnly());
            out.writeStringProperty("updates_from", text(access.updates().sources()));
            out.writeStringProperty("blocked", text(access.blocked()));
            NetworkLimit limit = access.limits().network();
            if (limit != null) {
                out.writeObjectPropertyStart("network_limit");
                out.writeNumberProperty("burst", limit.limit().burst());
                out.writeNumberProperty("rate", limit.limit().rate());
                out.writeNumberProperty("prefix", limit.prefix());
                out.writeEndObject();
            }
            out.writeArrayPropertyStart("keys");
            report.keys().forEach((key, state) -> key(out, key, state, access));
            out.writeEndArray();
            out.writeArrayPropertyStart("refused");
            storage.gate().refused().forEach(refused -> {
                out.writeStartObject();
                out.writeStringProperty("network", refused.network().toString());
                out.writeStringProperty("reason", refused.reason());
                end(out, refused.end());
                out.writeEndObject();
            });
            out.writeEndArray();
            out.writeArrayPropertyStart("skips");
            storage.gate().skips().entries().forEach(entry -> {
                out.writeStartObject();
                out.writeStringProperty("digest", entry.digest().hex());
                out.writeStringProperty("reason", entry.reason());
                end(out, entry.end());
                out.writeEndObject();
            });
            out.writeEndArray();
        }));
    }

    /** Returns the networks with commas between them; empty if there is none. */
    private static String text(@Nullable Networks networks) {
        return networks == null || networks.isEmpty() ? "" : networks.toString().replaceAll("^\\[|]$", "");
    }

    private static void end(JsonGenerator out, long end) {
        if (end != Long.MAX_VALUE) {
            out.writeNumberProperty("end", end);
        }
    }

    private static void key(JsonGenerator out, PublicKey key, AccessReport.Key state, Access access) {
        out.writeStartObject();
        out.writeStringProperty("key", key.base32());
        out.writeStringProperty("name", state.name());
        out.writeBooleanProperty("dynamic", access.dynamicKeys().stream().map(ServerKey::pair)
                .anyMatch(pair -> pair.publicKey().equals(key)));
        StatsReport.counts(out, "counts", state.clients().total());
        AccessReport.Limit limit = state.limit();
        if (limit != null) {
            out.writeObjectPropertyStart("limit");
            out.writeNumberProperty("burst", limit.limit().burst());
            out.writeNumberProperty("rate", limit.limit().rate());
            out.writeNumberProperty("level", limit.level());
            out.writeEndObject();
        }
        out.writeEndObject();
    }

    /** Ends the refusal of a network. */
    HttpReply pardon(Arguments arguments, UpdateSubmitter by) throws HttpException {
        Network network = arguments.network("network").orElseThrow(() -> new HttpException(400, "network is missing"));
        boolean was = storage.gate().pardon(network);
        LOG.info("{} was {} by {} ({})", network, was ? "unblocked" : "not blocked, and asked to be unblocked",
                by.client(), by.credential());
        if (!was) {
            throw new HttpException(404, network + " is not blocked");
        }
        return show();
    }

    /** Returns the end of an entry, which {@code until} or {@code days} name. */
    private long end(Arguments arguments) throws HttpException {
        Optional<Instant> until = arguments.time("until");
        Optional<Long> days = arguments.number("days", 1, LONGEST.toDays());
        if (until.isPresent() && days.isPresent()) {
            throw new HttpException(400, "give days or until, not both");
        }
        long now = storage.hashes().now();
        if (until.isPresent() && (until.get().isBefore(Instant.ofEpochMilli(now))
                || until.get().isAfter(Instant.ofEpochMilli(now).plus(LONGEST)))) {
            throw new HttpException(400, "until must be in the next " + LONGEST.toDays() + " days");
        }
        return until.map(Instant::toEpochMilli)
                .or(() -> days.map(count -> now + Duration.ofDays(count).toMillis())).orElse(Long.MAX_VALUE);
    }

    /** Adds a digest to the skip list or, with {@code remove}, takes it off. */
    HttpReply skip(Arguments arguments, UpdateSubmitter by) throws HttpException {
        Digest digest = arguments.text("digest").flatMap(text -> Digest.parse(text.toLowerCase(Locale.ROOT)))
                .orElseThrow(() -> new HttpException(400, "digest is missing: 128 hexadecimal digits"));
        SkipList skips = storage.gate().skips();
        boolean remove = arguments.text("remove").isPresent();
        try {
            if (remove) {
                if (!skips.remove(digest)) {
                    throw new HttpException(404, "the digest is not on the skip list");
                }
            } else {
                String reason = arguments.text("reason")
                        .orElseThrow(() -> new HttpException(400, "reason is missing: say why"));
                skips.add(new SkipList.Entry(digest, reason, end(arguments)));
            }
        } catch (IOException e) {
            throw new HttpException(503, "the skip list cannot be written: " + Reason.of(e));
        } catch (IllegalStateException e) {
            throw new HttpException(422, String.valueOf(e.getMessage()));
        }
        LOG.info("the digest {} was {} the skip list by {} ({})", digest.hex().substring(0, 16),
                remove ? "taken off" : "put on", by.client(), by.credential());
        return show();
    }
}
