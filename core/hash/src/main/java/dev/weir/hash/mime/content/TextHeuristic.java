package dev.weir.hash.mime.content;

import java.util.Locale;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.bytes.ByteSearch;
import dev.weir.hash.mime.header.ContentType;
import org.jspecify.annotations.Nullable;

/**
 * Heuristics that recognize kinds of text: HTML, XML, CSV, plain text (docs/reference/hashing.md#content-detection).
 */
final class TextHeuristic {
    private static final int HEAD = 160;
    private static final int TAIL = 81;
    private static final int SEARCHED = 4096;
    private static final int CSV_SEARCHED = 32768;
    private static final int CSV_LINES = 11;
    private static final int CSV_WEIGHT = 20;
    private static final int XML_WEIGHT = 40;
    private static final int ENOUGH = 40;
    /** The weight that ends the heuristics if the part has a file name. */
    private static final int ENOUGH_WITH_NAME = 20;
    /** The weight from which such an end is more than a refusal. */
    private static final int ACCEPTED = 30;

    /** The condition on the character after a mark. */
    private enum Then {
        ANYTHING, SPACE, SPACE_OR_CLOSE, WORD_END
    }

    /** The beginning of a tag in lower case, and its weight. */
    private record Mark(String text, Then then, int weight) {
        boolean standsAt(byte[] data, int at, int to) {
            if (!Ascii.startsWithIgnoreCase(data, at, to, text)) {
                return false;
            }
            int next = at + text.length() < to ? data[at + text.length()] : -1;
            return switch (then) {
                case ANYTHING -> true;
                case SPACE -> Ascii.isSpace(next);
                case SPACE_OR_CLOSE -> Ascii.isSpace(next) || next == '>';
                case WORD_END -> !Ascii.isAlphanumeric(next) && next != '_';
            };
        }
    }

    private static final Mark[] HTML = {new Mark("<html", Then.SPACE_OR_CLOSE, 32),
        new Mark("<script", Then.WORD_END, 20), new Mark("<script type=\"text/javascript\">", Then.ANYTHING, 31),
        new Mark("<!doctype html", Then.WORD_END, 33), new Mark("<body", Then.WORD_END, 20),
        new Mark("<table", Then.WORD_END, 20), new Mark("<a", Then.SPACE, 10), new Mark("<p", Then.WORD_END, 10),
        new Mark("<div", Then.WORD_END, 10), new Mark("<span", Then.WORD_END, 10)};
    private static final String XML = "<?xml";

    private TextHeuristic() {}

    /** Returns the id of the kind of text, or null if the data is not text or its kind is unknown. */
    static @Nullable String detect(byte[] data, ContentType declared, @Nullable String fileName, boolean encrypted) {
        if (encrypted || !isTextual(data)) {
            return null;
        }
        int searched = Math.min(data.length, SEARCHED);
        int html = htmlWeight(data, searched);
        if (html >= ENOUGH) {
            return "html";
        }
        int xml = html > 0 ? 0 : XML_WEIGHT * xmlDeclarations(data, searched);
        int csv = CSV_WEIGHT * CsvRows.count(data, searched);
        String best = csv >= Math.max(html, xml) ? "csv" : xml > 0 ? "xml" : "html";
        int weight = Math.max(html, Math.max(xml, csv));
        if (weight >= ENOUGH) {
            if (!best.equals("csv") || isCsv(data)) {
                return best;
            }
        } else if (weight >= ENOUGH_WITH_NAME && fileName != null) {
            return weight >= ACCEPTED ? best : null;
        }
        String name = fileName == null ? "" : fileName.toLowerCase(Locale.ROOT);
        if (declared.is("text/html") || declared.is("application/html") || declared.is("application/xhtml+xml")) {
            return "html";
        }
        if (declared.subtype().equals("csv") && isCsv(data)) {
            return "csv";
        }
        if (name.endsWith(".htm") || name.endsWith(".html")) {
            return "html";
        }
        return declared.type().equals("text") ? "txt" : null;
    }

