package dev.weir.wire.key;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads the small part of UCL, JSON included, that key files are written in: objects, strings in double quotes, bare
 * words, {@code #} and nested block comments; {@code =} or {@code :} or nothing between name and value, {@code ;} or
 * {@code ,} or nothing after it. No arrays, macros, variables or heredocs: a key file has none.
 */
final class KeyFileReader {
    private static final int MAX_DEPTH = 8;

    private final String text;
    private int at;
    private int line = 1;

    /** What a name stands for. */
    sealed interface Value {}

    /**
     * A string or bare word.
     *
     * @param value its characters
     * @param line where it begins
     */
    record Text(String value, int line) implements Value {
        /** Hides the value: it may be a secret. */
        @Override
        public String toString() {
            return "Text[line " + line + "]";
        }
    }

    /**
     * An object.
     *
     * @param members by name; of a repeated name the first counts
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
            throw error("something follows the closing brace");
        }
        return top;
    }

    /** Up to the closing brace if there is an opening one, else to the end. */
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
            default -> throw error("a backslash before something that needs none");
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

    /** Passes over blanks and comments. */
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
