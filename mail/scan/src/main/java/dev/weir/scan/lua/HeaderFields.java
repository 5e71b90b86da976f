package dev.weir.scan.lua;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import dev.weir.lua.task.TaskView.Header;
import org.apache.james.mime4j.codec.DecodeMonitor;
import org.apache.james.mime4j.codec.DecoderUtil;

/**
 * The header fields of a mail as scripts see them: raw with folds, unfolded, and decoded.
 *
 * <p>Lines may end in CR LF, LF or CR. A first line that begins with {@code From } is skipped, as are lines without a
 * colon. At most {@value #MOST_FIELDS} fields in the first {@value #MOST_BYTES} bytes are read.
 */
final class HeaderFields {
    private static final int MOST_FIELDS = 2000;
    private static final int MOST_BYTES = 1 << 20;

    private HeaderFields() {}

    static List<Header> read(byte[] mail) {
        String text = new String(mail, 0, Math.min(mail.length, MOST_BYTES), StandardCharsets.UTF_8);
        List<Header> fields = new ArrayList<>();
        int at = 0;
        while (at < text.length() && fields.size() < MOST_FIELDS) {
            int end = lineEnd(text, at);
            if (end == at || isBreak(text.charAt(at))) {
                break;
            }
            while (end < text.length() && (text.charAt(end) == ' ' || text.charAt(end) == '\t')) {
                end = lineEnd(text, end);
            }
            add(fields, text.substring(at, end));
            at = end;
        }
        return List.copyOf(fields);
    }

    /** Returns the offset of the next line. */
    private static int lineEnd(String text, int from) {
        int at = from;
        while (at < text.length() && !isBreak(text.charAt(at))) {
            at++;
        }
        return Math.min(text.length(), text.startsWith("\r\n", at) ? at + 2 : at + 1);
    }

    private static boolean isBreak(char c) {
        return c == '\n' || c == '\r';
    }

    private static void add(List<Header> fields, String raw) {
        int colon = raw.indexOf(':');
        if (colon <= 0 || (raw.startsWith("From ") && fields.isEmpty())) {
            return;
        }
        String name = raw.substring(0, colon).strip();
        int start = colon + 1;
        while (start < raw.length() && (raw.charAt(start) == ' ' || raw.charAt(start) == '\t')) {
            start++;
        }
        String value = unfold(raw.substring(start));
        fields.add(new Header(name, value, decode(value), raw, fields.size(), raw.substring(colon + 1, start)));
    }

    /** Replaces each fold and the white space around it with one blank. */
    private static String unfold(String folded) {
        StringBuilder out = new StringBuilder(folded.length());
        int at = 0;
        while (at < folded.length()) {
            char c = folded.charAt(at);
            if (isBreak(c)) {
                while (at < folded.length() && (isBreak(folded.charAt(at)) || folded.charAt(at) == ' '
                        || folded.charAt(at) == '\t')) {
                    at++;
                }
                out.append(' ');
            } else {
                out.append(c);
                at++;
            }
        }
        return out.toString().stripTrailing();
    }

    static String decode(String value) {
        return value.contains("=?") ? DecoderUtil.decodeEncodedWords(value, DecodeMonitor.SILENT) : value;
    }
}