    /** Returns the total weight of the HTML tags. The sum stops once it is decisive. */
    private static int htmlWeight(byte[] data, int to) {
        int weight = 0;
        int at = ByteSearch.indexOf(data, 0, to, '<');
        while (at < to && weight < ENOUGH) {
            for (Mark mark : HTML) {
                weight += mark.standsAt(data, at, to) ? mark.weight() : 0;
            }
            at = ByteSearch.indexOf(data, at + 1, to, '<');
        }
        return weight;
    }

    /** Returns the number of ends of instructions behind the first XML declaration, wherever it stands. */
    private static int xmlDeclarations(byte[] data, int to) {
        int start = ByteSearch.indexOf(data, 0, to, '<');
        while (start < to && !isXmlDeclaration(data, start, to)) {
            start = ByteSearch.indexOf(data, start + 1, to, '<');
        }
        int count = 0;
        for (int i = start + XML.length() + 1; i + 1 < to; i++) {
            count += data[i] == '?' && data[i + 1] == '>' ? 1 : 0;
        }
        return count;
    }

    private static boolean isXmlDeclaration(byte[] data, int at, int to) {
        int next = at + XML.length();
        return next < to && Ascii.text(data, at, next).equals(XML) && !Ascii.isAlphanumeric(data[next])
                && data[next] != '_';
    }

    /** Whether the first lines, up to 11, have the same number of fields and at least two. Blank lines do not count. */
    private static boolean isCsv(byte[] data) {
        int to = Math.min(data.length, CSV_SEARCHED);
        int expected = -1;
        int from = 0;
        for (int lines = 0; from < to && lines < CSV_LINES; lines++) {
            int end = ByteSearch.indexOf(data, from, to, '\n');
            // The last line, or lines that only carriage returns separate.
            end = end < to ? end : ByteSearch.indexOf(data, from, to, '\r');
            int fields = fields(data, from, end);
            if (fields < 2 || (expected >= 0 && fields != expected)) {
                return false;
            }
            expected = fields;
            from = end;
            while (from < to && Ascii.isBreak(data[from])) {
                from++;
            }
        }
        return true;
    }

    /**
     * Returns the number of fields of a line: separated by commas or, after a quoted field, by tabs. The result is 0 if
     * something else follows a field.
     */
    private static int fields(byte[] data, int from, int to) {
        int at = from;
        int fields = 0;
        boolean separated = true;
        while (separated) {
            at = fieldEnd(data, at, to);
            fields++;
            separated = at < to && (data[at] == ',' || data[at] == '\t');
            at += separated ? 1 : 0;
        }
        return at == to || data[at] == '\r' ? fields : 0;
    }

    /** Returns the end of a field. One without quotes ends before a comma or a quote only. */
    private static int fieldEnd(byte[] data, int from, int to) {
        int at = from;
        if (at < to && data[at] == '"') {
            at++;
            while (at < to && (data[at] != '"' || (at + 1 < to && data[at + 1] == '"'))) {
                at += data[at] == '"' ? 2 : 1;
            }
            return at < to ? at + 1 : from;
        }
        while (at < to && data[at] != ',' && data[at] != '"') {
            at++;
        }
        return at;
    }

    /** Whether at most one byte in 128 of head and tail is unprintable. */
    static boolean isTextual(byte[] data) {
        if (data.length < HEAD + TAIL) {
            return isTextual(data, 0, data.length, data.length);
        }
        // In the tail, Rspamd counts one byte less than it reads.
        return isTextual(data, 0, HEAD, HEAD) && isTextual(data, data.length - TAIL, data.length, data.length - 1);
    }

    /**
     * Returns the length of the high bytes at {@code at} that count as text: one UTF-8 sequence, or at least three
     * bytes of an 8-bit charset; 0 if they do not. In both cases Rspamd requires one more byte after them.
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

    /** Returns the length of a lead byte with its continuation bytes, possibly overlong; 0 if there is none. */
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
