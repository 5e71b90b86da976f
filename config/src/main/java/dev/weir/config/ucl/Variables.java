package dev.weir.config.ucl;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

import org.jspecify.annotations.Nullable;

/**
 * The names that {@code $NAME} and <code>${NAME}</code> stand for (docs/reference/configuration-language.md#variables).
 *
 * <p>Order matters: {@code $NAMEX} takes the first name that the text begins with.
 */
public final class Variables {
    /** No names. */
    public static final Variables NONE = new Variables(new LinkedHashMap<>());

    private final SequencedMap<String, String> values;

    private Variables(SequencedMap<String, String> values) {
        this.values = Collections.unmodifiableSequencedMap(values);
    }

    /** The given names in the order of the map. */
    public static Variables of(Map<String, String> values) {
        return new Variables(new LinkedHashMap<>(values));
    }

    /** These names and one more, or another value for one of them. */
    public Variables with(String name, String value) {
        LinkedHashMap<String, String> more = new LinkedHashMap<>(values);
        more.put(name, value);
        return new Variables(more);
    }

    /** All names in order. */
    public SequencedMap<String, String> values() {
        return values;
    }

    /**
     * The text with every known reference replaced. Unknown ones stay, and {@code $$} becomes {@code $} only in a text
     * that refers to something known.
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

    /** The expansion would pass a limit. */
    static final class TooLongException extends Exception {
        private static final long serialVersionUID = 1;
    }
}
