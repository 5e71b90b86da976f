package dev.weir.config.ucl;

import dev.weir.config.source.Origin;
import dev.weir.config.source.SourceText;
import org.jspecify.annotations.Nullable;

/**
 * A text with a position, and the scanner of its context-free pieces: spaces, comments, quoted texts and heredocs. It
 * reads no piece twice, so the work is linear in the length of the text.
 */
final class Lexer {
    private final SourceText source;
    private final String text;
    private final int end;
    private int at;

    Lexer(SourceText source, int start, int end) {
        this.source = source;
        this.text = source.text();
        this.at = start;
        this.end = end;
    }

    /**
     * A quoted text.
     *
     * @param text the text, with its escapes resolved
     * @param dollar whether the text may refer to variables
     */
    record Quoted(String text, boolean dollar) {}

    SourceText source() {
        return source;
    }

    int at() {
        return at;
    }

    void moveTo(int position) {
        at = position;
    }

    int peek() {
        return peek(0);
    }

    int peek(int ahead) {
        return at + ahead < end ? text.charAt(at + ahead) : Chars.END;
    }

    int next() {
        int c = peek();
        at = Math.min(at + 1, end);
        return c;
    }

    boolean atEnd() {
        return at >= end;
    }

    boolean looksAt(String expected) {
        return at + expected.length() <= end && text.startsWith(expected, at);
    }

    String since(int start) {
        return text.substring(start, at);
    }

    String between(int start, int stop) {
        return text.substring(start, stop);
    }

    Origin originAt(int position) {
        return source.originAt(position);
    }

    UclSyntaxException error(int position, String message) {
        return new UclSyntaxException(originAt(position), message);
    }

    /** Returns an error at the current character, with the expected and the found text. */
    UclSyntaxException unexpected(String expected) {
        return error(at, expected + ", but found " + Chars.show(peek()));
    }

    void skipBlanks() {
        while (Chars.isBlank(peek())) {
            at++;
        }
    }

    void skipSpaces() {
        while (Chars.isSpace(peek())) {
            at++;
        }
    }

    boolean atComment() {
        return peek() == '#' || (peek() == '/' && peek(1) == '*');
    }

    /** Skips one comment, and the end of its line after a {@code #} comment. */
    boolean skipComment() throws UclSyntaxException {
        if (peek() == '#') {
            while (!atEnd() && peek() != '\n') {
                at++;
            }
            next();
            return true;
        }
        if (peek() == '/' && peek(1) == '*') {
            skipBlockComment();
            return true;
        }
        return false;
    }

    private void skipBlockComment() throws UclSyntaxException {
        int start = at;
        int depth = 0;
        boolean quoted = false;
        while (!atEnd()) {
            int c = peek();
            if (c == '"' && depth > 0) {
                quoted = !quoted;
            } else if (quoted && c == '\\') {
                at++;
            } else if (!quoted && c == '/' && peek(1) == '*') {
                depth++;
                at++;
            } else if (!quoted && c == '*' && peek(1) == '/') {
                depth--;
                at++;
                if (depth == 0) {
                    at++;
                    return;
                }
            }
            at++;
        }
        throw error(start, "this comment is not closed, expected \"*/\"" + (quoted ? " outside quotes" : ""));
    }

    /** Skips spaces, separators and comments between members or items. */
    void skipBetween() throws UclSyntaxException {
        while (Chars.isSpace(peek()) || Chars.isSeparator(peek()) || atComment()) {
            if (!skipComment()) {
                at++;
            }
        }
    }

    /** Reads the text in double quotes that begins here and resolves its escapes. */
    Quoted doubleQuoted() throws UclSyntaxException {
        int start = at++;
        StringBuilder out = new StringBuilder();
        boolean dollar = false;
        while (true) {
            int c = next();
            switch (c) {
                case '"' -> {
                    return new Quoted(out.toString(), dollar);
                }
                case '\\' -> {
                    dollar |= peek() == '$';
                    escape(out);
                }
                case Chars.END -> throw error(start, "this string is not closed, expected '\"'");
                case '\n', '\r' -> throw error(at - 1,
                        "a string in double quotes may not span lines, expected '\"' or \\n");
                default -> {
                    if (c < 0x1f) {
                        throw error(at - 1, "a string in double quotes may not hold " + Chars.show(c)
                                + (c == '\t' ? " (a tab), write \\t" : ""));
                    }
                    dollar |= c == '$';
                    out.append((char) c);
                }
            }
        }
    }

