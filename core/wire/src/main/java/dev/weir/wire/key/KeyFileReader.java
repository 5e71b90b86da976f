package dev.weir.wire.key;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A parser for the subset of UCL and JSON that key files use: objects, strings in double quotes, bare words, {@code #}
 * comments and nested block comments. The separators {@code =} and {@code :} after a name, and {@code ;} and {@code ,}
 * after a value, are optional. Arrays, macros, variables and heredocs are not supported, because key files do not use
 * them.
 */
final class KeyFileReader {
    private static final int MAX_DEPTH = 8;

    private final String text;
    private int at;
    private int line = 1;

    /** The value of a member. */
    sealed interface Value {}

    /**
     * A string or bare word.
     *
     * @param value the characters
     * @param line the line in which it begins
     */
    record Text(String value, int line) implements Value {
        /** Hides the value, which may be a secret key. */
        @Override
        public String toString() {
            return "Text[line " + line + "]";
        }
    }

    /**
     * An object.
     *
     * @param members the members by name; the first of several members with the same name counts
     */
    record Block(Map<String, Value> members) implements Value {}

    KeyFileReader(String text) {
        this.text = text;
    }

    int line() {
        return line;
    }

    Block read() throws KeyFileException {
        skip();
        boolean braced = accept('{');
        Block top = members(braced, 1);
        skip();
        if (at < text.length()) {
            throw error("text follows the closing brace");
        }
        return top;
    }

    /** Parses members up to the closing brace, or to the end of the text if there is no opening brace. */
    private Block members(boolean braced, int depth) throws KeyFileException {
        if (depth > MAX_DEPTH) {
            throw error("objects are nested deeper than " + MAX_DEPTH);
        }
        int opened = line;
        Map<String, Value> members = new LinkedHashMap<>();
        while (true) {
            skip();
            if (at == text.length()) {
                if (braced) {
                    throw new KeyFileException(opened, "the object that begins here is not closed");
                }
                return new Block(members);
            }
            if (braced && accept('}')) {
                return new Block(members);
            }
            String name = word("a name").value();
            skip();
            if (accept('=') || accept(':')) {
                skip();
            }
            Value value = accept('{') ? members(true, depth + 1) : word("a value after this name");
            members.putIfAbsent(name, value);
            skip();
            if (!accept(';')) {
                accept(',');
            }
        }
    }

    private Text word(String what) throws KeyFileException {
        int begun = line;
        if (accept('"')) {
            return new Text(quoted(begun), begun);
        }
        int from = at;
        while (at < text.length() && isBare(text.charAt(at))) {
            at++;
        }
        if (from == at) {
            throw error(at == text.length() ? "expected " + what + " before the end" : "expected " + what);
        }
        return new Text(text.substring(from, at), begun);
    }

    private static boolean isBare(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || "_-.+/".indexOf(c) >= 0;
    }

    private String quoted(int begun) throws KeyFileException {
        StringBuilder value = new StringBuilder();
        while (at < text.length()) {
            char c = text.charAt(at++);
            switch (c) {
                case '"' -> {
                    return value.toString();
                }
                case '\n' -> throw new KeyFileException(begun, "the string that begins here is not closed in its line");
                case '\\' -> value.append(escaped());
                default -> value.append(c);
            }
        }
        throw new KeyFileException(begun, "the string that begins here is not closed");
    }

    private char escaped() throws KeyFileException {
        char c = at < text.length() ? text.charAt(at++) : '\n';
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'u' -> unicode();
            default -> throw error("an invalid escape sequence");
        };
    }

    private char unicode() throws KeyFileException {
        if (text.length() - at < 4) {
            throw error("a \\u without four hexadecimal digits");
        }
        int value = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(text.charAt(at + i), 16);
            if (digit < 0) {
                throw error("a \\u without four hexadecimal digits");
            }
            value = value << 4 | digit;
        }
        at += 4;
        return (char) value;
    }

    private boolean accept(char c) {
        if (at < text.length() && text.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    /** Skips blanks and comments. */
    private void skip() throws KeyFileException {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '\n') {
                line++;
                at++;
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\uFEFF') {
                at++;
            } else if (c == '#') {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
            } else if (text.startsWith("/*", at)) {
                comment();
            } else {
                return;
            }
        }
    }

    private void comment() throws KeyFileException {
        int begun = line;
        int depth = 0;
        while (at < text.length()) {
            if (text.startsWith("/*", at)) {
                depth++;
                at += 2;
            } else if (text.startsWith("*/", at)) {
                at += 2;
                if (--depth == 0) {
                    return;
                }
            } else {
                if (text.charAt(at) == '\n') {
                    line++;
                }
                at++;
            }
        }
        throw new KeyFileException(begun, "the comment that begins here is not closed");
    }

    private KeyFileException error(String problem) {
        return new KeyFileException(line, problem);
    }
}
