package dev.weir.cli.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * The mails of the demonstration: real ones, and copies changed the way senders change them from one mailing to the next.
 * Two of the copies are real as well: the second mailing of the same campaign, caught days later.
 */
public final class Samples {
    private Samples() {}

    /**
     * A mail to learn.
     *
     * @param name what people call it
     * @param mail the bytes of the mail
     * @param copies modified copies, which should be recognised
     */
    public record Campaign(String name, byte[] mail, List<Copy> copies) {}

    /**
     * A mail to check.
     *
     * @param change what was changed, or what the mail is
     * @param mail the bytes of the mail
     */
    public record Copy(String change, byte[] mail) {}

    /** The campaigns, each with its copies. */
    public static List<Campaign> campaigns() {
        final String fee = text("advance-fee.eml");
        final String calls = text("cheap-calls.eml");
        final String jobs = text("work-from-home.eml");
        final String software = text("software-sale.eml");
        return List.of(
                new Campaign("advance fee letter", bytes(fee), List.of(
                        new Copy("changed name", bytes(replaced(replaced(fee, "Kola Owolabi", "Femi Adeyemi"),
                                "OWOLABI", "ADEYEMI"))),
                        new Copy("other greeting", bytes(replaced(fee, "YOUR KIND ATTN.,", "Dear Mrs. Schmidt,"))),
                        new Copy("added paragraph", bytes(replaced(fee, "I remain most obliged.", """
                                Please keep this matter strictly between the two of us until the transfer is complete,
                                and answer with your private telephone number at your earliest convenience.

                                I remain most obliged."""))))),
                new Campaign("cheap calls", bytes(calls), List.of(
                        new Copy("other greeting", bytes(replaced(calls, "Dear User,", "Hello Peter Miller,"))),
                        new Copy("changed link", bytes(replaced(calls, "www.ireland.pd-dial.com", "www.call-abroad.biz"))),
                        new Copy("changed number", bytes(replaced(replaced(calls, "1530 927 055", "1520 444 102"),
                                "1 530 927 055", "1 520 444 102"))))),
                new Campaign("work from home", bytes(jobs), List.of(
                        new Copy("second mailing (real)", bytes(text("work-from-home-again.eml"))))),
                new Campaign("software sale (HTML)", bytes(software), List.of(
                        new Copy("second mailing (real)", bytes(text("software-sale-again.eml"))),
                        new Copy("changed link", bytes(replaced(software, "anythinggoeshere.com", "bargain-bits.net"))),
                        new Copy("changed price", bytes(replaced(software, "29.99", "34.95"))))));
    }

    /** Wanted mail that has nothing to do with the campaigns, one of it about cheap calls too. */
    public static List<Copy> unrelated() {
        return List.of(
                new Copy("newsletter on cheap calls", bytes(text("ham-international-calls.eml"))),
                new Copy("sweepstakes notification", bytes(text("ham-sweepstakes.eml"))),
                new Copy("list: find the biggest file", bytes(text("ham-biggest-file.eml"))),
                new Copy("list: sylpheed-claws", bytes(text("ham-sylpheed.eml"))),
                new Copy("list: sequences window", bytes(text("ham-list.eml"))));
    }

    private static String replaced(String mail, String from, String to) {
        if (!mail.contains(from)) {
            throw new IllegalStateException("the sample does not contain \"" + from + "\"");
        }
        return mail.replace(from, to);
    }

    /** Latin-1 keeps every byte as it is. */
    private static byte[] bytes(String mail) {
        return mail.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String text(String name) {
        try (InputStream in = Objects.requireNonNull(Samples.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (final IOException e) {
            throw new UncheckedIOException("a sample of the demonstration cannot be read", e);
        }
    }
}
