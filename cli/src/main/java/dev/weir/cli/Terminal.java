package dev.weir.cli;

import java.io.InputStream;
import java.io.PrintStream;

/**
 * Where a command reads and writes, so that tests can hold both ends.
 *
 * @param in standard input
 * @param out results, for people or programs
 * @param err everything else: problems, progress
 * @param interactive whether a person looks at it; without one there is no progress bar
 */
record Terminal(InputStream in, PrintStream out, PrintStream err, boolean interactive) {
    /** Reports a problem in the one shape that all problems have. */
    void error(String message) {
        out.flush();
        err.println("weir: " + message);
    }
}
