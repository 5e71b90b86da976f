package dev.weir.config.source;

import java.util.List;
import java.util.stream.Collectors;

/** A configuration that cannot be used, with every reason that was found. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1;

    // Not part of the serial form: the message says the same.
    private final transient List<Problem> problems;

    /** A single reason. */
    public ConfigException(Problem problem) {
        this(List.of(problem));
    }

    /**
     * All reasons.
     *
     * @param problems the reasons, at least one
     */
    public ConfigException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    /** The reasons, in the order of the configuration. */
    public List<Problem> problems() {
        return problems;
    }
}
