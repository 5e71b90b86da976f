package dev.weir.hash.mime;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** Recognises kinds of text by their look (specification 1.7, item 4). */
final class TextHeuristic {
    private static final int HEAD = 160;
    private static final int TAIL = 81;
    private static final int SEARCHED = 4096;
    private static final int CSV_LINES = 11;
    private static final int ENOUGH = 40;

    private record Mark(Pattern pattern, int weight) {
        static Mark of(String regex, int weight) {
            return new Mark(Pattern.compile(regex, Pattern.CASE_INSENSITIVE), weight);
        }
    }

    private static final Mark[] HTML = {Mark.of("<html(?=[\\s>])", 32), Mark.of("<script\\b", 20),
        Mark.of("<script type=\"text/javascript\">", 31), Mark.of("<!DOCTYPE HTML\\b", 33), Mark.of("<body\\b", 20),
        Mark.of("<table\\b", 20), Mark.of("<a\\s", 10), Mark.of("<p\\b", 10), Mark.of("<div\\b", 10),
        Mark.of("<span\\b", 10)};
    private static final Pattern CSV = Pattern.compile("(?:[-a-zA-Z0-9_]++,){2,}[-a-zA-Z0-9_]++,?[ ]*+(?:[\\r\\n]|$)");
    private static final Pattern XML = Pattern.compile("^\\s*<\\?xml\\b.+\\?>");

    private TextHeuristic() {}

    /** Id of the kind of text found, or null if it is not text or says nothing. */
    static @Nullable String detect(byte[] data, ContentType declared, @Nullable String fileName, boolean encrypted) {
        if (encrypted || !isTextual(data)) {
            return null;
        }
        String head = new String(data, 0, Math.min(data.length, SEARCHED), StandardCharsets.ISO_8859_1);
        int html = htmlWeight(head);
        if (html >= ENOUGH) {
            return "html";
        }
        String best = html > 0 ? "html" : null;
        int weight = html;
        if (html == 0 && XML.matcher(head).lookingAt()) {
            best = "xml";
            weight = 40;
        }
        if (weight < 40 && isCsv(head)) {
            int csv = 20 * count(CSV, head);
            if (csv > weight) {
                best = "csv";
                weight = csv;
            }
        }
        if (best != null && (weight >= 40 || (weight >= 20 && fileName != null))) {
            return best;
        }
        String name = fileName == null ? "" : fileName.toLowerCase(Locale.ROOT);
        if (declared.is("text/html") || declared.is("application/html") || declared.is("application/xhtml+xml")) {
            return "html";
        }
        if (declared.subtype().equals("csv") && isCsv(head)) {
            return "csv";
        }
        if (name.endsWith(".htm") || name.endsWith(".html")) {
            return "html";
        }
        return declared.type().equals("text") ? "txt" : null;
    }

    /** Weight of the HTML tags, which is not summed up beyond what is enough. */
    private static int htmlWeight(String head) {
        int weight = 0;
        for (int at = head.indexOf('<'); at >= 0 && weight < ENOUGH; at = head.indexOf('<', at + 1)) {
            for (Mark mark : HTML) {
                weight += mark.pattern().matcher(head).region(at, head.length()).lookingAt() ? mark.weight() : 0;
            }
        }
        return weight;
    }

    private static int count(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        int count = 0;
        while (matcher.find()) {
            count++;
        }
        return count;
    }

    /** Whether up to 11 lines have the same number of commas, at least one. */
    private static boolean isCsv(String head) {
        int expected = -1;
        int commas = 0;
        int lines = 0;
        for (int i = 0; i < head.length() && lines < CSV_LINES; i++) {
            char c = head.charAt(i);
            if (c == ',') {
                commas++;
            } else if (c == '\n') {
                if (expected < 0) {
                    expected = commas;
                } else if (commas != expected) {
                    return false;
                }
                commas = 0;
                lines++;
            }
        }
        return expected > 0;
    }

    /** At most one byte in 128 of head and tail is not printable. */
    static boolean isTextual(byte[] data) {
        if (data.length < HEAD + TAIL) {
            return isTextual(data, 0, data.length, data.length);
        }
        // In the tail the reference counts one byte less than it reads.
        return isTextual(data, 0, HEAD, HEAD) && isTextual(data, data.length - TAIL, data.length, data.length - 1);
    }

    /**
     * Length of the high bytes at {@code at} that pass for text: one UTF-8 sequence, or three and more bytes of some 8-bit
     * charset; 0 if they do not. The reference wants one more byte behind both.
     */
    private static int highBytes(byte[] data, int at, int to) {
        if (at >= to) {
            return 0;
        }
        int sequence = looksLikeSequence(data, at, to);
        if (sequence > 1 && at + sequence < to) {
            return sequence;
        }
        int run = 0;
        while (at + run < to && (data[at + run] & 0xff) >= 127
                && (run == 0 || looksLikeSequence(data, at + run, to) == 0)) {
            run++;
        }
        return run >= 3 && at + 3 < to ? run : 0;
    }

    /** Length of a lead byte with its continuation bytes, overlong or not; 0 if there is none. */
    private static int looksLikeSequence(byte[] data, int at, int to) {
        int lead = data[at] & 0xff;
        int length = lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf8 ? 4 : 0;
        if (length == 0 || to - at < length) {
            return 0;
        }
        for (int i = 1; i < length; i++) {
            if ((data[at + i] & 0xc0) != 0x80) {
                return 0;
            }
        }
        return length;
    }

    private static boolean isTextual(byte[] data, int from, int to, int sequencesTo) {
        int odd = 0;
        for (int i = from; i < to;) {
            int b = data[i] & 0xff;
            if (b < 0x20) {
                if (b != '\r' && b != '\n' && b != '\t') {
                    odd++;
                }
                i++;
            } else if (b < 127) {
                i++;
            } else {
                int length = highBytes(data, i, sequencesTo);
                odd += length == 0 ? 1 : 0;
                i += Math.max(length, 1);
            }
        }
        return odd * 128 <= to - from;
    }
}
