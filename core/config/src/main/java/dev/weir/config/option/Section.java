package dev.weir.config.option;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

import dev.weir.config.map.MapSource;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Origin;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclArray;
import dev.weir.config.ucl.UclInteger;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.config.ucl.UclString;
import dev.weir.config.ucl.UclValue;

/**
 * A typed reader of the options of one section.
 *
 * <p>It converts nothing silently (docs/reference/configuration-language.md#typed-access). A value of the wrong type or
 * out of bounds adds an error to the given {@link Problems}, and reading continues with the default, so that all errors
 * are found. An option that is {@code null} is absent.
 * Callers therefore check the problems before they use the values. {@link #finish} reports unknown keys and refused
 * options. Asking for a name that is missing from a non-empty table is a programming error and throws
 * {@link IllegalArgumentException}. Not thread-safe.
 */
public final class Section {
    private static final int MILLION = 1_000_000;
    /** The longest time that an option takes unless it has other bounds. */
    public static final Duration LONGEST_TIME = Duration.ofDays(36_500);

    private final UclObject object;
    private final String path;
    private final OptionTable table;
    private final Problems problems;
    private final Set<String> read = new LinkedHashSet<>();

    private Section(UclObject object, String path, OptionTable table, Problems problems) {
        this.object = object;
        this.path = path;
        this.table = table;
        this.problems = problems;
    }

    /**
     * Creates a reader of a section.
     *
     * @param path the name of the section in messages, such as {@code worker "fuzzy"}
     */
    public static Section of(UclObject object, String path, OptionTable table, Problems problems) {
        return new Section(object, path, table, problems);
    }

    /**
     * A nested section with its name.
     *
     * @param name the name; empty for a section without one
     */
    public record Named(String name, Section section) {}

    /** Returns the name of the section in messages. */
    public String path() {
        return path;
    }

    /** Returns the place where the section begins. */
    public Origin origin() {
        return object.origin();
    }

    /** Returns all keys in the order of the text. */
    public Set<String> keys() {
        return object.present().sequencedKeySet();
    }

    /** Returns whether the configuration contains the option under any of its names. */
    public boolean has(String name) {
        return !given(name).isEmpty();
    }

    /** Returns the place of the option, or the place of the section if the option is absent. */
    public Origin originOf(String name) {
        List<UclValue> values = given(name);
        return values.isEmpty() ? origin() : values.getFirst().origin();
    }

    /** Adds an error about an option that only the caller can detect. */
    public void refuse(String name, String message) {
        problems.error(originOf(name), named(name) + message);
    }

    /** Returns a text. */
    public Optional<String> string(String name) {
        return single(name, Expected.text());
    }

    /** Returns the name of a file or folder. */
    public Optional<Path> path(String name) {
        return string(name).flatMap(text -> {
            try {
                return Optional.of(Path.of(text));
            } catch (InvalidPathException e) {
                refuse(name, "expected a path, but the text contains a character that no path has");
                return Optional.empty();
            }
        });
    }

    /** Returns one of several words, in the spelling of the list. Ignores letter case. */
    public Optional<String> choice(String name, List<String> words) {
        return string(name).flatMap(text -> {
            Optional<String> found = words.stream().filter(word -> word.equalsIgnoreCase(text)).findFirst();
            if (found.isEmpty()) {
                refuse(name, "expected one of " + String.join(", ", words) + ", but found \"" + text + "\""
                        + Suggestion.of(text, words).map(word -> ", did you mean \"" + word + "\"?").orElse(""));
            }
            return found;
        });
    }

    /** Returns a boolean. A whole number counts as one, as in Rspamd: only 0 is false. */
    public Optional<Boolean> bool(String name) {
        Optional<Boolean> read = single(name, Expected.truth());
        given(name).forEach(value -> warnOfNumber(name, value));
        return read;
    }

    /**
     * Returns a boolean in a value that code reads by {@link #raw}, with the same rules as {@link #bool}; empty if the
     * value is of another type.
     */
    public Optional<Boolean> truth(String name, UclValue value) {
        warnOfNumber(name, value);
        return truth(value);
    }

