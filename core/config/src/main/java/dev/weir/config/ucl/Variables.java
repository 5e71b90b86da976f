package dev.weir.config.ucl;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

import org.jspecify.annotations.Nullable;

/**
 * The values of {@code $NAME} and <code>${NAME}</code> (docs/reference/configuration-language.md#variables).
 *
 * <p>Order matters: {@code $NAMEX} refers to the first variable whose name is a prefix of it.
 */
public final class Variables {
    /** No variables. */
    public static final Variables NONE = new Variables(new LinkedHashMap<>());

    private final SequencedMap<String, String> values;

    private Variables(SequencedMap<String, String> values) {
        this.values = Collections.unmodifiableSequencedMap(values);
    }

    /** Returns variables in the order of the map. */
    public static Variables of(Map<String, String> values) {
        return new Variables(new LinkedHashMap<>(values));
    }

    /** Returns a copy with one variable added or replaced. */
    public Variables with(String name, String value) {
        LinkedHashMap<String, String> more = new LinkedHashMap<>(values);
        more.put(name, value);
        return new Variables(more);
    }

    /** Returns all variables in order. */
    public SequencedMap<String, String> values() {
        return values;
    }

    /**
     * Replaces every known reference in a text. Unknown ones stay, and {@code $$} becomes {@code $} only in a text that
     * refers to a known variable.
     *
     * @throws TooLongException if the result has more than {@code limit} characters
     */
    String expand(String text, long limit) throws TooLongException {
        if (text.indexOf('$') < 0 || values.isEmpty()) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 32);
        boolean known = false;
        int at = 0;
        while (at < text.length()) {
            int dollar = text.indexOf('$', at);
            if (dollar < 0) {
                out.append(text, at, text.length());
                break;
            }
            out.append(text, at, dollar);
            if (text.startsWith("$$", dollar)) {
                out.append('$');
                at = dollar + 2;
            } else {
                String name = referred(text, dollar + 1);
                if (name == null) {
                    out.append('$');
                    at = dollar + 1;
                } else {
                    known = true;
                    out.append(values.get(name));
                    at = dollar + 1 + name.length() + (text.charAt(dollar + 1) == '{' ? 2 : 0);
                }
            }
            if (out.length() > limit) {
                throw new TooLongException();
            }
        }
        return known ? out.toString() : text;
    }

    private @Nullable String referred(String text, int at) {
        boolean braces = text.startsWith("{", at);
        for (String name : values.keySet()) {
            if (braces
                    ? text.startsWith(name, at + 1) && text.startsWith("}", at + 1 + name.length())
                    : text.startsWith(name, at)) {
                return name;
            }
        }
        return null;
    }

    /** Thrown when the expansion exceeds its limit. */
    static final class TooLongException extends Exception {
        private static final long serialVersionUID = 1;
    }
}
