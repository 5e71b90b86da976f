package dev.weir.http.controller;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpHeaders;
import dev.weir.http.message.HttpReply;
import dev.weir.http.packing.Packing;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.scan.ScanResult.UpstreamFailure;
import dev.weir.scan.score.FuzzyMatch;
import dev.weir.scan.score.SymbolResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JsonGenerator;

/**
 * The endpoints {@code /checkv2} and the older {@code /check}, which scan a mail
 * (docs/reference/rspamd-http.md#scanning). The older one answers requests of RSPAMC as well. Besides Rspamd's members,
 * a reply has {@code unanswered} if a storage did not answer or refused, and {@code not_hashed} if the mail exceeded a
 * limit of hashing. So clients can tell a low score from a missing answer.
 */
final class ScanEndpoint implements Endpoint {
    private static final Logger LOG = LoggerFactory.getLogger(ScanEndpoint.class);
    private static final List<String> LOCAL = List.of("file", "path", "shm");

    private final MailService service;
    private final MailGate gate;
    private final ServiceMetrics figures;
    private final ControllerOptions options;
    private final boolean legacy;

    ScanEndpoint(MailService service, MailGate gate, ServiceMetrics figures, ControllerOptions options,
            boolean legacy) {
        this.service = service;
        this.gate = gate;
        this.figures = figures;
        this.options = options;
        this.legacy = legacy;
    }

    @Override
    public HttpReply answer(Call call) throws HttpException, InterruptedException {
        HttpHeaders headers = call.request().headers();
        if (LOCAL.stream().anyMatch(headers::has)) {
            return error(403, "Messages must be sent: no file and no shared memory of this machine is read");
        }
        long start = System.nanoTime();
        Packing packing = Packing.of(headers);
        byte[] body = call.request().body();
        Optional<byte[]> unpacked = packing == Packing.ZSTD && body.length == 0
                ? Optional.of(body)
                : packing.unpack(body, options.bodyBytes(), call.share());
        if (unpacked.isEmpty()) {
            return error(503, "Decompression error: the body is not what its headers say");
        }
        byte[] mail = unpacked.get();
        ScanContext context = Envelope.of(call.arguments());
        ScanResult result = gate.pass(() -> service.check(mail, context));
        String id = mail.length == 0 ? "" : MessageId.of(mail);
        result.notHashed().ifPresent(reason -> LOG.warn("<{}>; the mail is not hashed: {}", id, reason));
        result.log().forEach(line -> LOG.info("<{}>; {}", id, line));
        String action = options.actions().of(result.score());
        Duration time = Duration.ofNanos(System.nanoTime() - start);
        figures.scanned(result, action, time);
        ScanLine.log(id, context, result, action, time);
        if (call.request().head().isRspamc()) {
            return HttpReply.ok(HttpReply.TEXT, RspamcText.of(result, action, options.actions().required(), id));
        }
        byte[] json = Json.object(out -> {
            if (legacy) {
                legacy(out, result, action, id, time);
            } else {
                current(out, result, action, id, time);
            }
        });
        HttpReply reply = HttpReply.ok(HttpReply.JSON, json);
        return packing == Packing.ZSTD && Packing.isZstdSupported()
                ? reply.withBody(Packing.zstd(json)).with("Compression", "zstd").with("Content-Encoding", "zstd")
                : reply;
    }

    private static HttpReply error(int status, String text) {
        byte[] json = Json.object(out -> {
            out.writeStringProperty("error", text);
            out.writeStringProperty("error_domain", "protocol-error");
        });
        return new HttpReply(status, text, HttpReply.JSON, List.of(), json);
    }

    private void current(JsonGenerator out, ScanResult result, String action, String id, Duration time) {
        out.writeBooleanProperty("is_skipped", false);
        Json.number(out, "score", result.score());
        Json.number(out, "required_score", options.actions().required());
        out.writeStringProperty("action", action);
        Json.object(out, "thresholds",
                () -> options.actions().thresholds().forEach((name, threshold) -> Json.number(out, name, threshold)));
        Json.object(out, "symbols", () -> result.symbols().forEach(symbol -> symbol(out, symbol)));
        Json.objects(out, "matches", result.matches(), match -> match(out, match));
        rest(out, result, id, time);
    }

    private void legacy(JsonGenerator out, ScanResult result, String action, String id, Duration time) {
        out.writeObjectPropertyStart("default");
        out.writeBooleanProperty("is_spam", action.equals(Actions.REJECT));
        out.writeBooleanProperty("is_skipped", false);
        Json.number(out, "score", result.score());
        Json.number(out, "required_score", options.actions().required());
        out.writeStringProperty("action", action);
        result.symbols().forEach(symbol -> symbol(out, symbol));
        out.writeEndObject();
        rest(out, result, id, time);
    }

    private static void symbol(JsonGenerator out, SymbolResult symbol) {
        out.writeObjectPropertyStart(symbol.name());
        out.writeStringProperty("name", symbol.name());
        Json.number(out, "score", symbol.score());
        Json.number(out, "metric_score", symbol.weight());
        if (symbol.kinds() > 0) {
            Json.number(out, "kinds", symbol.kinds());
        }
        if (!symbol.description().isEmpty()) {
            out.writeStringProperty("description", symbol.description());
        }
        if (!symbol.options().isEmpty()) {
            Json.strings(out, "options", symbol.options());
        }
        out.writeEndObject();
    }

    private static void match(JsonGenerator out, FuzzyMatch match) {
        out.writeStringProperty("symbol", match.symbol());
        out.writeStringProperty("kind", match.type());
        out.writeNumberProperty("flag", match.flag());
        Json.number(out, "probability", match.probability());
        Json.number(out, "weight", match.score());
        out.writeNumberProperty("value", match.value());
        out.writeStringProperty("digest", match.found());
        out.writeBooleanProperty("exact", match.exact());
    }

    private static void rest(JsonGenerator out, ScanResult result, String id, Duration time) {
        Json.object(out, "messages", () -> {});
        if (!id.isEmpty()) {
            out.writeStringProperty("message-id", id);
        }
        Json.number(out, "time_real", time.toNanos() / 1e9);
        result.notHashed().ifPresent(reason -> out.writeStringProperty("not_hashed", reason));
        List<UpstreamFailure> unanswered = result.failures();
        if (!unanswered.isEmpty()) {
            Json.strings(out, "unanswered", unanswered.stream().map(ScanEndpoint::line).toList());
        }
        List<UpstreamFailure> refused = unanswered.stream().filter(UpstreamFailure::isRefusal).toList();
        if (!refused.isEmpty()) {
            Json.strings(out, "refused", refused.stream().map(ScanEndpoint::line).toList());
        }
    }

    private static String line(UpstreamFailure failure) {
        return failure.rule() + (failure.server().isEmpty() ? "" : " " + failure.server()) + ": " + failure.message();
    }
}
