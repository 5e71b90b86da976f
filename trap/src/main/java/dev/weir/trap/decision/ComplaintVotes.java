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
import dev.weir.trap.campaign.CampaignSource;
import dev.weir.trap.campaign.CampaignStore;
import dev.weir.trap.campaign.CampaignStoreException;
import dev.weir.trap.campaign.Purpose;
import dev.weir.trap.campaign.Sighting;
import dev.weir.trap.report.AbuseReport;
import dev.weir.trap.report.AbuseReport.Vote;
import dev.weir.trap.settings.ComplaintPolicy;
import dev.weir.trap.settings.TrapPolicy;
import dev.weir.trap.settings.TrapSettings;

/**
 * The votes of users on campaigns (docs/traps.md#complaints). A user is remembered as a keyed hash only, and neither
 * the
 * audit trail nor the log nor a storage gets the name.
 */
final class ComplaintVotes {
    /** The number of votes of one kind beyond which a campaign remembers no more. */
    private static final int MOST_VOTES = 1000;
    private static final int NAME_BYTES = 16;

    private final CampaignStore store;
    private final Examination examination;
    private final Teacher teacher;

    ComplaintVotes(CampaignStore store, Examination examination, Teacher teacher) {
        this.store = store;
        this.examination = examination;
        this.teacher = teacher;
    }

    /** A vote with its voter. */
    private record Cast(Vote vote, String voter) {}

    List<Decided> take(TrapMail mail, TrapSettings settings, ComplaintPolicy complaints)
            throws CampaignStoreException, InterruptedException {
        AbuseReport report = AbuseReport.read(mail.bytes());
        List<byte[]> reported = report.mails();
        if (!report.isReport()) {
            if (mail.wasDelivered()) {
                return List.of(new Decided(TrapOutcome.NO_REPORT, "no mail is attached"));
            }
            // A user has moved the mail itself into a folder, or a program has sent it by HTTP.
            reported = List.of(mail.bytes());
        }
        Vote vote = report.vote().orElse(mail.purpose() == Purpose.KEEP ? Vote.KEEP : Vote.COMPLAINT);
        if (vote == Vote.NONE || reported.isEmpty()) {
            return List.of(new Decided(TrapOutcome.NO_REPORT, vote == Vote.NONE
                    ? "a report of this type is not a complaint"
                    : "the report has no whole mail"));
        }
        Cast cast = new Cast(vote, voter(mail, report));
        List<Decided> decided = new ArrayList<>();
        for (byte[] each : reported) {
            decided.add(decide(ExaminedMail.reported(each, settings.policy()), cast, complaints));
        }
        return decided;
    }

    private Decided decide(ExaminedMail subject, Cast cast, ComplaintPolicy complaints)
            throws CampaignStoreException, InterruptedException {
        Examination.Finding finding = cast.vote() == Vote.KEEP
                ? examination.text(subject, complaints.flag())
                : examination.unwanted(subject, complaints.flag());
        return switch (finding) {
            case Examination.Finding.Unfit(Decided why) -> why;
            case Examination.Finding.Fit fit -> {
                TrapPolicy policy = subject.policy();
                CampaignSource source = new CampaignSource(
                        cast.vote() == Vote.KEEP ? CampaignSource.Kind.KEEP : CampaignSource.Kind.COMPLAINT,
                        cast.voter());
                Sighting sighting = store.see(fit.text().shingles(), List.of(source), Instant.now(),
                        new CampaignStore.Bounds(policy.hold(), policy.maxCampaigns(), MOST_VOTES));
                String seen = sighting.complaints() + " complain, " + sighting.keeps() + " keep"
                        + (fit.rehearsal().isEmpty() ? "" : "; " + fit.rehearsal());
                yield teacher.teach(subject, fit, sighting, new Teacher.Lesson(Purpose.COMPLAINT, complaints.flag(),
                        complaints.deserved(sighting.complaints(), sighting.keeps()), seen, "", false));
            }
        };
    }

    /** Returns the keyed hash of the user who reports. */
    private String voter(TrapMail mail, AbuseReport report) throws CampaignStoreException {
        MailHeaders headers = MailHeaders.of(mail.bytes());
        Optional<String> name = report.recipient().or(mail::sender).filter(sender -> !sender.isEmpty());
        Optional<String> field = report.isReport()
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
