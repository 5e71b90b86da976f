package dev.weir.http.controller;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

import dev.weir.hash.Skip;
import dev.weir.http.access.Requester;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpHeaders;
import dev.weir.http.message.HttpReply;
import dev.weir.http.packing.Packing;
import dev.weir.model.Digest;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.StoragesListing;
import dev.weir.scan.Submitter;
import dev.weir.storage.UpdateSubmitter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JsonGenerator;

/**
 * The endpoints {@code /fuzzyadd}, {@code /fuzzydel} and {@code /fuzzydelhash} (docs/reference/scanner.md#learning).
 * Error texts are Rspamd's. Unlike Rspamd, no reply of a storage and no error number of the system becomes an HTTP
 * status, malformed hashes are rejected, and {@code rules} in each reply has the result of each server of each rule.
 */
final class LearnEndpoint implements Endpoint {
    private static final Logger LOG = LoggerFactory.getLogger(LearnEndpoint.class);
    private static final int MAX_HASHES = 1000;

    /** The maximum number of digests in a log line, and of digits of each. */
    private static final int MAX_LOGGED = 8;
    private static final int LOGGED_DIGITS = 16;

    private final MailService service;
    private final MailGate gate;
    private final ServiceMetrics figures;
    private final int most;
    private final Kind kind;

    /** The three endpoints. */
    enum Kind {
        ADD, DELETE, DELETE_HASHES
    }

    LearnEndpoint(MailService service, MailGate gate, ServiceMetrics figures, int most, Kind kind) {
        this.service = service;
        this.gate = gate;
        this.figures = figures;
        this.most = most;
        this.kind = kind;
    }

    @Override
    public HttpReply answer(Call call) throws HttpException, InterruptedException {
        HttpHeaders arguments = call.arguments();
        long flag = flag(arguments);
        byte[] mail = kind == Kind.DELETE_HASHES ? new byte[0] : mail(call);
        Submitter submitter = submitter(call.requester().get(), arguments, mail);
        LearnReport report = kind == Kind.DELETE_HASHES
                ? forget(arguments, flag, submitter)
                : learn(mail, arguments, flag, submitter);
        figures.learned(report.success());
        if (report.failure().map(LearnReport.Failure::kind).filter(LearnReport.Failure.Kind.NOT_HASHED::equals)
                .isPresent()) {
            figures.notHashed();
        }
        log(report, flag, submitter);
        return reply(report);
    }

    /**
     * Returns the submitter of a mail. {@link UpdateSubmitter} cleans the client's texts, so that a client cannot forge
     * log lines.
     */
    private static Submitter submitter(Requester requester, HttpHeaders arguments, byte[] mail) {
        UpdateSubmitter clean = new UpdateSubmitter(requester.client(), requester.credential(),
                arguments.first("user").orElse(""), MessageId.in(mail).orElse(""));
        return new Submitter(clean.client(), clean.credential(), clean.user(), clean.messageId());
    }

    private void log(LearnReport report, long flag, Submitter submitter) {
        int hashes = report.digests().size();
        LOG.info("{} on flag {} for {} by {}{}{}: {}, {}, {} queued{}", kind.name().toLowerCase(Locale.ROOT),
                flag,
                submitter.client(), submitter.credential(),
                submitter.user().isEmpty() ? "" : ", user " + submitter.user(),
                submitter.messageId().isEmpty() ? "" : ", mail <" + submitter.messageId() + ">",
                report.failure().map(LearnReport.Failure::message).orElse("done"),
                hashes == 1 ? "1 hash" : hashes + " hashes",
                report.queued(), report.digests().stream().limit(MAX_LOGGED)
                        .map(digest -> digest.hex().substring(0, LOGGED_DIGITS))
                        .collect(Collectors.joining(", ", report.digests().isEmpty() ? "" : ": ", "")));
    }

    private byte[] mail(Call call) throws HttpException {
        byte[] body = call.request().body();
        if (body.length == 0) {
            throw new HttpException(400, "Empty body is not permitted");
        }
        byte[] mail = Packing.of(call.request().headers()).unpack(body, most, call.share())
                .orElseThrow(() -> new HttpException(400, "Message load error"));
        if (mail.length == 0) {
            throw new HttpException(400, "Empty body is not permitted");
        }
        return mail;
    }