    /** Reads the escape sequence after a backslash. */
    void escape(StringBuilder out) throws UclSyntaxException {
        int c = next();
        switch (c) {
            case 'n' -> out.append('\n');
            case 'r' -> out.append('\r');
            case 't' -> out.append('\t');
            case 'b' -> out.append('\b');
            case 'f' -> out.append('\f');
            case 'u' -> {
                int unit = 0;
                for (int i = 0; i < 4; i++) {
                    int digit = atEnd() ? -1 : Character.digit(peek() < 0x80 ? (char) peek() : ' ', 16);
                    if (digit < 0) {
                        throw unexpected("expected four hexadecimal digits after \\u");
                    }
                    unit = unit << 4 | digit;
                    at++;
                }
                out.append((char) unit);
            }
            case Chars.END -> out.append('\\');
            default -> out.append((char) c);
        }
    }

    /**
     * Reads the text in single quotes that begins here. Only {@code \'} and a backslash before a newline are special.
     */
    String singleQuoted() throws UclSyntaxException {
        int start = at++;
        StringBuilder out = new StringBuilder();
        while (true) {
            int c = next();
            switch (c) {
                case '\'' -> {
                    return out.toString();
                }
                case '\\' -> {
                    int escaped = next();
                    switch (escaped) {
                        case '\'' -> out.append('\'');
                        case '\n' -> {
                            // The text continues on the next line.
                        }
                        case Chars.END -> throw error(start, "this string is not closed, expected \"'\"");
                        default -> out.append('\\').append((char) escaped);
                    }
                }
                case Chars.END -> throw error(start, "this string is not closed, expected \"'\"");
                default -> out.append((char) c);
            }
        }
    }

    /**
     * Returns the heredoc that begins here (docs/reference/configuration-language.md#heredocs), or null if the text
     * here is something else. Unlike in Rspamd, lines may end in CR LF; the value then has LF only.
     */
    @Nullable
    Quoted heredoc() throws UclSyntaxException {
        int name = at + 2;
        int nameEnd = name;
        while (nameEnd < end && text.charAt(nameEnd) >= 'A' && text.charAt(nameEnd) <= 'Z') {
            nameEnd++;
        }
        boolean crlf = nameEnd + 1 < end && text.charAt(nameEnd) == '\r';
        int lineEnd = crlf ? nameEnd + 1 : nameEnd;
        if (!looksAt("<<") || nameEnd == name || lineEnd >= end || text.charAt(lineEnd) != '\n') {
            return null;
        }
        String term = text.substring(name, nameEnd);
        int content = lineEnd + 1;
        for (int line = text.indexOf('\n', content); line >= 0 && line < end; line = text.indexOf('\n', line + 1)) {
            int after = line + 1 + term.length();
            if (after <= end && text.startsWith(term, line + 1) && endsHeredoc(after, crlf)) {
                at = after;
                int stop = crlf && line > content && text.charAt(line - 1) == '\r' ? line - 1 : line;
                String value = text.substring(content, stop);
                value = crlf ? value.replace("\r\n", "\n") : value;
                return new Quoted(value, value.indexOf('$') >= 0);
            }
        }
        throw error(at, "expected a line that begins with " + term + " and ends there or with ';' or ',',"
                + " with at least one line before it");
    }

    private boolean endsHeredoc(int position, boolean crlf) {
        if (position >= end) {
            return true;
        }
        return switch (text.charAt(position)) {
            case '\n', ';', ',' -> true;
            case '\r' -> crlf;
            default -> false;
        };
    }
}
