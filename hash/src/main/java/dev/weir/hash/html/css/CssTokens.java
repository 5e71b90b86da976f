package dev.weir.hash.html.css;

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

    /**
     * @param text the name, or the character of a DELIM; the unit of a NUMBER ({@code %} for a percentage)
     * @param value value of a NUMBER
     */
    record Token(Kind kind, String text, float value) {
        boolean is(char delim) {
            return kind == Kind.DELIM && text.charAt(0) == delim;
        }

        boolean opensBlock() {
            return is('{') || is('(') || is('[');
        }

        /** Whether the character structures a style sheet, as opposed to one without a meaning of its own. */
        boolean isStructure() {
            return kind == Kind.DELIM && ":;[]{}".indexOf(text.charAt(0)) >= 0;
        }
    }

    private static final Token OPEN_BRACE = new Token(Kind.DELIM, "{", 0);
    private static final Token SPACE = new Token(Kind.SPACE, " ", 0);

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
        return new Token(Kind.DELIM, String.valueOf(c), 0);
    }

    private Token string(char quote) {
        int i = at + 1;
        while (i < css.length() && css.charAt(i) != quote) {
            i += css.charAt(i) == '\\' ? 2 : 1;
        }
        at = Math.min(i + 1, css.length());
        return new Token(Kind.OPAQUE, "", 0);
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
        float value;
        try {
            value = Float.parseFloat(css.substring(start, at));
        } catch (NumberFormatException noNumber) {
            throw new AssertionError("the characters were looked at above", noNumber);
        }
        if (peek(0) == '%') {
            at++;
            return new Token(Kind.NUMBER, "%", value);
        }
        int unit = at;
        while (at < css.length() && css.charAt(at) >= 'a' && css.charAt(at) <= 'z') {
            at++;
        }
        return new Token(Kind.NUMBER, css.substring(unit, at), value);
    }

    /** Reads a name; it is a function if a parenthesis follows. */
    private Token ident(Kind kind) {
        String name = name();
        if (peek(0) != '(') {
            return new Token(kind, name, 0);
        }
        at++;
        if (!name.equals("url")) {
            return new Token(Kind.FUNCTION, name, 0);
        }
        int close = css.indexOf(')', at);
        at = close < 0 ? css.length() : close + 1;
        return new Token(Kind.OPAQUE, "", 0);
    }

    private String name() {
        int start = at;
        while (at < css.length() && continuesName(css.charAt(at))) {
            at++;
        }
        return css.substring(start, at);
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
