package dev.weir.milter.session;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.weir.http.controller.MessageId;
import dev.weir.http.controller.ScanLine;
import dev.weir.http.message.BodyBudget;
import dev.weir.milter.protocol.MilterAnswers;
import dev.weir.milter.protocol.MilterCommand;
import dev.weir.milter.protocol.MilterException;
import dev.weir.milter.protocol.MilterOffer;
import dev.weir.milter.settings.MilterSettings;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a mail server, from its offer to its end, with any number of mails one after another
 * (docs/reference/milter-protocol.md#a-connection). For one thread.
 */
public final class MilterSession implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MilterSession.class);

    private final Shared shared;
    private MilterOffer agreed = MilterOffer.NOTHING;
    private @Nullable InetAddress client;
    private @Nullable String hostname;
    private @Nullable String helo;
    private @Nullable String queueId;
    private @Nullable String user;
    private @Nullable IncomingMail mail;
    /** The settings at the start of the mail. A reload does not change what becomes of it. */
    private MilterSettings settings;

    /**
     * What all connections share.
     *
     * @param scan the way to the scanner
     * @param budget the memory for all mails that arrive
     * @param counters the counters
     */
    public record Shared(MailScan scan, BodyBudget budget, MilterCounters counters) {}

    /** Creates a session whose mail server has not sent anything yet. */
    public MilterSession(Shared shared, MilterSettings settings) {
        this.shared = shared;
        this.settings = settings;
    }

    /** Returns whether a mail is arriving. */
    public boolean isBusy() {
        return mail != null;
    }

    /**
     * Takes a packet.
     *
     * @param now the settings in force, for the next mail
     * @param answers receives what to send
     * @return false if the connection is over
     * @throws MilterException if the packet does not fit here
     */
    public boolean take(MilterCommand command, MilterSettings now, MilterAnswers answers)
            throws MilterException, InterruptedException {
        if (agreed.isNothing() && !(command instanceof MilterCommand.Negotiate)
                && command != MilterCommand.Bare.QUIT) {
            throw new MilterException("a packet before the negotiation");
        }
        switch (command) {
            case MilterCommand.Negotiate offer -> negotiate(offer, answers);
            case MilterCommand.Macros macros -> macros(macros.values());
            case MilterCommand.Connect connect -> {
                client = connect.address().orElse(null);
                hostname = connect.host().equals("unknown") || connect.host().startsWith("[")
                        ? null
                        : EnvelopeText.name(connect.host());
                proceed(MilterOffer.SILENT_CONNECT, answers);
            }
            case MilterCommand.Helo(String name) -> {
                helo = EnvelopeText.name(name);
                proceed(MilterOffer.SILENT_HELO, answers);
            }
            case MilterCommand.MailFrom from -> {
                endMail();
                settings = now;
                mail = new IncomingMail(address(from.arguments()), MilterDecision.ownFields(now),
                        now.mailBytes(), shared.budget().share());
                proceed(MilterOffer.SILENT_MAIL, answers);
            }
            case MilterCommand.RcptTo to -> {
                mail().recipient(address(to.arguments()));
                proceed(MilterOffer.SILENT_RCPT, answers);
            }
            case MilterCommand.Header(String name, String value) -> {
                mail().field(name, agreed.has(MilterOffer.LEADING_SPACE) ? value : " " + value);
                proceed(MilterOffer.SILENT_HEADER, answers);
            }
            case MilterCommand.Body body -> {
                IncomingMail current = mail();
                current.append(body.chunk());
                if (current.shortfall().isPresent() && agreed.has(MilterOffer.SKIP)) {
                    answers.skip();
                } else {
                    answers.proceed();
                }
            }
            case MilterCommand.EndOfBody end -> {
                mail().append(end.chunk());
                decide(mail(), answers);
                endMail();
                queueId = null;
                user = null;
            }
            case MilterCommand.Bare bare -> {
                return bare(bare, answers);
            }
        }
        return true;
    }

    private boolean bare(MilterCommand.Bare command, MilterAnswers answers) throws MilterException {
        switch (command) {
            case DATA -> proceed(MilterOffer.SILENT_DATA, answers);
            case UNKNOWN -> proceed(MilterOffer.SILENT_UNKNOWN, answers);
            case END_OF_HEADERS -> {
                mail().endOfHeader();
                proceed(MilterOffer.SILENT_END_OF_HEADERS, answers);
            }
            case ABORT -> abort();
            case QUIT_CLIENT -> {
                abort();
                client = null;
                hostname = null;
                helo = null;
            }
            case QUIT -> {
                return false;
            }
        }
        return true;
    }

    private void negotiate(MilterCommand.Negotiate offer, MilterAnswers answers) throws MilterException {
        if (!agreed.isNothing()) {
            throw new MilterException("a second negotiation");
        }
        agreed = MilterOffer.of(offer);
        answers.agree(agreed);
    }

    private void macros(Map<String, String> values) {
        queueId = EnvelopeText.macro(values.getOrDefault("i", queueId));
        user = EnvelopeText.macro(values.getOrDefault("auth_authen", user));
    }

    /** Answers a step that needs no decision, if the mail server waits for that. */
    private void proceed(int silent, MilterAnswers answers) {
        if (!agreed.has(silent)) {
            answers.proceed();
        }
    }

    private IncomingMail mail() throws MilterException {
        if (mail == null) {
            throw new MilterException("a part of a mail without its sender");
        }
        return mail;
    }

    private static String address(List<String> arguments) {
        String text = arguments.getFirst();
        return text.startsWith("<") && text.endsWith(">") ? text.substring(1, text.length() - 1) : text;
    }

    private void abort() {
        if (mail != null) {
            shared.counters().count(MilterCounters.Event.ABORTED);
        }
        endMail();
        queueId = null;
        user = null;
    }

    private void endMail() {
        if (mail != null) {
            mail.close();
            mail = null;
        }
    }

    private void decide(IncomingMail whole, MilterAnswers answers) throws InterruptedException {
        MilterDecision decision = new MilterDecision(agreed, settings, whole, answers);
        byte[] bytes = whole.bytes();
        ScanContext context = new ScanContext(client, user, helo, hostname, queueId, whole.sender(),
                whole.recipients(), Map.of());
        long start = System.nanoTime();
        MailScan.Outcome outcome = whole.shortfall().isPresent()
                ? new MailScan.Unscanned(whole.shortfall().get())
                : shared.scan().scan(bytes, context, settings.scan());
        boolean deferred = switch (outcome) {
            case MailScan.Unscanned(Shortfall reason) -> {
                shared.counters().unscanned(reason);
                LOG.warn("mail {} of {} was not scanned: {}", queueId == null ? "-" : queueId, place(), reason.text());
                yield decision.unscanned(reason);
            }
            case MailScan.Scanned(ScanResult result) -> {
                Optional<Shortfall> missing = result.notHashed().isPresent()
                        ? Optional.of(Shortfall.NOT_HASHED)
                        : result.complete() ? Optional.empty() : Optional.of(Shortfall.UNANSWERED);
                missing.ifPresent(shared.counters()::unscanned);
                String action = settings.actions().of(result.score());
                shared.counters().scanned(action);
                String id = bytes.length == 0 ? "" : MessageId.of(bytes);
                result.notHashed().ifPresent(reason -> LOG.warn("<{}>; the mail is not hashed: {}", id, reason));
                result.log().forEach(line -> LOG.info("<{}>; {}", id, line));
                ScanLine.log(id, context, result, action, Duration.ofNanos(System.nanoTime() - start));
                yield decision.scanned(result, missing);
            }
        };
        if (deferred) {
            shared.counters().count(MilterCounters.Event.DEFERRED);
        }
    }

    private String place() {
        return client == null ? "an unknown client" : client.getHostAddress();
    }

    /** Drops a mail that has not ended. */
    @Override
    public void close() {
        endMail();
    }
}
