package dev.weir.http.controller;

import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.http.packing.Packing;
import dev.weir.scan.HashListing;
import dev.weir.scan.StoragesListing;
import tools.jackson.core.JsonGenerator;

/**
 * The endpoints {@code /plugins}, {@code /plugins/fuzzy/hashes} and {@code /plugins/fuzzy/storages}, which Rspamd's web
 * interface uses.
 */
final class PluginEndpoints {
    private final MailService service;
    private final MailGate gate;
    private final int most;

    PluginEndpoints(MailService service, MailGate gate, int most) {
        this.service = service;
        this.gate = gate;
        this.most = most;
    }

    static HttpReply plugins() {
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
            out.writeObjectPropertyStart("fuzzy");
            out.writeNumberProperty("version", 0);
            Json.strings(out, "paths", List.of("/plugins/fuzzy/storages", "/plugins/fuzzy/hashes"));
            out.writeEndObject();
        }));
    }

    /** Returns the hashes of a mail. As in Rspamd, only arguments of the query count. */
    HttpReply hashes(Endpoint.Call call) throws HttpException, InterruptedException {
        Optional<String> flag = call.request().query().first("flag");
        Optional<String> symbol = call.request().query().first("rule");
        if (flag.isEmpty() && symbol.isEmpty()) {
            throw new HttpException(404, "missing rule or flag");
        }
        byte[] mail = Packing.of(call.request().headers()).unpack(call.request().body(), most, call.share())
                .orElseThrow(() -> new HttpException(400, "Message load error"));
        HashListing listing = gate.pass(
                () -> flag.isPresent() ? service.hashes(mail, number(flag.get())) : service.hashes(mail, symbol.get()));
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
            out.writeBooleanProperty("success", true);
            if (listing.rules().isEmpty()) {
                Json.strings(out, "hashes", List.of());
            } else {
                Json.object(out, "hashes", () -> listing.rules().forEach((rule, hashes) -> Json.strings(out, rule,
                        hashes.stream().filter(HashListing.Hash::ofText).map(hash -> hash.digest().hex()).toList())));
            }
        }));
    }

    /** Parses a flag. A malformed one becomes a number that no rule maps. */
    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    HttpReply storages() {
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
            out.writeBooleanProperty("success", true);
            Json.object(out, "storages", () -> service.state().storages().rules().forEach(
                    rule -> Json.object(out, rule.rule(), () -> storage(out, rule))));
        }));
    }

    private static void storage(JsonGenerator out, StoragesListing.Storage rule) {
        if (rule.readServers().equals(rule.writeServers())) {
            Json.strings(out, "servers", rule.readServers());
        } else {
            Json.strings(out, "read_servers", rule.readServers());
            Json.strings(out, "write_servers", rule.writeServers());
        }
        out.writeBooleanProperty("read_only", rule.readOnly());
        Json.object(out, "flags", () -> new TreeMap<>(rule.flags()).forEach(out::writeNumberProperty));
    }
}
