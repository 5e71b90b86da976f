package dev.weir.hash.text;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A JSON parser that accepts commas before a closing bracket, as Rspamd's data files have them. Numbers become
 * {@link Double}, objects {@link Map}, arrays {@link List}. Hashing needs no other JSON, so it does not depend on a
 * JSON library.
 */
final class LooseJson {
    private static final int MAX_DEPTH = 16;

    private final String text;
    private int at;

    LooseJson(String text) {
        this.text = text;
    }

    /**
     * Parses the value in the text.
     *
     * @throws IllegalArgumentException if the text is invalid
     */
    @Nullable
    Object value() {
        Object value = value(0);
        skipSpace();
        if (at < text.length()) {
            throw fault("unexpected content after the end");
        }
        return value;
    }

    private @Nullable Object value(int depth) {
        if (depth > MAX_DEPTH) {
            throw fault("nested too deeply");
        }
        skipSpace();
        return switch (peek()) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> string();
            default -> literal();
        };
    }

    private Map<String, @Nullable Object> object(int depth) {
        Map<String, @Nullable Object> map = new HashMap<>();
        at++;
        while (!closes('}')) {
            String key = string();
            skipSpace();
            expect(':');
            map.put(key, value(depth + 1));
            comma('}');
        }
        return map;
    }

    private List<@Nullable Object> array(int depth) {
        List<@Nullable Object> list = new ArrayList<>();
        at++;
        while (!closes(']')) {
            list.add(value(depth + 1));
            comma(']');
        }
        return list;
    }

    private boolean closes(char bracket) {
        skipSpace();
        if (peek() != bracket) {
            return false;
        }
        at++;
        return true;
    }

    private void comma(char bracket) {
        skipSpace();
        if (peek() == ',') {
            at++;
        } else if (peek() != bracket) {
            throw fault("expected , or " + bracket);
        }
    }

    private String string() {
        expect('"');
        StringBuilder out = new StringBuilder();
        while (peek() != '"') {
            char c = text.charAt(at++);
            out.append(c == '\\' ? escape() : c);
        }
        at++;
        return out.toString();
    }

    private char escape() {
        char c = peek();
        at++;
        return switch (c) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'u' -> {
                if (at + 4 > text.length()) {
                    throw fault("incomplete escape");
                }
                at += 4;
                yield (char) Integer.parseInt(text.substring(at - 4, at), 16);
            }
            default -> c;
        };
    }

    private @Nullable Object literal() {
        int from = at;
        while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(from, at);
        return switch (word) {
            case "true" -> true;
            case "false" -> false;
            case "null" -> null;
            default -> Double.valueOf(word);
        };
    }

    private void expect(char c) {
        if (peek() != c) {
            throw fault("expected " + c);
        }
        at++;
    }

    private char peek() {
        if (at >= text.length()) {
            throw fault("unexpected end");
        }
        return text.charAt(at);
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private IllegalArgumentException fault(String what) {
        return new IllegalArgumentException(what + " at character " + at);
    }
}
