package dev.weir.cli.terminal;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;

/**
 * The streams of a command. Tests replace them.
 *
 * @param in standard input
 * @param out results, for people or programs
 * @param err everything else: problems, progress
 * @param interactive whether standard input and output are a terminal, so that a person can be asked
 * @param draws whether standard error is a terminal; if not, commands draw no progress bar
 */
public record Terminal(InputStream in, PrintStream out, PrintStream err, boolean interactive, boolean draws) {
    /** Creates streams that are all terminals, or none of them. */
    public Terminal(InputStream in, PrintStream out, PrintStream err, boolean terminal) {
        this(in, out, err, terminal, terminal);
    }

    /**
     * Ends a command if the reader has closed the output, as in {@code weir log | head}. For commands that only print.
     *
     * @throws FailedException if the reader has closed the output
     */
    public void endUnlessRead() {
        if (isGone()) {
            throw new FailedException(ExitCode.OUTPUT_GONE, "");
        }
    }

    /** Returns the output as a stream that fails once the reader closes it. Use it for data that must be complete. */
    public OutputStream whole() {
        return new FilterOutputStream(out) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                out.write(bytes, offset, length);
                if (isGone()) {
                    throw new IOException("the reader of standard output is gone");
                }
            }
        };
    }

    /** Returns whether the reader has closed the output. */
    public boolean isGone() {
        return out instanceof StandardOutput output && output.isGone();
    }

    /** Prints a problem on standard error in the common format. */
    public void error(String message) {
        out.flush();
        err.println("weir: " + message);
    }
}