    /** Returns a boolean, or whether a whole number is not 0; empty for a value of another type. */
    public static Optional<Boolean> truth(UclValue value) {
        return Optional.ofNullable(Expected.truth(value));
    }

    private void warnOfNumber(String name, UclValue value) {
        if (!(value instanceof UclInteger number) || number.value() == 0) {
            return;
        }
        if (table.readsNumbersAsFalse()) {
            problems.warning(value.origin(), named(name) + number.value()
                    + " is true here, but Rspamd takes every number for false in this section: write true");
        } else if (number.value() != 1) {
            problems.warning(value.origin(), named(name) + number.value() + " is taken as true, as in Rspamd");
        }
    }

    /** Returns a whole number within inclusive bounds. */
    public OptionalLong integer(String name, long least, long most) {
        Optional<Long> number = single(name, Expected.whole(least, most));
        return number.isPresent() ? OptionalLong.of(number.get()) : OptionalLong.empty();
    }

    /** Returns a number within inclusive bounds; never NaN. */
    public OptionalDouble number(String name, double least, double most) {
        Optional<Double> number = single(name, Expected.real(least, most));
        return number.isPresent() ? OptionalDouble.of(number.get()) : OptionalDouble.empty();
    }

    /** Returns a time that is not negative. */
    public Optional<Duration> seconds(String name) {
        return seconds(name, Duration.ZERO, LONGEST_TIME);
    }

    /**
     * Returns a time within inclusive bounds, with nanosecond precision: a number of seconds, or a number with a unit.
     */
    public Optional<Duration> seconds(String name, Duration least, Duration most) {
        Expected<Double> expected = Expected.time(least, most);
        Optional<Double> seconds = single(name, expected);
        if (seconds.isPresent() && given(name).size() == 1 && given(name).getFirst() instanceof UclInteger whole
                && whole.value() != 0 && whole.value() % MILLION == 0 && whole.value() == seconds.get()) {
            problems.warning(originOf(name), "\"" + written(name) + "\" of " + path + " is " + whole.value()
                    + " seconds; minutes are written \"min\", since \"m\" means a million");
        }
        return seconds.map(value -> Duration.ofNanos(Math.round(value * 1e9)));
    }

    /**
     * Returns the texts of an option: one, an array, a repeated key, or a mix of these. Empty if the option is absent.
     */
    public List<String> strings(String name) {
        return several(name, Expected.text());
    }

    /** Returns whole numbers within inclusive bounds: one, an array, a repeated key, or a mix of these. */
    public List<Long> integers(String name, long least, long most) {
        return several(name, Expected.whole(least, most));
    }

    /**
     * Returns networks or keys, inline or in files (docs/reference/storage.md#lists). Empty if the option is absent or
     * an empty array.
     */
    public Optional<MapSource> map(String name) {
        known(name);
        List<UclValue> values = given(name);
        return values.isEmpty()
                ? Optional.empty()
                : MapSource.of(values, problem -> problems.error(problem.origin(), named(name) + problem.message()));
    }

    /** Returns the sections under a key, repeated or in an array, in order. */
    public List<Section> sections(String name, OptionTable inner) {
        known(name);
        List<Section> sections = new ArrayList<>();
        for (UclValue value : flat(given(name))) {
            if (value instanceof UclObject section) {
                sections.add(new Section(section, path + "." + name, inner, problems));
            } else {
                wrong(name, value, "a section { ... }", "");
            }
        }
        return sections;
    }

    /**
     * Returns the sections under a key with their names (docs/reference/configuration-language.md#named-sections). The
     * forms are: {@code rule "x" {}} repeated, all names in one {@code rule {}}, and sections without a name.
     *
     * @param unnamed distinguishes the options of a section without a name from the names of sections
     */
    public List<Named> named(String name, OptionTable inner, Predicate<UclObject> unnamed) {
        known(name);
        List<Named> sections = new ArrayList<>();
        for (UclValue value : flat(given(name))) {
            if (!(value instanceof UclObject container)) {
                wrong(name, value, "a section { ... }", "");
            } else if (unnamed.test(container)) {
                sections.add(new Named("", new Section(container, path + "." + name, inner, problems)));
            } else {
                container.present().forEach((key, values) -> namedIn(name, key, values, inner, sections));
            }
        }
        return sections;
    }

