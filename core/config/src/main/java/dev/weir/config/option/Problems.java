package dev.weir.config.option;

import java.util.ArrayList;
import java.util.List;

import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Origin;
import dev.weir.config.source.Problem;

/** A collector of configuration problems, so that the author sees all of them at once. Not thread-safe. */
public final class Problems {
    /** The maximum number of problems; a longer list helps no reader. */
    private static final int MOST = 1000;

    private final List<Problem> found = new ArrayList<>();
    private boolean errors;

    /** Adds a problem. The same problem counts once, because several sections may use one value. */
    public void add(Problem problem) {
        errors |= problem.severity() == Problem.Severity.ERROR;
        if (found.size() < MOST && !found.contains(problem)) {
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

    /** Returns the problems so far in the order in which they were found, at most a thousand. */
    public List<Problem> all() {
        return List.copyOf(found);
    }

    /** Returns the warnings so far. */
    public List<Problem> warnings() {
        return found.stream().filter(problem -> problem.severity() == Problem.Severity.WARNING).toList();
    }

    /** Returns whether an error was added. */
    public boolean hasErrors() {
        return errors;
    }

    /**
     * Throws if an error was added.
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
