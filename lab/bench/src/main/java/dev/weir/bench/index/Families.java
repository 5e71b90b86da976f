package dev.weir.bench.index;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.weir.hash.FuzzyHash;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;

/**
 * Near duplicates of real mails. Some words of the text are replaced by words of other mails, as a sender does to make
 * each copy unique, and the copies are hashed like any mail. Only mails with a single unencoded plain-text part are
 * used.
 */
public final class Families {
    private static final int FEWEST_WORDS = 60;
    private static final int MOST_BYTES = 64 << 10;

    /** A word with the white space after it. */
    private static final Pattern WORDS = Pattern.compile("(?<=\\s)(?=\\S)");

    private final MailHasher hasher = MailHasher.standard();
    private final HashRule rule = HashRule.recommended();
    private final List<Mail> mails = new ArrayList<>();

    /** The header with the empty line, and the words of the text. */
    private record Mail(String header, List<String> words) {}

    private Families() {}

    /**
     * Reads the mails of a folder and its subfolders in the order of their names.
     *
     * @param most maximum number of mails
     * @throws IOException if a file cannot be read
     */
    public static Families read(Path folder, int most) throws IOException {
        Families families = new Families();
        List<Path> files;
        try (Stream<Path> walk = Files.walk(folder)) {
            files = walk.filter(Files::isRegularFile).sorted().toList();
        }
        int step = Math.max(1, files.size() / (4 * most));
        for (int i = 0; i < files.size() && families.mails.size() < most; i += step) {
            parse(Files.readString(files.get(i), StandardCharsets.ISO_8859_1)).ifPresent(families.mails::add);
        }
        return families;
    }

    private static Optional<Mail> parse(String text) {
        int end = text.indexOf("\n\n");
        if (end < 0 || text.length() > MOST_BYTES) {
            return Optional.empty();
        }
        String header = text.substring(0, end + 2);
        String lower = header.toLowerCase(Locale.ROOT);
        List<String> words = WORDS.splitAsStream(text.substring(end + 2)).toList();
        boolean plain = !lower.contains("content-type:") || lower.contains("content-type: text/plain");
        boolean encoded = lower.contains("base64") || lower.contains("quoted-printable");
        return plain && !encoded && words.size() >= FEWEST_WORDS
                ? Optional.of(new Mail(header, words))
                : Optional.empty();
    }

    /** Returns the number of families. */
    public int size() {
        return mails.size();
    }

    /**
     * Returns the shingles of a copy of a mail in which about one in {@code rarity} words is replaced.
     *
     * @return empty if the mail has no shingles
     */
    public Optional<long[]> copy(int family, int rarity, SplittableRandom random) {
        Mail mail = mails.get(family);
        StringBuilder text = new StringBuilder(mail.header());
        for (String word : mail.words()) {
            if (random.nextInt(rarity) == 0) {
                List<String> others = mails.get(random.nextInt(mails.size())).words();
                text.append(others.get(random.nextInt(others.size())).strip())
                        .append(word.endsWith("\n") ? '\n' : ' ');
            } else {
                text.append(word);
            }
        }
        return hasher.hash(text.toString().getBytes(StandardCharsets.ISO_8859_1), rule).stream()
                .filter(FuzzyHash::hasShingles).map(FuzzyHash::shingles).findFirst();
    }
}