    private void namedIn(String name, String key, List<UclValue> values, OptionTable inner, List<Named> sections) {
        for (UclValue value : flat(values)) {
            if (value instanceof UclObject section) {
                sections.add(new Named(key,
                        new Section(section, path + "." + name + " \"" + key + "\"", inner, problems)));
            } else {
                problems.error(value.origin(), "\"" + key + "\" in " + path + "." + name
                        + ": expected a section { ... }, but found " + value.kind());
            }
        }
    }

    /** Returns the unchecked values of the option under any of its names, with repeated ones separate. */
    public List<UclValue> raw(String name) {
        known(name);
        return given(name);
    }

    /**
     * Reports the keys that are unknown to both table and code, the refused options, and the ignored options (as
     * warnings). To be called after all options were read.
     */
    public void finish() {
        for (Map.Entry<String, List<UclValue>> member : object.present().entrySet()) {
            String key = member.getKey();
            Origin origin = member.getValue().getFirst().origin();
            Optional<Option> option = table.find(key);
            if (option.isEmpty()) {
                if (!read.contains(key)) {
                    problems.error(origin, "unknown option \"" + key + "\" in " + path + hint(key));
                }
                continue;
            }
            switch (option.get().status()) {
                case HONORED -> {
                    // The reader of the option applies it.
                }
                case IGNORED -> problems.warning(origin,
                        "\"" + key + "\" of " + path + " has no effect: " + option.get().reason());
                case REFUSED -> problems.error(origin,
                        "\"" + key + "\" of " + path + " is not supported: " + option.get().reason());
            }
        }
    }

    /** Returns the effective options of the table that no getter has read. For tests of the table. */
    public List<String> unread() {
        return table.options()
                .stream()
                .filter(option -> option.status() == Option.Status.HONORED && !read.contains(option.name()))
                .map(Option::name)
                .toList();
    }

    private String hint(String key) {
        List<String> places = OptionPlaces.of(key);
        return Suggestion.of(key, knownNames())
                .filter(name -> places.isEmpty() || Suggestion.distance(key, name) == 1)
                .map(name -> ", did you mean \"" + name + "\"?")
                .orElse(places.isEmpty() ? "" : "; it belongs in " + String.join(" or ", places));
    }

    private Set<String> knownNames() {
        Set<String> names = new HashSet<>(read);
        for (Option option : table.options()) {
            if (option.status() != Option.Status.REFUSED) {
                names.add(option.name());
                names.addAll(option.aliases());
            }
        }
        return names;
    }

    private Optional<Option> known(String name) {
        read.add(name);
        Optional<Option> option = table.find(name).filter(found -> found.name().equals(name));
        if (option.isEmpty() && !table.options().isEmpty()) {
            throw new IllegalArgumentException("no option \"" + name + "\" in the table " + table.name());
        }
        return option;
    }

    /** Returns the values under the first name of the option that is present. */
    private List<UclValue> given(String name) {
        List<UclValue> values = object.values(name);
        if (values.isEmpty()) {
            for (String alias : table.find(name).map(Option::aliases).orElse(List.of())) {
                values = object.values(alias);
                if (!values.isEmpty()) {
                    return values;
                }
            }
        }
        return values;
    }

    private static List<UclValue> flat(List<UclValue> values) {
        return values.stream()
                .flatMap(value -> value instanceof UclArray array
                        ? array.items().stream()
                        : Stream.of(value))
                .toList();
    }

