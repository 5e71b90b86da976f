package dev.weir.http.controller;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/** A finder of the Message-ID of a mail, for replies and the log. It does not parse the mail. */
public final class MessageId {
    private static final String NAME = "message-id:";
    private static final int MAX_HEAD = 256 << 10;
    private static final int MAX_ID = 1024;
    private static final Pattern BLANKS = Pattern.compile("[\\p{Cntrl}\\s]+");

    private MessageId() {}

    /** Returns the name of a mail in replies: its id without angle brackets, or {@code undef}. */
    public static String of(byte[] mail) {
        return in(mail).orElse("undef");
    }

    /** Returns the id of a mail without angle brackets. */
    static Optional<String> in(byte[] mail) {
        int end = Math.min(mail.length, MAX_HEAD);
        int line = 0;
        while (line < end) {
            int next = lineEnd(mail, line, end);
            if (isBlank(mail, line, next)) {
                break;
            }
            if (isNamed(mail, line, next)) {
                int stop = next;
                while (stop < end && (mail[stop] == ' ' || mail[stop] == '\t')) {
                    stop = lineEnd(mail, stop, end);
                }
                return value(mail, line + NAME.length(), Math.min(stop, line + MAX_ID));
            }
            line = next;
        }
        return Optional.empty();
    }

    /** Returns the position after the line feed of a line. */
    private static int lineEnd(byte[] mail, int from, int end) {
        int i = from;
        while (i < end && mail[i] != '\n') {
            i++;
        }
        return Math.min(i + 1, end);
    }

    private static boolean isBlank(byte[] mail, int from, int to) {
        return mail[from] == '\n' || (mail[from] == '\r' && (to - from < 2 || mail[from + 1] == '\n'));
    }

    private static boolean isNamed(byte[] mail, int from, int to) {
        if (to - from <= NAME.length()) {
            return false;
        }
        for (int i = 0; i < NAME.length(); i++) {
            byte b = mail[from + i];
            if ((b >= 'A' && b <= 'Z' ? b + 32 : b) != NAME.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static Optional<String> value(byte[] mail, int from, int to) {
        String raw = new String(mail, from, Math.max(0, to - from), StandardCharsets.UTF_8);
        String text = BLANKS.matcher(raw).replaceAll(" ").strip();
        int open = text.indexOf('<');
        int close = text.indexOf('>', open + 1);
        String id = open >= 0 && close > open ? text.substring(open + 1, close) : text;
        return id.isEmpty() ? Optional.empty() : Optional.of(id);
    }
}
