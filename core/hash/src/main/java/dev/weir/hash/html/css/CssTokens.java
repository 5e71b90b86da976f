package dev.weir.hash.html.css;

import java.util.List;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/**
 * A CSS tokenizer, limited to what visibility needs: comments disappear, and a string or {@code url(…)} is one token.
 * It accepts any input in linear time. ASCII letters are converted to lower case first.
 */
final class CssTokens {
    enum Kind {
        /** A name: letters, digits, {@code - _}, bytes above 127. */
        IDENT,
        /** {@code @name}. */
        AT,
        /** {@code #name}. */
        HASH,
        /** A number with its unit or {@code %}. */
        NUMBER,
        /** A name and the opening parenthesis directly after it. */
        FUNCTION,
        /** A string or a URL; its content is not examined. */
        OPAQUE,
        SPACE,
        /** Any other single character. */
        DELIM
    }

    /** A token. Its text becomes a string only when it is needed, because most tokens of a sheet have no effect. */
    static final class Token {
        private final Kind kind;
        private final float value;
        private final String css;
        private final int from;
        private final int to;
        /** The character of a DELIM, else 0. */
        private final char delim;
        private @Nullable String text;

        private Token(Kind kind, float value, String css, int from, int to) {
            this.kind = kind;
            this.value = value;
            this.css = css;
            this.from = from;
            this.to = to;
            this.delim = kind == Kind.DELIM ? css.charAt(from) : 0;
        }

        /** Returns a token whose text is all of {@code text}. */
        private static Token of(Kind kind, String text) {
            return new Token(kind, 0, text, 0, text.length());
        }

        Kind kind() {
            return kind;
        }

        /** Returns the name, or the character of a DELIM; the unit of a NUMBER ({@code %} for a percentage). */
        String text() {
            String known = text;
            if (known == null) {
                known = css.substring(from, to);
                text = known;
            }
            return known;
        }

        /** Returns the value of a NUMBER. */
        float value() {
            return value;
        }

        boolean is(char character) {
            return delim == character;
        }

        boolean opensBlock() {
            return is('{') || is('(') || is('[');
        }

        /** Whether the character structures a style sheet, as opposed to one without a meaning of its own. */
        boolean isStructure() {
            return kind == Kind.DELIM && ":;[]{}".indexOf(delim) >= 0;
        }
    }

    private static final Token SPACE = Token.of(Kind.SPACE, " ");
    private static final Token OPAQUE = Token.of(Kind.OPAQUE, "");
    /** The token of each character that is one of its own; all are below 0x80, because others begin a name. */
    private static final List<Token> DELIMS = IntStream.range(0, 0x80)
            .mapToObj(c -> Token.of(Kind.DELIM, Character.toString(c))).toList();
    private static final String URL = "url";
    private static final Token OPEN_BRACE = DELIMS.get('{');
    /** Powers of ten that a {@code float} holds exactly. */
    private static final float[] POWERS = {1, 10, 100, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f};
    /** Digits of a number that a {@code float} always holds exactly. */
    private static final int EXACT_DIGITS = 7;

    private final String css;
    private int at;
    private boolean passedMark;

    private CssTokens(String lowerCased) {
        this.css = lowerCased;
    }

    /** Tokenizes {@code css}, in which a character may also represent one byte of UTF-8. */
    static CssTokens of(String css) {
        return new CssTokens(lower(css));
    }

    /** Returns the next token, or null at the end. */
    @Nullable
    Token next() {
        while (at < css.length() && skipComment()) {
            // Skip the comment.
        }
        return at < css.length() ? token() : null;
    }

    /** Skips to the end of the block that {@code opening} opened. Blocks of each kind of brackets nest. */
    void skipBlock(Token opening) {
        StringBuilder closings = new StringBuilder().append(closing(opening));
        for (Token token = next(); token != null; token = next()) {
            int innermost = closings.length() - 1;
            if (token.is(closings.charAt(innermost))) {
                closings.setLength(innermost);
                if (innermost == 0) {
                    return;
                }
            } else if (token.opensBlock()) {
                closings.append(closing(token));
            } else if (token.kind() == Kind.FUNCTION) {
                skipFunction();
            }
        }
    }

    /** Skips to the end of the enclosing block in braces. */
    void skipToBrace() {
        skipBlock(OPEN_BRACE);
    }

    private void skipFunction() {
        for (Token token = next(); token != null && !token.is(')'); token = next()) {
            // A function ends at the first parenthesis that closes, even one of an inner function.
        }
    }

    private static char closing(Token opening) {
        return opening.is('{') ? '}' : opening.is('(') ? ')' : ']';
    }

    /** Whether a mark that hides a sheet from old browsers was skipped since the last call. */
    boolean passedMark() {
        boolean passed = passedMark;
        passedMark = false;
        return passed;
    }

