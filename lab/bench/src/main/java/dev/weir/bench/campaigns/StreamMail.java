package dev.weir.bench.campaigns;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A mail of a stream.
 *
 * @param file    its file
 * @param content its bytes
 * @param arrival when the last server received it, or the date of its sender, or the epoch
 * @param sender  the domain of its sender in lower case; empty if it names none
 * @param subject the subject in lower case without marks of answers and lists; empty if it has none
 */
@SuppressWarnings("ArrayRecordComponent") // read once and never compared
public record StreamMail(Path file, byte[] content, Instant arrival, String sender, String subject) {
    private static final Pattern DATE = Pattern.compile(
            "(\\d{1,2} [A-Za-z]{3} \\d{4} \\d{1,2}:\\d{2}:\\d{2}) *([+-]\\d{4})?");
    /** Not {@code \\R\\R}, which takes CR and LF of one line for two ends. */
    private static final Pattern END = Pattern.compile("\\r?\\n\\r?\\n");
    private static final Pattern FOLD = Pattern.compile("\\R[ \\t]+");
    private static final Pattern RECEIVED = Pattern.compile("(?im)^(?:Received|Date):.*");
    private static final Pattern FROM = Pattern.compile("(?im)^From:.*?@([A-Za-z0-9.-]+)");
    private static final Pattern SUBJECT = Pattern.compile("(?im)^Subject:(.*)");
    private static final Pattern MARKS = Pattern.compile("^((re|fwd?|aw|sv)\\s*(\\[\\d+\\])?:|\\[[^\\]]*\\]|\\s)+");
    private static final DateTimeFormatter FORM = DateTimeFormatter.ofPattern("d MMM yyyy H:mm:ss", Locale.ROOT);
    private static final int MOST_HEADERS = 65_536;

    /** Reads all files of a folder and the folders in it, in order of arrival, then by name. */
    public static List<StreamMail> readAll(Path folder) throws IOException {
        List<StreamMail> mails = new ArrayList<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                mails.add(read(file));
            }
        }
        return inOrder(mails);
    }

    static List<StreamMail> inOrder(List<StreamMail> mails) {
        return mails.stream()
                .sorted(Comparator.comparing(StreamMail::arrival)
                        .thenComparing((StreamMail mail) -> mail.file().toString()))
                .toList();
    }

    static StreamMail read(Path file) throws IOException {
        byte[] content = Files.readAllBytes(file);
        String text = new String(content, 0, Math.min(content.length, MOST_HEADERS), StandardCharsets.ISO_8859_1);
        Matcher end = END.matcher(text);
        String folded = end.find() ? text.substring(0, end.start()) : text;
        String headers = FOLD.matcher(folded).replaceAll(" ");
        Matcher from = FROM.matcher(headers);
        Matcher subject = SUBJECT.matcher(headers);
        return new StreamMail(file, content, arrivalOf(headers),
                from.find() ? from.group(1).toLowerCase(Locale.ROOT) : "",
                subject.find() ? bare(subject.group(1)) : "");
    }

    private static String bare(String subject) {
        return MARKS.matcher(subject.toLowerCase(Locale.ROOT).replaceAll("\\s+", " ")).replaceFirst("").strip();
    }

    /** Returns whether another mail comes from another domain and is about something else. */
    boolean isApart(StreamMail other) {
        return !sender.equals(other.sender) && !subject.equals(other.subject);
    }

    private static Instant arrivalOf(String headers) {
        Matcher field = RECEIVED.matcher(headers);
        while (field.find()) {
            Matcher date = DATE.matcher(field.group().replaceAll("\\s+", " "));
            if (date.find()) {
                try {
                    ZoneOffset zone = date.group(2) == null ? ZoneOffset.UTC : ZoneOffset.of(date.group(2));
                    return LocalDateTime.parse(date.group(1), FORM).toInstant(zone);
                } catch (DateTimeException | IllegalArgumentException e) {
                    // Not a date after all: the next field may have one.
                }
            }
        }
        return Instant.EPOCH;
    }
}
