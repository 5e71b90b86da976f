package dev.weir.hash.mime.header;

import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.bytes.Utf8;

/**
 * A parser for the {@code ; name=value} list of Content-Type and Content-Disposition, with RFC 2231 continuations and
 * charsets (docs/reference/hashing.md#header-values). Names become lower case. Values have one character per byte: the
 * original bytes, or UTF-8 if RFC 2231 or 2047 declares a charset.
 */
final class Parameters {
    /** Maximum number of parameters; further ones are ignored. */
    private static final int MAXIMUM = 1024;

    private final Map<String, String> values = new HashMap<>();
    private final Map<String, TreeMap<Integer, Piece>> pieces = new HashMap<>();

    private record Piece(String value, boolean encoded) {}

    private Parameters() {}

    /** Parses the list in {@code text}. {@code from} points at or before the first semicolon. */
    static Map<String, String> read(String text, int from) {
        Parameters parameters = new Parameters();
        int at = from;
        for (int count = 0; at < text.length() && count < MAXIMUM; count++) {
            at = parameters.readOne(text, at);
        }
        parameters.joinPieces();
        return Map.copyOf(parameters.values);
    }

    /**
     * Parses the list by the stricter grammar of Content-Disposition. A parameter with a malformed value is dropped; a
     * parameter without a name ends the list. {@code from} points at the first semicolon.
     */
    static Map<String, String> readStrict(String text, int from) {
        Parameters parameters = new Parameters();
        int at = from;
        for (int count = 0; at < text.length() && count < MAXIMUM; count++) {
            at = parameters.readOneStrictly(text, at);
        }
        parameters.joinPieces();
        return Map.copyOf(parameters.values);
    }

    /**
     * Parses one {@code ; name=value}.
     *
     * @return position of the next semicolon, or the end
     */
    private int readOneStrictly(String text, int from) {
        int at = skipPlainSpaces(text, from + 1);
        int nameStart = at;
        while (at < text.length() && isTokenChar(text.charAt(at))) {
            at++;
        }
        String name = Ascii.lower(text.substring(nameStart, at));
        at = skipPlainSpaces(text, at);
        if (name.isEmpty() || at >= text.length() || text.charAt(at) != '=') {
            return text.length();
        }
        int quote = skipPlainSpaces(text, at + 1);
        boolean quoted = quote < text.length() && text.charAt(quote) == '"';
        int valueStart = quoted ? quote + 1 : skipComments(text, at + 1);
        int valueEnd = quoted ? endOfQuoted(text, valueStart) : endOfToken(text, valueStart);
        if (quoted && valueEnd >= text.length()) {
            return text.length();
        }
        String value = text.substring(valueStart, valueEnd);
        at = quoted ? valueEnd + 1 : skipComments(text, valueEnd);
        boolean clean = isClean(value) && (at >= text.length() || text.charAt(at) == ';'
                || (quoted && text.charAt(at) == ' '));
        if (clean) {
            add(name, value);
        }
        int next = text.indexOf(';', at);
        return next < 0 ? text.length() : next;
    }

    private static int endOfToken(String text, int from) {
        int at = from;
        while (at < text.length() && isTokenChar(text.charAt(at))) {
            at++;
        }
        return at;
    }

    private static boolean isTokenChar(char c) {
        return c > ' ' && c != 0x7f && "()<>@:\\\"/[]?=;".indexOf(c) < 0;
    }

    /** Whether the value is valid UTF-8 without control characters. */
    private static boolean isClean(String value) {
        return Utf8.isValid(Ascii.bytes(value)) && value.chars().noneMatch(c -> c < ' ' || c == 0x7f);
    }