    private static String lower(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (isUpper(text.charAt(i))) {
                char[] lower = text.toCharArray();
                for (; i < lower.length; i++) {
                    lower[i] = isUpper(lower[i]) ? (char) (lower[i] + 32) : lower[i];
                }
                return new String(lower);
            }
        }
        return text;
    }

    private static boolean isUpper(char c) {
        return c >= 'A' && c <= 'Z';
    }

    private boolean skipComment() {
        char first = css.charAt(at);
        if (first != '/' && first != '<' && first != '-') {
            return false;
        }
        if (css.startsWith("/*", at)) {
            at = commentEnd(at + 2);
            return true;
        }
        int mark = css.startsWith("<!--", at) ? 4 : css.startsWith("-->", at) ? 3 : 0;
        if (mark > 0) {
            at += mark;
            passedMark = true;
            return true;
        }
        return false;
    }

    /** Returns the end of a comment, in which comments nest. The last character never belongs to one without an end. */
    private int commentEnd(int from) {
        int depth = 1;
        int i = from;
        while (i < css.length() - 1) {
            if (css.startsWith("*/", i)) {
                depth--;
                i += 2;
                if (depth == 0) {
                    return i;
                }
            } else if (css.startsWith("/*", i)) {
                depth++;
                i += 2;
            } else {
                i++;
            }
        }
        return Math.max(from, i);
    }

    private Token token() {
        char c = css.charAt(at);
        if (isSpace(c)) {
            while (at < css.length() && isSpace(css.charAt(at))) {
                at++;
            }
            return SPACE;
        }
        if (c == '"' || c == '\'') {
            return string(c);
        }
        if (isDigit(c) || (c == '.' && isDigit(peek(1)))
                || ((c == '-' || c == '+') && isDigit(peek(1)))) {
            return number();
        }
        if (startsName(c)) {
            return ident(Kind.IDENT);
        }
        if (c == '#' && continuesName(peek(1)) && continuesName(peek(2))) {
            at++;
            return ident(Kind.HASH);
        }
        if (c == '@' && startsName(peek(1)) && continuesName(peek(2)) && continuesName(peek(3))) {
            at++;
            return ident(Kind.AT);
        }
        at++;
        return DELIMS.get(c);
    }

    private Token string(char quote) {
        int i = at + 1;
        while (i < css.length() && css.charAt(i) != quote) {
            i += css.charAt(i) == '\\' ? 2 : 1;
        }
        at = Math.min(i + 1, css.length());
        return OPAQUE;
    }

    private Token number() {
        int start = at;
        at++;
        boolean dot = css.charAt(start) == '.';
        while (at < css.length() && (isDigit(css.charAt(at)) || (!dot && css.charAt(at) == '.' && isDigit(peek(1))))) {
            dot |= css.charAt(at) == '.';
            at++;
        }
        if (peek(0) == 'e' && (isDigit(peek(1)) || ((peek(1) == '-' || peek(1) == '+') && isDigit(peek(2))))) {
            at += 2;
            while (isDigit(peek(0))) {
                at++;
            }
        }
        float value = value(start, at);
        if (peek(0) == '%') {
            at++;
            return new Token(Kind.NUMBER, value, css, at - 1, at);
        }
        int unit = at;
        while (at < css.length() && css.charAt(at) >= 'a' && css.charAt(at) <= 'z') {
            at++;
        }
        return new Token(Kind.NUMBER, value, css, unit, at);
    }

    /** Returns the number in [from, to). */
    private float value(int from, int to) {
        int digits = 0;
        int decimals = 0;
        int whole = 0;
        boolean dot = false;
        boolean sign = css.charAt(from) == '-' || css.charAt(from) == '+';
        for (int i = sign ? from + 1 : from; i < to; i++) {
            char c = css.charAt(i);
            if (c == '.') {
                dot = true;
                continue;
            }
            if (!isDigit(c) || ++digits > EXACT_DIGITS) {
                return parsed(from, to);
            }
            whole = 10 * whole + c - '0';
            decimals += dot ? 1 : 0;
        }
        // Both operands are exact, so the quotient is rounded only once, as in the conversion of the text.
        float value = whole / POWERS[decimals];
        return css.charAt(from) == '-' ? -value : value;
    }

    private float parsed(int from, int to) {
        try {
            return Float.parseFloat(css.substring(from, to));
        } catch (NumberFormatException noNumber) {
            throw new AssertionError("the characters were looked at before", noNumber);
        }
    }

    /** Reads a name; it is a function if a parenthesis follows. */
    private Token ident(Kind kind) {
        int start = at;
        skipName();
        int end = at;
        if (peek(0) != '(') {
            return new Token(kind, 0, css, start, end);
        }
        at++;
        if (end - start != URL.length() || !css.startsWith(URL, start)) {
            return new Token(Kind.FUNCTION, 0, css, start, end);
        }
        int close = css.indexOf(')', at);
        at = close < 0 ? css.length() : close + 1;
        return OPAQUE;
    }

    private void skipName() {
        while (at < css.length() && continuesName(css.charAt(at))) {
            at++;
        }
    }

    private char peek(int ahead) {
        return at + ahead < css.length() ? css.charAt(at + ahead) : 0;
    }

    private static boolean isSpace(char c) {
        return c == ' ' || (c >= 9 && c <= 13);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /** Whether the character starts a name; unlike in the standard, a hyphen does not. */
    private static boolean startsName(char c) {
        return (c >= 'a' && c <= 'z') || c == '_' || c >= 0x80;
    }

    private static boolean continuesName(char c) {
        return startsName(c) || c == '-' || isDigit(c);
    }
}
