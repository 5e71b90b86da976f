package dev.weir.config.map;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import dev.weir.config.source.Origin;
import dev.weir.config.source.Problem;
import dev.weir.config.ucl.UclArray;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclString;
import dev.weir.config.ucl.UclValue;

/**
 * The source of the entries of an option such as {@code allow_update} (docs/reference/storage.md#lists): inline texts,
 * files, or both.
 *
 * @param entries the entries in the configuration itself
 * @param files the names of files with one entry per line, or their addresses on web servers; their content may change
 * at run time
 */
public record MapSource(List<Entry> entries, List<Entry> files) {
    private static final String EXPECTED = "expected a file, http:// or https://, or one of these after sign+ or"
            + " sign+key=KEY+";
    private static final Pattern PREFIX = Pattern.compile("^(?:sign\\+|fallback\\+|key=)", Pattern.CASE_INSENSITIVE);
    /** The name of a file with a folder before it: the last part has a letter, so it is no network. */
    private static final Pattern RELATIVE = Pattern
            .compile("[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*/[0-9_.-]*[A-Za-z][A-Za-z0-9_.-]*");
    private static final Set<String> OBJECT_KEYS = Set.of("url", "urls", "name", "description");

    /** Copies the lists. */
    public MapSource {
        entries = List.copyOf(entries);
        files = List.copyOf(files);
    }

    /**
     * A text with its place.
     *
     * @param text an address, a key, or the name of a file; a signed list keeps the prefix that says so, see
     * {@link MapAddress}
     */
    public record Entry(String text, Origin origin) {}

    /**
     * Interprets the values of an option: a text or an array of texts. A text that begins with {@code /}, {@code ./} or
     * {@code file://} names a file, and one that begins with {@code http://} or {@code https://} the same on a web
     * server; {@code sign+} before them asks for a signature. A section names the file as its {@code url}.
     *
     * @param problems receives the unusable values
     * @return the source; empty if no value has content, as for an empty array
     */
    public static Optional<MapSource> of(List<UclValue> values, Consumer<Problem> problems) {
        List<Entry> entries = new ArrayList<>();
        List<Entry> files = new ArrayList<>();
        for (UclValue value : values) {
            add(value, entries, files, problems);
        }
        return entries.isEmpty() && files.isEmpty() ? Optional.empty() : Optional.of(new MapSource(entries, files));
    }

    private static void add(UclValue value, List<Entry> entries, List<Entry> files, Consumer<Problem> problems) {
        switch (value) {
            case UclArray array -> array.items().forEach(item -> add(item, entries, files, problems));
            case UclString string -> text(string.text(), string.origin(), entries, files, problems);
            case UclObject object -> object(object, files, problems);
            default -> problems.accept(Problem.error(value.origin(),
                    "expected a string, an array of strings or { url = ... }, but found " + value.kind()));
        }
    }

    private static void text(String text, Origin origin, List<Entry> entries, List<Entry> files,
            Consumer<Problem> problems) {
        Optional<String> file = file(text);
        if (file.isPresent()) {
            files.add(new Entry(file.get(), origin));
        } else if (text.contains("://") || PREFIX.matcher(text).find()) {
            problems.accept(Problem.error(origin, EXPECTED + ", but found \"" + text + "\""));
        } else {
            entries.add(new Entry(text, origin));
        }
    }

    private static Optional<String> file(String text) {
        return MapAddress.parse(text).map(address -> address.signed() ? text : address.location())
                .or(() -> RELATIVE.matcher(text).matches() ? Optional.of(text) : Optional.empty());
    }

    private static void object(UclObject object, List<Entry> files, Consumer<Problem> problems) {
        object.present().forEach((key, values) -> {
            Origin origin = values.getFirst().origin();
            if (!OBJECT_KEYS.contains(key)) {
                problems.accept(Problem.error(origin, "unknown option \"" + key + "\" of a map, expected url"));
            }
        });
        List<UclValue> urls = new ArrayList<>(object.items("url"));
        urls.addAll(object.items("urls"));
        if (urls.isEmpty()) {
            problems.accept(Problem.error(object.origin(), "expected a map with url = \"/path\""));
        }
        for (UclValue url : urls) {
            Optional<String> file = url instanceof UclString string ? file(string.text()) : Optional.empty();
            file.ifPresentOrElse(name -> files.add(new Entry(name, url.origin())),
                    () -> problems.accept(Problem.error(url.origin(), EXPECTED)));
        }
    }
}