    private <T> Optional<T> single(String name, Expected<T> expected) {
        Optional<Option> option = known(name);
        List<UclValue> values = given(name);
        if (values.size() > 1) {
            problems.error(values.get(1).origin(), named(name) + "expected one value, but there is another one at "
                    + values.getFirst().origin());
        } else if (values.size() == 1) {
            Optional<T> fitting = fitting(name, values.getFirst(), expected);
            if (fitting.isPresent()) {
                return fitting;
            }
        }
        // The error is kept, and reading goes on with the default.
        return option.flatMap(Section::defaultOf)
                .flatMap(value -> Optional.ofNullable(expected.convert().apply(value)));
    }

    private <T> List<T> several(String name, Expected<T> expected) {
        Optional<Option> option = known(name);
        List<UclValue> values = given(name);
        List<T> fitting = new ArrayList<>();
        for (UclValue value : values.isEmpty() ? option.flatMap(Section::defaultOf).stream().toList() : values) {
            for (UclValue item : flat(List.of(value))) {
                fitting(name, item, expected).ifPresent(fitting::add);
            }
        }
        return fitting;
    }

    /** Returns a converted value, or reports why it does not fit. */
    private <T> Optional<T> fitting(String name, UclValue value, Expected<T> expected) {
        T converted = expected.convert().apply(value);
        if (converted == null) {
            wrong(name, value, expected);
            return Optional.empty();
        }
        if (!expected.within().test(converted)) {
            problems.error(value.origin(), named(name) + "expected a value " + expected.bounds() + ", but found "
                    + (converted instanceof Double number ? Expected.plain(number) : converted)
                    + meant(expected, value));
            return Optional.empty();
        }
        return Optional.of(converted);
    }

    private static String meant(Expected<?> expected, UclValue value) {
        return expected.meant(value).map(text -> ", did you mean " + text + "?").orElse("");
    }

    /** Returns the default from the table, parsed as if the configuration contained it. */
    static Optional<UclValue> defaultOf(Option option) {
        if (option.defaultText().isEmpty()) {
            return Optional.empty();
        }
        try {
            UclObject root = (UclObject) Ucl.parse("the default of " + option.name(),
                    "value = " + option.defaultText() + "\n",
                    UclSettings.PLAIN).root();
            return Optional.of(root.values("value").getFirst());
        } catch (ConfigException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private String named(String name) {
        return "\"" + written(name) + "\" of " + path + ": ";
    }

    /** Returns the name of the option that the configuration uses. */
    private String written(String name) {
        return object.values(name).isEmpty()
                ? table.find(name)
                        .stream()
                        .flatMap(option -> option.aliases().stream())
                        .filter(alias -> !object.values(alias).isEmpty())
                        .findFirst()
                        .orElse(name)
                : name;
    }

    private void wrong(String name, UclValue value, Expected<?> expected) {
        String meant = meant(expected, value);
        String example = table.find(name).map(Option::defaultText).filter(text -> !text.isEmpty())
                .orElse(expected.example());
        String hint = meant;
        if (value instanceof UclString text && text.quoted()) {
            hint = " (without quotes it may be valid)" + meant;
        } else if (expected.type().equals("a string") && !(value instanceof UclObject)) {
            hint = " (in quotes it would be valid)";
        }
        wrong(name, value, expected.type() + (expected.bounds().isEmpty() ? "" : " " + expected.bounds())
                + (expected.example().isEmpty() || !meant.isEmpty() ? "" : ", such as " + example), hint);
    }

    private void wrong(String name, UclValue value, String expected, String hint) {
        problems.error(value.origin(),
                named(name) + "expected " + expected + ", but found " + value.kind() + shown(name, value) + hint);
    }

    private String shown(String name, UclValue value) {
        boolean secret = table.find(name).filter(option -> option.type() == Option.Type.SECRET).isPresent();
        return value instanceof UclString text && !secret && text.text().length() <= 80
                ? " \"" + text.text() + "\""
                : "";
    }

    /** Returns the names of the section's keys in one line, for messages. */
    @Override
    public String toString() {
        return path + " {" + String.join(", ", keys()) + "}";
    }
}
