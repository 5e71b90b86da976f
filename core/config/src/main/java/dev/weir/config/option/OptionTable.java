package dev.weir.config.option;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/**
 * The options of one kind of section, as data. Both the section reader and the documentation derive from it.
 *
 * <p>The text form has one option per line with these tab-separated columns: name, aliases (comma separated), type,
 * default, unit, since, status, reason, description. Lines that begin with {@code #} are comments.
 */
public final class OptionTable {
    private static final int COLUMNS = 9;
    private static final Set<String> NUMBERS_ARE_FALSE = Set.of("fuzzy_check", "fuzzy-rule", "fuzzy-tcp",
            "checks-text", "checks-html", "checks-image", "checks-archive");

    private final String name;
    private final SequencedMap<String, Option> options;

    private OptionTable(String name, SequencedMap<String, Option> options) {
        this.name = name;
        this.options = Collections.unmodifiableSequencedMap(options);
    }

    /**
     * Returns a table without options, for sections whose keys are names. Code must read every key of such a section.
     */
    public static OptionTable open(String name) {
        return new OptionTable(name, new LinkedHashMap<>());
    }

    /**
     * Returns a table that ships with this module: {@code worker-fuzzy}, {@code keypair}, {@code key-extensions},
     * {@code fuzzy_check}, {@code fuzzy-rule}, {@code fuzzy-map}, {@code worker-controller}, {@code fuzzy-tcp},
     * {@code checks-text}, {@code checks-html}, {@code checks-image}, {@code checks-archive}, {@code fuzzy-group},
     * {@code fuzzy-symbol}, {@code replication},
     * {@code replication-follower}, {@code slave}, {@code waves} or {@code waves-learn}.
     *
     * @throws IllegalArgumentException if no table has that name
     */
    public static OptionTable shipped(String name) {
        try (InputStream in = OptionTable.class.getResourceAsStream(name + ".tsv")) {
            if (in == null) {
                throw new IllegalArgumentException("no option table " + name);
            }
            return parse(name, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads a table.
     *
     * @throws IllegalArgumentException if a line is malformed or a name appears twice
     */
    public static OptionTable parse(String name, String text) {
        SequencedMap<String, Option> options = new LinkedHashMap<>();
        text.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).forEach(line -> {
            Option option = option(line);
            if (options.putIfAbsent(option.name(), option) != null) {
                throw new IllegalArgumentException("twice in the table " + name + ": " + option.name());
            }
        });
        return new OptionTable(name, options);
    }

    private static Option option(String line) {
        List<String> cells = List.of(line.split("\t", -1));
        if (cells.size() != COLUMNS) {
            throw new IllegalArgumentException("expected " + COLUMNS + " columns: " + line);
        }
        List<String> aliases = cells.get(1).isEmpty() ? List.of() : List.of(cells.get(1).split(",", -1));
        Option.Status status = Option.Status.valueOf(cells.get(6).toUpperCase(Locale.ROOT));
        if ((status == Option.Status.HONORED) != cells.get(7).isEmpty()) {
            throw new IllegalArgumentException("an option has a reason exactly if it is not honored: " + line);
        }
        return new Option(cells.get(0), aliases, Option.Type.valueOf(cells.get(2).toUpperCase(Locale.ROOT)),
                cells.get(3), cells.get(4), cells.get(5), status, cells.get(7), cells.get(8));
    }

    /** Returns the name of the table. */
    public String name() {
        return name;
    }

    /**
     * Returns whether Rspamd takes a number for false where this section wants a boolean. Its workers take 0 and 1; its
     * module {@code fuzzy_check} reads numbers without a word as false, even {@code enabled = 1}.
     */
    boolean readsNumbersAsFalse() {
        return NUMBERS_ARE_FALSE.contains(name);
    }

    /** Returns all options in the order of the table. */
    public Collection<Option> options() {
        return options.values();
    }

    /** Returns the option with a name or alias. */
    public Optional<Option> find(String nameOrAlias) {
        Option direct = options.get(nameOrAlias);
        if (direct != null) {
            return Optional.of(direct);
        }
        return options.values().stream().filter(option -> option.aliases().contains(nameOrAlias)).findFirst();
    }

    /** Returns the table as Markdown for a documentation page. */
    public String markdown() {
        StringBuilder out = new StringBuilder("| option | type | default | since | meaning |\n|---|---|---|---|---|\n");
        for (Option option : options.values()) {
            out.append("| `").append(option.name()).append('`');
            option.aliases().forEach(alias -> out.append(", `").append(alias).append('`'));
            out.append(" | ").append(option.type().name().toLowerCase(Locale.ROOT));
            out.append(option.unit().isEmpty() ? "" : ", " + option.unit());
            out.append(" | ").append(option.defaultText().isEmpty() ? "–" : "`" + option.defaultText() + "`");
            out.append(" | ").append(option.since()).append(" | ").append(option.description());
            switch (option.status()) {
                case HONORED -> {
                    // Nothing to add.
                }
                case IGNORED -> out.append(" **No effect:** ").append(option.reason()).append('.');
                case REFUSED -> out.append(" **Refused:** ").append(option.reason()).append('.');
            }
            out.append(" |\n");
        }
        return out.toString();
    }
}
