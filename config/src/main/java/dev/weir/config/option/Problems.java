package dev.weir.config.option;

import java.util.ArrayList;
import java.util.List;

import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Origin;
import dev.weir.config.source.Problem;

/**
 * Collects what is wrong with a configuration, so that its author sees everything at once. Not thread-safe.
 */
public final class Problems {
    /** More would not be read. */
    private static final int MOST = 1000;

    private final List<Problem> found = new ArrayList<>();
    private boolean errors;

    /** Adds a problem. */
    public void add(Problem problem) {
        errors |= problem.severity() == Problem.Severity.ERROR;
        if (found.size() < MOST) {
            found.add(problem);
        }
    }

    /** Adds an error. */
    public void error(Origin origin, String message) {
        add(Problem.error(origin, message));
    }

    /** Adds a warning. */
    public void warning(Origin origin, String message) {
        add(Problem.warning(origin, message));
    }

    /** Everything so far, in the order in which it was found; the first thousand. */
    public List<Problem> all() {
        return List.copyOf(found);
    }

    /** The warnings so far. */
    public List<Problem> warnings() {
        return found.stream().filter(problem -> problem.severity() == Problem.Severity.WARNING).toList();
    }

    /** Whether there is an error among them. */
    public boolean hasErrors() {
        return errors;
    }

    /**
     * Ends a reading that found errors.
     *
     * @throws ConfigException with all errors, if there is one
     */
    public void throwErrors() throws ConfigException {
        if (errors) {
            throw new ConfigException(
                    found.stream().filter(problem -> problem.severity() == Problem.Severity.ERROR).toList());
        }
    }
}
