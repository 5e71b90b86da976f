package dev.weir.cli.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * The mails of the demo: real mails, and copies with changes that senders make from one mailing to the next. Two of the
 * copies are real too: they are from the second mailing of the campaign, some days later.
 */
public final class Samples {
    /** The folders of the mails that are learned, of their copies, and of the mails that are not known. */
    public static final String LEARNED = "spam";
    public static final String CHANGED = "changed";
    public static final String WANTED = "wanted";

    private Samples() {}

    /**
     * A mail to learn.
     *
     * @param name the name for the report
     * @param text the mail, one character for each byte
     * @param copies modified copies that a storage should recognize
     */
    public record Campaign(String name, String text, List<Copy> copies) {
        /** Returns the bytes of the mail. */
        public byte[] mail() {
            return text.getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    /**
     * A mail to check.
     *
     * @param change the change, or the kind of mail
     * @param text the mail, one character for each byte
     */
    public record Copy(String change, String text) {
        /** Returns the bytes of the mail. */
        public byte[] mail() {
            return text.getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    /** Returns the campaigns, each with its copies. */
    public static List<Campaign> campaigns() {
        String fee = text("advance-fee.eml");
        String calls = text("cheap-calls.eml");
        String jobs = text("work-from-home.eml");
        String software = text("software-sale.eml");
        return List.of(
                new Campaign("advance fee letter", fee, List.of(
                        new Copy("changed name", replaced(replaced(fee, "Kola Owolabi", "Femi Adeyemi"),
                                "OWOLABI", "ADEYEMI")),
                        new Copy("other greeting", replaced(fee, "YOUR KIND ATTN.,", "Dear Mrs. Schmidt,")),
                        new Copy("added paragraph", replaced(fee, "I remain most obliged.", """
                                Please keep this matter strictly between the two of us until the transfer is complete,
                                and answer with your private telephone number at your earliest convenience.

                                I remain most obliged.""")))),
                new Campaign("cheap calls", calls, List.of(
                        new Copy("other greeting", replaced(calls, "Dear User,", "Hello Peter Miller,")),
                        new Copy("changed link", replaced(calls, "www.ireland.pd-dial.com", "www.call-abroad.biz")),
                        new Copy("changed number", replaced(replaced(calls, "1530 927 055", "1520 444 102"),
                                "1 530 927 055", "1 520 444 102")))),
                new Campaign("work from home", jobs, List.of(
                        new Copy("second mailing (real)", text("work-from-home-again.eml")))),
                new Campaign("software sale (HTML)", software, List.of(
                        new Copy("second mailing (real)", text("software-sale-again.eml")),
                        new Copy("changed link", replaced(software, "anythinggoeshere.com", "bargain-bits.net")),
                        new Copy("changed price", replaced(software, "29.99", "34.95")))));
    }

    /** Returns wanted mails that are unrelated to the campaigns. One of them is about cheap calls too. */
    public static List<Copy> unrelated() {
        return List.of(
                new Copy("newsletter on cheap calls", text("ham-international-calls.eml")),
                new Copy("sweepstakes notification", text("ham-sweepstakes.eml")),
                new Copy("list: find the biggest file", text("ham-biggest-file.eml")),
                new Copy("list: sylpheed-claws", text("ham-sylpheed.eml")),
                new Copy("list: sequences window", text("ham-list.eml")));
    }

    /**
     * Writes all mails, each to a file with a name that says what it is.
     *
     * @param folder where the folders {@link #LEARNED}, {@link #CHANGED} and {@link #WANTED} go
     * @return the folder
     */
    public static Path write(Path folder) throws IOException {
        for (Campaign campaign : campaigns()) {
            write(folder.resolve(LEARNED), campaign.name(), campaign.mail());
            for (Copy copy : campaign.copies()) {
                write(folder.resolve(CHANGED), campaign.name() + ' ' + copy.change(), copy.mail());
            }
        }
        for (Copy copy : unrelated()) {
            write(folder.resolve(WANTED), copy.change(), copy.mail());
        }
        return folder;
    }

    private static void write(Path folder, String name, byte[] mail) throws IOException {
        Files.createDirectories(folder);
        Files.write(folder.resolve(name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-")
                .replaceAll("-$", "") + ".eml"), mail);
    }

    private static String replaced(String mail, String from, String to) {
        if (!mail.contains(from)) {
            throw new IllegalStateException("the sample does not contain \"" + from + "\"");
        }
        return mail.replace(from, to);
    }

    /** Reads a sample. Latin-1 preserves every byte. */
    private static String text(String name) {
        try (InputStream in = Objects.requireNonNull(Samples.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read a sample of the demo", e);
        }
    }
}
