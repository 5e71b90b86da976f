package dev.weir.trap.decision;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import dev.weir.scan.mail.MailHeaders;
import dev.weir.trap.campaign.CampaignDatabase;
import dev.weir.trap.campaign.CampaignDatabaseException;
import dev.weir.trap.campaign.CampaignSource;
import dev.weir.trap.campaign.Purpose;
import dev.weir.trap.report.AbuseReport;
import dev.weir.trap.report.AbuseReport.Vote;
import dev.weir.trap.report.AutomaticMail;
import dev.weir.trap.settings.ComplaintSettings;
import dev.weir.trap.settings.TrapPolicy;

/**
 * The votes of users on campaigns (docs/integrate/traps.md#complaints). A user is remembered as a keyed hash only, and
 * neither the audit trail nor the log nor a storage gets the name.
 */
final class ComplaintVotes {
    /** The number of votes of one kind beyond which a campaign remembers no more. */
    private static final int MOST_VOTES = 1000;
    private static final int NAME_BYTES = 16;

    private final CampaignDatabase store;
    private final Examination examination;
    private final CampaignLearner teacher;

    ComplaintVotes(CampaignDatabase store, Examination examination, CampaignLearner teacher) {
        this.store = store;
        this.examination = examination;
        this.teacher = teacher;
    }

    /** A vote with its voter. */
    private record Cast(Vote vote, String voter) {}

    List<Decided> take(TrapMail mail, TrapPolicy policy, ComplaintSettings complaints)
            throws CampaignDatabaseException, InterruptedException {
        if (!isReport(mail, complaints)) {
            Cast cast = new Cast(usual(mail), voter(mail, Optional.empty()));
            return List.of(decide(ExaminedMail.reported(mail.bytes(), policy), cast, complaints));
        }
        Optional<AbuseReport> read = examination.report(mail);
        if (read.isEmpty()) {
            return List.of(new Decided(TrapOutcome.NOT_NOW, "too many mails wait"));
        }
        AbuseReport report = read.get();
        Optional<Decided> unfit = unfit(report, mail);
        if (unfit.isPresent()) {
            return List.of(unfit.get());
        }
        Vote vote = report.vote().orElse(usual(mail));
        Cast cast = new Cast(vote, voter(mail, read));
        List<Decided> decided = new ArrayList<>();
        for (byte[] each : report.mails()) {
            decided.add(decide(ExaminedMail.reported(each, policy), cast, complaints));
        }
        return decided;
    }

    /** Returns why a report is not a vote. What its sender can do is a sentence for that person. */
    private static Optional<Decided> unfit(AbuseReport report, TrapMail mail) {
        if (report.vote().isEmpty()) {
            // A program that reports for its users may have an empty sender. Other programs do not vote.
            Optional<AutomaticMail> automatic = report.automatic()
                    .or(() -> AutomaticMail.of(mail.bytes(), mail.wasDelivered()
                            ? mail.sender()
                            : Optional.empty()));
            if (automatic.isPresent()) {
                return automatic.map(Examination::ofAutomatic);
            }
            // Newsletters have this field, so it says something about a report only.
            if (MailHeaders.of(mail.bytes()).first("X-Auto-Response-Suppress").isPresent()) {
                return Optional.of(Examination.ofAutomatic(AutomaticMail.ANSWER));
            }
        }
        if (report.vote().filter(vote -> vote == Vote.NONE).isPresent()) {
            return Optional.of(new Decided(TrapOutcome.NO_REPORT, "A report of this type is not a vote"));
        }
        if (report.isReport() && report.mails().isEmpty()) {
            return Optional.of(new Decided(TrapOutcome.NO_REPORT,
                    "The report has only a part of the mail: attach the whole mail"));
        }
        if (!report.isReport() && report.isSealed()) {
            return Optional.of(new Decided(TrapOutcome.NO_REPORT,
                    "The mail is encrypted, or its signature encloses it: forward the mail as an attachment "
                            + "without S/MIME"));
        }
        return report.isReport()
                ? Optional.empty()
                : Optional.of(new Decided(TrapOutcome.NO_REPORT, report.hasFile()
                        ? "No attached file is a mail: attach the mail as message/rfc822 or as a file NAME.eml"
                        : "Forward the mail as an attachment"));
    }

    /**
     * Returns whether a mail reports the mails attached to it. The mail itself cannot tell: a spammer may attach
     * someone's newsletter, and the user who complains about this spam does not complain about the newsletter.
     */
    private static boolean isReport(TrapMail mail, ComplaintSettings complaints) {
        return switch (mail.way()) {
            case DELIVERED, HTTP_REPORT -> true;
            case HTTP -> false;
            case FOLDER -> complaints.reports();
        };
    }

    private static Vote usual(TrapMail mail) {
        return mail.purpose() == Purpose.KEEP ? Vote.KEEP : Vote.COMPLAINT;
    }

    private Decided decide(ExaminedMail subject, Cast cast, ComplaintSettings complaints)
            throws CampaignDatabaseException, InterruptedException {
        Examination.Finding finding = cast.vote() == Vote.KEEP
                ? examination.kept(subject, complaints.flag())
                : examination.unwanted(subject, complaints.flag());
        return switch (finding) {
            case Examination.Finding.Unfit(Decided why) -> why;
            case Examination.Finding.Fit fit -> {
                TrapPolicy policy = subject.policy();
                CampaignSource source = new CampaignSource(
                        cast.vote() == Vote.KEEP ? CampaignSource.Kind.KEEP : CampaignSource.Kind.COMPLAINT,
                        cast.voter());
                long campaign = store.see(fit.text().shingles(), List.of(source), Instant.now(),
                        new CampaignDatabase.Bounds(policy.hold(), policy.maxCampaigns(), MOST_VOTES));
                yield teacher.teach(subject, fit, campaign, sighting -> new CampaignLearner.Lesson(Purpose.COMPLAINT,
                        complaints.flag(), complaints.deserved(sighting.complaints(), sighting.keeps()),
                        sighting.complaints() + " complain, " + sighting.keeps() + " keep"
                                + (fit.rehearsal().isEmpty() ? "" : "; " + fit.rehearsal()),
                        "", false));
            }
        };
    }

    /** Returns the keyed hash of the user who votes. A program that uses HTTP names the user itself. */
    private String voter(TrapMail mail, Optional<AbuseReport> report) throws CampaignDatabaseException {
        boolean named = mail.way() == TrapMail.Way.HTTP || mail.way() == TrapMail.Way.HTTP_REPORT;
        MailHeaders headers = MailHeaders.of(mail.bytes());
        Optional<String> name = report.filter(_ -> !named).flatMap(AbuseReport::recipient).or(mail::sender)
                .filter(sender -> !sender.isEmpty());
        Optional<String> field = report.isPresent()
                ? headers.first("Return-Path").or(() -> headers.first("From"))
                : headers.first("Delivered-To").or(() -> headers.first("X-Original-To"))
                        .or(() -> headers.first("To"));
        String voter = name.or(() -> field).orElse(mail.trap());
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(store.secret(), "HmacSHA256"));
            byte[] hash = mac.doFinal(address(voter).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, NAME_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HmacSHA256", e);
        }
    }

    /** Returns the address in a field, or the field. */
    private static String address(String field) {
        int open = field.lastIndexOf('<');
        int close = field.indexOf('>', open + 1);
        return (open >= 0 && close > open ? field.substring(open + 1, close) : field).strip()
                .toLowerCase(Locale.ROOT);
    }
}
