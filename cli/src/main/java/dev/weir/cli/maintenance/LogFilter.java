package dev.weir.cli.maintenance;

import java.net.InetAddress;
import java.time.Instant;
import java.util.Locale;

import dev.weir.cli.option.MomentConverter;
import dev.weir.cli.option.NetworkConverter;
import dev.weir.model.Network;
import dev.weir.model.Update;
import dev.weir.storage.Submission;
import dev.weir.storage.log.LoggedUpdate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The filter of {@code weir log}. A change must satisfy every given option. */
final class LogFilter {
    @Option(names = "--after", paramLabel = "REVISION", description = "Only changes after this revision.")
    private long after = -1;

    @Option(names = "--since", paramLabel = "TIME", converter = MomentConverter.class,
            description = "Only changes since this date (2026-07-31), date and time (2026-07-31T18:30, "
                    + "2026-07-31T16:30Z) or age (90m, 2h, 7d).")
    private @Nullable Instant since;

    @Option(names = "--until", paramLabel = "TIME", converter = MomentConverter.class,
            description = "Only changes before this time.")
    private @Nullable Instant until;

    @Option(names = "--from", paramLabel = "NETWORK", converter = NetworkConverter.class,
            description = "Only changes from this address or network, such as 192.0.2.0/24: of the sender, or of the "
                    + "HTTP client that submitted the mail.")
    private @Nullable Network from;

    @Option(names = "--user", paramLabel = "NAME", description = "Only changes of mails that this user submitted.")
    private @Nullable String user;

    @Option(names = "--mail", paramLabel = "MESSAGE-ID", description = "Only changes of the mail with this Message-ID.")
    private @Nullable String mail;

    @Option(names = {"-f", "--flag"}, paramLabel = "FLAG", description = "Only changes of this list.")
    private @Nullable Integer flag;

    @Option(names = "--digest", paramLabel = "HEX", converter = DigestConverter.class,
            description = "Only changes of digests that begin with these digits.")
    private String digest = "";

    /** Returns the last revision to skip; -1 to skip none. */
    long after() {
        return after;
    }

    /** Returns the prefix of digests in lower-case hexadecimal digits; empty for all. */
    String digest() {
        return digest;
    }

    boolean matches(LoggedUpdate logged) {
        Submission submission = logged.origin().submission();
        return logged.revision() > after && logged.update().digest().toString().startsWith(digest)
                && (since == null || logged.millis() >= since.toEpochMilli())
                && (until == null || logged.millis() < until.toEpochMilli())
                && (flag == null || isAbout(logged.update(), flag))
                && (user == null || (submission != null && user.equals(submission.user())))
                && (mail == null || (submission != null && bare(mail).equals(submission.messageId())))
                && (from == null || isFrom(from, logged));
    }

    private static boolean isFrom(Network network, LoggedUpdate logged) {
        Submission submission = logged.origin().submission();
        return (logged.origin().address() != null && network.contains(logged.origin().address()))
                || (submission != null && isLiteral(submission.client())
                        && network.contains(InetAddress.ofLiteral(submission.client())));
    }

    /** Returns whether a text of a client is an address. */
    private static boolean isLiteral(String address) {
        try {
            InetAddress.ofLiteral(address);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean isAbout(Update update, int list) {
        return switch (update) {
            case Update.Write write -> write.flag() == list;
            case Update.Delete delete -> delete.flag() == list;
            case Update.Expire expire -> expire.flag() == list;
            case Update.DeleteAll _ -> true;
            case Update.Refresh _ -> false;
        };
    }

    private static String bare(String messageId) {
        return messageId.startsWith("<") && messageId.endsWith(">")
                ? messageId.substring(1, messageId.length() - 1)
                : messageId;
    }

    static final class DigestConverter implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            if (!text.matches("[0-9A-Fa-f]{1,128}")) {
                throw new TypeConversionException("\"" + text + "\" is not the beginning of a digest: write 1 to 128 "
                        + "hexadecimal digits");
            }
            return text.toLowerCase(Locale.ROOT);
        }
    }
}