    private LearnReport learn(byte[] mail, HttpHeaders arguments, long flag, Submitter submitter)
            throws HttpException, InterruptedException {
        LearnRequest request = new LearnRequest(OptionalLong.of(flag), Optional.empty(),
                kind == Kind.ADD ? weight(arguments) : 0, kind == Kind.DELETE,
                new Skip(arguments.has("skip-images"), arguments.has("skip-text")), Envelope.of(arguments))
                .withSubmitter(submitter);
        return gate.pass(() -> service.learn(mail, request));
    }

    private LearnReport forget(HttpHeaders arguments, long flag, Submitter submitter)
            throws HttpException, InterruptedException {
        List<String> texts = arguments.all("hash");
        if (texts.isEmpty()) {
            throw new HttpException(400, "No hash defined");
        }
        if (texts.size() > MAX_HASHES) {
            throw new HttpException(400, "More than " + MAX_HASHES + " hashes");
        }
        List<Digest> digests = new ArrayList<>();
        for (String text : texts) {
            digests.add(Digest.parse(text).orElseThrow(() -> new HttpException(400,
                    "A hash has 128 hexadecimal digits, but found: "
                            + text.substring(0, Math.min(text.length(), 32)))));
        }
        return gate.pass(() -> service.forget(digests, flag, submitter));
    }

    private long flag(HttpHeaders arguments) throws HttpException {
        Optional<String> text = arguments.first("flag");
        long flag = text.isPresent()
                ? number(text.get()).orElse(0)
                : arguments.first("symbol").map(this::flagOf).orElse(0L);
        if (flag == 0) {
            throw new HttpException(404, "Unknown or missing flag");
        }
        if (flag < 0 || flag > 0xffff_ffffL) {
            throw new HttpException(404, "No fuzzy rules matched for flag " + flag);
        }
        return flag;
    }

    private long flagOf(String symbol) {
        for (StoragesListing.Storage rule : service.state().storages().rules()) {
            for (var entry : rule.flags().entrySet()) {
                if (entry.getKey().equalsIgnoreCase(symbol)) {
                    return entry.getValue();
                }
            }
        }
        return 0;
    }

    private static int weight(HttpHeaders arguments) {
        Optional<String> text = arguments.first("weight");
        if (text.isEmpty()) {
            return 1;
        }
        OptionalLong weight = number(text.get());
        if (weight.isEmpty() || weight.getAsLong() != (int) weight.getAsLong()) {
            LOG.warn("a weight that is not a 32-bit number counts as 1");
            return 1;
        }
        return (int) weight.getAsLong();
    }

    private static OptionalLong number(String text) {
        try {
            return OptionalLong.of(Long.parseLong(text.strip()));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    private static HttpReply reply(LearnReport report) {
        Optional<LearnReport.Failure> failure = report.failure();
        byte[] json = Json.object(out -> {
            if (failure.isPresent()) {
                out.writeStringProperty("error", failure.get().message());
            } else {
                out.writeBooleanProperty("success", true);
            }
            Json.strings(out, "hashes", report.digests().stream().map(Digest::hex).toList());
            Json.objects(out, "rules", report.rules(), rule -> rule(out, rule));
        });
        return failure.isPresent()
                ? new HttpReply(failure.get().kind().httpStatus(), failure.get().message(), HttpReply.JSON, List.of(),
                        json)
                : HttpReply.ok(HttpReply.JSON, json);
    }

    private static void rule(JsonGenerator out, LearnReport.RuleOutcome rule) {
        out.writeStringProperty("rule", rule.rule());
        out.writeNumberProperty("flag", rule.flag());
        out.writeStringProperty("decision", rule.decision().name().toLowerCase(Locale.ROOT));
        if (!rule.reason().isEmpty()) {
            out.writeStringProperty("reason", rule.reason());
        }
        Json.objects(out, "servers", rule.servers(), server -> {
            out.writeStringProperty("server", server.server());
            out.writeStringProperty("status", server.status().name().toLowerCase(Locale.ROOT));
            out.writeNumberProperty("confirmed", server.confirmed());
            out.writeNumberProperty("total", server.total());
            if (server.code() != 0) {
                out.writeNumberProperty("code", server.code());
            }
            if (server.queued() != 0) {
                out.writeNumberProperty("queued", server.queued());
            }
            if (!server.message().isEmpty()) {
                out.writeStringProperty("message", server.message());
            }
        });
    }
}
