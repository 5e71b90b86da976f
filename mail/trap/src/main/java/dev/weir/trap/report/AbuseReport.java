package dev.weir.trap.report;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import dev.weir.scan.mail.MailHeaders;
import org.apache.james.mime4j.MimeException;
import org.apache.james.mime4j.stream.EntityState;
import org.apache.james.mime4j.stream.MimeConfig;
import org.apache.james.mime4j.stream.MimeTokenStream;
import org.apache.james.mime4j.stream.RecursionMode;

/**
 * A report of a user about mails: a feedback report (RFC 5965, RFC 6430), or a mail with others attached. An attached
 * mail is a part of type {@code message/rfc822}, or a file whose name ends in {@code .eml}. The parser looks into at
 * most {@value #MOST_DEPTH} levels, and takes at most {@value #MOST_MAILS} mails.
 *
 * @param isReport whether the mail is a report: it has a feedback report or an attached mail
 * @param hasFile whether something else is attached
 * @param isSealed whether a part is a container of S/MIME or PGP, which hides what is in it. A container that is only
 *        signed is not opened either: its signature would have to be checked first, and reports need none
 * @param automatic what its parts show if a program sent it; only without a feedback report
 * @param vote what a feedback report says; empty if there is none
 * @param recipient the recipient of the reported mail, as the feedback report names it
 * @param mails the attached mails
 */
public record AbuseReport(boolean isReport, boolean hasFile, boolean isSealed, Optional<AutomaticMail> automatic,
        Optional<Vote> vote, Optional<String> recipient, List<byte[]> mails) {
    private static final Set<String> CONTAINERS = Set.of("application/pkcs7-mime", "application/x-pkcs7-mime",
            "application/pgp-encrypted");
    private static final int MOST_DEPTH = 20;
    private static final int MOST_MAILS = 20;
    private static final int MOST_FEEDBACK = 64 << 10;

    /** Copies the list. */
    public AbuseReport {
        mails = List.copyOf(mails);
    }

    /** What a user says about a mail. */
    public enum Vote {
        /** The mail is unwanted. */
        COMPLAINT,
        /** The mail is wanted. */
        KEEP,
        /** Neither. */
        NONE
    }

    /** Reads a mail. What cannot be parsed is no part of the report. */
    public static AbuseReport read(byte[] mail) {
        List<byte[]> mails = new ArrayList<>();
        Optional<MailHeaders> feedback = Optional.empty();
        Optional<AutomaticMail> automatic = Optional.empty();
        boolean headersOnly = false;
        boolean file = false;
        boolean sealed = false;
        AttachmentName name = new AttachmentName();
        MimeTokenStream stream = new MimeTokenStream(new MimeConfig.Builder().setMaxLineLen(-1).setMaxHeaderLen(-1)
                .setMaxHeaderCount(-1).setMalformedHeaderStartsBody(false).build());
        stream.setRecursionMode(RecursionMode.M_NO_RECURSE);
        try {
            stream.parse(new ByteArrayInputStream(mail));
            int depth = 0;
            for (EntityState state = stream.getState(); state != EntityState.T_END_OF_STREAM
                    && depth <= MOST_DEPTH; state = stream.next()) {
                switch (state) {
                    case T_START_MULTIPART -> depth++;
                    case T_END_MULTIPART -> depth--;
                    case T_START_HEADER -> name = new AttachmentName();
                    case T_FIELD -> name.see(stream.getField().getName(), stream.getField().getBody());
                    case T_BODY -> {
                        String type = String.valueOf(stream.getBodyDescriptor().getMimeType())
                                .toLowerCase(Locale.ROOT);
                        if (type.equals("message/feedback-report") && feedback.isEmpty()) {
                            feedback = Optional.of(MailHeaders.of(content(stream, MOST_FEEDBACK)));
                        } else if (isMail(type, name)) {
                            if (mails.size() < MOST_MAILS) {
                                mails.add(content(stream, mail.length));
                            }
                        } else if (type.equals("text/rfc822-headers")) {
                            headersOnly = true;
                        } else {
                            automatic = automatic.isPresent() ? automatic : AutomaticMail.ofPart(type);
                            sealed |= CONTAINERS.contains(type);
                            file |= name.isPresent();
                        }
                    }
                    default -> {
                        // Header fields of the parts do not matter.
                    }
                }
            }
        } catch (MimeException | IOException e) {
            // What was read before counts.
            return of(mails, feedback, automatic, headersOnly, file, sealed);
        }
        return of(mails, feedback, automatic, headersOnly, file, sealed);
    }

    private static boolean isMail(String type, AttachmentName name) {
        return type.equals("message/rfc822") || type.equals("message/global")
                || (type.startsWith("application/") && name.endsWith(".eml"));
    }

    private static byte[] content(MimeTokenStream stream, int most) throws IOException {
        try (InputStream in = stream.getDecodedInputStream()) {
            return in.readNBytes(most);
        }
    }

    private static AbuseReport of(List<byte[]> mails, Optional<MailHeaders> feedback,
            Optional<AutomaticMail> automatic, boolean headersOnly, boolean file, boolean sealed) {
        return new AbuseReport(!mails.isEmpty() || feedback.isPresent() || headersOnly, file, sealed,
                feedback.isPresent() ? Optional.empty() : automatic,
                feedback.map(AbuseReport::vote),
                feedback.flatMap(fields -> fields.first("Original-Rcpt-To").map(String::strip)),
                mails.stream().filter(each -> each.length > 0).toList());
    }

    private static Vote vote(MailHeaders fields) {
        return switch (fields.first("Feedback-Type").orElse("").strip().toLowerCase(Locale.ROOT)) {
            case "abuse", "fraud", "virus" -> Vote.COMPLAINT;
            case "not-spam" -> Vote.KEEP;
            default -> Vote.NONE;
        };
    }
}
