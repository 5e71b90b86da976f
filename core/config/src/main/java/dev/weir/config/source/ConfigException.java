package dev.weir.config.source;

import java.util.List;
import java.util.stream.Collectors;

/** Thrown when a configuration cannot be used. Carries every reason that was found. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1;

    // Not part of the serial form, because the message holds the same facts.
    private final transient List<Problem> problems;

    /** Creates an exception with a single reason. */
    public ConfigException(Problem problem) {
        this(List.of(problem));
    }

    /**
     * Creates an exception with all reasons.
     *
     * @param problems the reasons, at least one
     */
    public ConfigException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    /** Returns the reasons in the order of the configuration. */
    public List<Problem> problems() {
        return problems;
    }
}
