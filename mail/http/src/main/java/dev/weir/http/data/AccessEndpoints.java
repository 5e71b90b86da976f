package dev.weir.http.data;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

import dev.weir.http.controller.Json;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.model.Digest;
import dev.weir.model.Networks;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.NetworkLimit;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.access.gate.AccessReport;
import dev.weir.storage.admin.AccessAdmin;
import dev.weir.storage.admin.RefusedException;
import dev.weir.storage.server.StorageServer;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** The requests about who may do what, who is refused, and the skip list. They show public keys only. */
public final class AccessEndpoints {
    private final StorageServer storage;
    private final AccessAdmin access;

    /** Creates the requests about a storage. */
    public AccessEndpoints(StorageServer storage) {
        this.storage = storage;
        this.access = new AccessAdmin(storage);
    }

    /** Returns the rules in force, the keys, the refused networks with their ends, and the skip list. */
    public HttpReply show(Arguments arguments) {
        Access rules = storage.access();
        AccessReport report = storage.clients();
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
            out.writeNumberProperty("time", storage.hashes().now());
            out.writeBooleanProperty("encrypted_only", rules.encryptedOnly());
            out.writeBooleanProperty("read_only", rules.updates().readOnly());
            out.writeStringProperty("updates_from", text(rules.updates().sources()));
            out.writeStringProperty("blocked", text(rules.blocked()));
            NetworkLimit limit = rules.limits().network();
            if (limit != null) {
                Json.object(out, "network_limit", () -> {
                    out.writeNumberProperty("burst", limit.limit().burst());
                    out.writeNumberProperty("rate", limit.limit().rate());
                    out.writeNumberProperty("prefix", limit.prefix());
                });
            }
            Json.objects(out, "keys", report.keys().entrySet(),
                    key -> key(out, key.getKey(), key.getValue(), rules));
            Json.objects(out, "refused", storage.gate().refused(), refused -> {
                out.writeStringProperty("network", refused.network().toString());
                out.writeStringProperty("reason", refused.reason());
                end(out, refused.end());
            });
            Json.objects(out, "skips", storage.gate().skips().entries(), entry -> {
                out.writeStringProperty("digest", entry.digest().hex());
                out.writeStringProperty("reason", entry.reason());
                end(out, entry.end());
            });
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

    private static void key(JsonGenerator out, PublicKey key, AccessReport.Key state, Access rules) {
        out.writeStringProperty("key", key.base32());
        out.writeStringProperty("name", state.name());
        out.writeBooleanProperty("dynamic", rules.dynamicKeys().stream().map(ServerKey::pair)
                .anyMatch(pair -> pair.publicKey().equals(key)));
        StatsReport.counts(out, "counts", state.clients().total());
        AccessReport.Limit limit = state.limit();
        if (limit != null) {
            Json.object(out, "limit", () -> {
                out.writeNumberProperty("burst", limit.limit().burst());
                out.writeNumberProperty("rate", limit.limit().rate());
                out.writeNumberProperty("level", limit.level());
            });
        }
    }

    /** Ends the refusal of a network. Arguments: {@code network}. */
    public HttpReply unblock(Arguments arguments) throws HttpException, RefusedException {
        access.unblock(arguments.network("network").orElseThrow(() -> new HttpException(400, "network is missing")),
                arguments.by().get());
        return show(arguments);
    }

    /**
     * Adds a digest to the skip list or changes its entry; with {@code remove}, takes it off. Arguments:
     * {@code digest}, {@code reason}, {@code days}, {@code until}, {@code remove}.
     */
    public HttpReply skip(Arguments arguments) throws HttpException, RefusedException {
        Digest digest = arguments.text("digest").flatMap(text -> Digest.parse(text.toLowerCase(Locale.ROOT)))
                .orElseThrow(() -> new HttpException(400, "digest is missing: 128 hexadecimal digits"));
        if (arguments.text("remove").isPresent()) {
            access.unskip(digest, arguments.by().get());
        } else {
            String reason = arguments.text("reason")
                    .orElseThrow(() -> new HttpException(400, "reason is missing: say why"));
            access.skip(digest, reason, end(arguments), arguments.by().get());
        }
        return show(arguments);
    }

    private Optional<Instant> end(Arguments arguments) throws HttpException {
        Optional<Instant> until = arguments.time("until");
        Optional<Long> days = arguments.number("days", 1, AccessAdmin.LONGEST.toDays());
        if (until.isPresent() && days.isPresent()) {
            throw new HttpException(400, "give days or until, not both");
        }
        return until.or(() -> days.map(count -> Instant.ofEpochMilli(storage.hashes().now())
                .plus(Duration.ofDays(count))));
    }
}
