package dev.weir.cli.option;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

import dev.weir.model.Network;
import dev.weir.storage.trail.TrailFilter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that select changes of the audit trail. A change must satisfy every given option. */
public final class LogFilter {
    /** Why a search by a Message-ID may find nothing although the mail was learned: the protocol carries none. */
    public static final String MAIL_NOT_FOUND = "only mails that were learned over HTTP or by a trap have a Message-ID "
            + "in the audit trail; weir find FILE finds the hashes of any mail";

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

    @Option(names = "--key", paramLabel = "KEY",
            description = "Only changes encrypted for the key that begins with these characters.")
    private @Nullable String key;

    /** Returns the conditions. */
    public TrailFilter filter() {
        return new TrailFilter(after, Long.MAX_VALUE, since == null ? Long.MIN_VALUE : since.toEpochMilli(),
                until == null ? Long.MAX_VALUE : until.toEpochMilli(), Optional.ofNullable(from),
                Optional.ofNullable(user), Optional.ofNullable(mail), Optional.ofNullable(key),
                flag == null ? OptionalInt.empty() : OptionalInt.of(flag), digest);
    }

    /** Returns whether the conditions name a mail. */
    public boolean hasMail() {
        return mail != null;
    }

    /** Returns the conditions as arguments of {@code /undo}, each preceded by an ampersand. */
    public String query() {
        StringBuilder query = new StringBuilder();
        if (after >= 0) {
            add(query, "after", Long.toString(after));
        }
        add(query, "since", since);
        add(query, "until", until);
        add(query, "from", from);
        add(query, "user", user);
        add(query, "mail", mail);
        add(query, "key", key);
        add(query, "flag", flag);
        add(query, "digest", digest.isEmpty() ? null : digest);
        return query.toString();
    }

    private static void add(StringBuilder query, String name, @Nullable Object value) {
        if (value != null) {
            query.append('&').append(name).append('=')
                    .append(URLEncoder.encode(value.toString(), StandardCharsets.UTF_8).replace("+", "%20"));
        }
    }

    /** Returns the beginning of the digest in lower-case hexadecimal digits; empty for all. */
    public String digest() {
        return digest;
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