    private static int skipPlainSpaces(String text, int from) {
        int at = from;
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '(')) {
            at = text.charAt(at) == '(' ? endOfComment(text, at) : at + 1;
        }
        return at;
    }

    private static int skipComments(String text, int from) {
        int at = from;
        while (at < text.length() && text.charAt(at) == '(') {
            at = endOfComment(text, at);
        }
        return at;
    }

    /**
     * Returns the position of the quotation mark that closes the string at {@code from}, or the length if there is
     * none.
     */
    private static int endOfQuoted(String text, int from) {
        int end = from;
        while (end < text.length() && text.charAt(end) != '"') {
            end += text.charAt(end) == '\\' && end + 1 < text.length() ? 2 : 1;
        }
        return Math.min(end, text.length());
    }

    private int readOne(String text, int from) {
        int at = skip(text, from);
        int nameStart = at;
        while (at < text.length() && "=; \t(".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String name = Ascii.lower(text.substring(nameStart, at));
        at = skipBlanks(text, at);
        if (at >= text.length() || text.charAt(at) != '=') {
            return at == from ? at + 1 : at;
        }
        at = skipBlanks(text, at + 1);
        String value;
        if (at < text.length() && text.charAt(at) == '"') {
            int end = endOfQuoted(text, at + 1);
            if (end >= text.length()) {
                return end;
            }
            value = text.substring(at + 1, end);
            at = end + 1;
        } else {
            int end = at;
            while (end < text.length() && "; \t(".indexOf(text.charAt(end)) < 0) {
                end++;
            }
            value = text.substring(at, end);
            at = end;
        }
        if (!name.isEmpty()) {
            add(name, value);
        }
        return at;
    }

    private void add(String name, String value) {
        int star = name.indexOf('*');
        if (star < 0) {
            values.putIfAbsent(name, value);
            return;
        }
        String base = name.substring(0, star);
        String rest = name.substring(star + 1);
        if (rest.isEmpty()) {
            pieces.computeIfAbsent(base, key -> new TreeMap<>()).putIfAbsent(0, new Piece(value, true));
            return;
        }
        boolean encoded = rest.endsWith("*");
        String digits = encoded ? rest.substring(0, rest.length() - 1) : rest;
        if (!digits.isEmpty() && digits.length() <= 4 && digits.chars().allMatch(Ascii::isDigit)) {
            pieces.computeIfAbsent(base, key -> new TreeMap<>()).putIfAbsent(Integer.valueOf(digits),
                    new Piece(value, encoded));
        }
    }

    private void joinPieces() {
        pieces.forEach((name, ordered) -> {
            ByteArrayOutputStream joined = new ByteArrayOutputStream();
            String charset = "";
            boolean first = true;
            for (Piece piece : ordered.values()) {
                String value = piece.value();
                if (piece.encoded()) {
                    int quote = first ? value.indexOf('\'') : -1;
                    int second = quote < 0 ? -1 : value.indexOf('\'', quote + 1);
                    if (second >= 0) {
                        charset = value.substring(0, quote);
                        value = value.substring(second + 1);
                    }
                    joined.writeBytes(percentDecode(value));
                } else {
                    joined.writeBytes(Ascii.bytes(value));
                }
                first = false;
            }
            byte[] bytes = joined.toByteArray();
            byte[] utf8 = charset.isEmpty() ? null : HeaderText.toUtf8(bytes, charset);
            byte[] value = utf8 != null ? utf8 : bytes;
            values.putIfAbsent(name, Ascii.text(value, 0, value.length));
        });
    }

    private static byte[] percentDecode(String value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(value.length());
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '%' && i + 2 < value.length() && Ascii.hex(value.charAt(i + 1)) >= 0
                    && Ascii.hex(value.charAt(i + 2)) >= 0) {
                out.write(Ascii.hex(value.charAt(i + 1)) << 4 | Ascii.hex(value.charAt(i + 2)));
                i += 2;
            } else {
                out.write(c);
            }
        }
        return out.toByteArray();
    }

    /** Skips blanks, semicolons and comments. */
    private static int skip(String text, int from) {
        int at = from;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '(') {
                at = endOfComment(text, at);
            } else if (c == ';' || Ascii.isSpace(c)) {
                at++;
            } else {
                break;
            }
        }
        return at;
    }

    private static int skipBlanks(String text, int from) {
        int at = from;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '(') {
                at = endOfComment(text, at);
            } else if (Ascii.isSpace(c)) {
                at++;
            } else {
                break;
            }
        }
        return at;
    }

    /** Returns the position after the comment at {@code from}. An unclosed comment extends to the end. */
    static int endOfComment(String text, int from) {
        int depth = 0;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == '(') {
                depth++;
            } else if (c == ')' && --depth == 0) {
                return i + 1;
            }
        }
        return text.length();
    }
}
