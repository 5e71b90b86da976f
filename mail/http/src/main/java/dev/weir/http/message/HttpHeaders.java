package dev.weir.http.message;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Headers in their order. Names are in lower case and compare without letter case; values have no blanks around them.
 *
 * @param fields all headers
 */
public record HttpHeaders(List<Field> fields) {
    /** No headers. */
    public static final HttpHeaders NONE = new HttpHeaders(List.of());

    /**
     * One header.
     *
     * @param name in lower case
     */
    public record Field(String name, String value) {}

    /** Copies the list. */
    public HttpHeaders {
        fields = List.copyOf(fields);
    }

    /** Returns the first value of a name. */
    public Optional<String> first(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        for (Field field : fields) {
            if (field.name().equals(lower)) {
                return Optional.of(field.value());
            }
        }
        return Optional.empty();
    }

    /** Returns all values of a name, in order. */
    public List<String> all(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        List<String> values = new ArrayList<>(1);
        for (Field field : fields) {
            if (field.name().equals(lower)) {
                values.add(field.value());
            }
        }
        return List.copyOf(values);
    }

    /** Returns whether there is a header with a name. */
    public boolean has(String name) {
        return first(name).isPresent();
    }

    /**
     * Returns these headers and the others whose names are missing here, so that headers take precedence over arguments
     * of the query.
     */
    public HttpHeaders withFallback(HttpHeaders others) {
        if (others.fields().isEmpty()) {
            return this;
        }
        List<Field> merged = new ArrayList<>(fields);
        others.fields().stream().filter(field -> !has(field.name())).forEach(merged::add);
        return new HttpHeaders(merged);
    }
}
