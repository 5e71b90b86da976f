package dev.weir.cli.terminal;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;

/**
 * Where a command reads and writes, so that tests can hold both ends.
 *
 * @param in standard input
 * @param out results, for people or programs
 * @param err everything else: problems, progress
 * @param interactive whether a person looks at it; without one there is no progress bar
 */
public record Terminal(InputStream in, PrintStream out, PrintStream err, boolean interactive) {
    /**
     * Ends a command that does nothing but print, where nothing reads that any more, as in {@code weir log | head}.
     *
     * @throws FailedException if so
     */
    public void endUnlessRead() {
        if (isGone()) {
            throw new FailedException(ExitCode.OUTPUT_GONE, "");
        }
    }

    /**
     * Returns the output as a stream that fails where nothing reads it any more, for what is of no use unless it is
     * whole.
     */
    public OutputStream whole() {
        return new FilterOutputStream(out) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                out.write(bytes, offset, length);
                if (isGone()) {
                    throw new IOException("nothing reads standard output any more");
                }
            }
        };
    }

    /** Returns whether nothing reads the output any more. */
    public boolean isGone() {
        return out instanceof StandardOutput output && output.isGone();
    }

    /** Reports a problem in the one shape that all problems have. */
    public void error(String message) {
        out.flush();
        err.println("weir: " + message);
    }
}
