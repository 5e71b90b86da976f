package dev.weir.cli.terminal;

/**
 * The exit statuses of {@code weir}. Scripts rely on them.
 *
 * <p>If a run meets several problems, the greatest status wins.
 */
public final class ExitCode {
    /** The command succeeded; for {@code check}, at least one mail matched. */
    public static final int OK = 0;

    /** No match: for {@code check}, the storage answered for every mail, and no mail matched. */
    public static final int NO_MATCH = 1;

    /** The command line is wrong. */
    public static final int USAGE = 2;

    /** A file or folder could not be read, a file is not a mail, or a mail has no hashes to learn. */
    public static final int INPUT = 3;

    /** The storage refused a request. */
    public static final int REFUSED = 4;

    /** The storage did not answer. */
    public static final int NO_ANSWER = 5;

    /** The storage could not start or continue, or another process uses the data folder. */
    public static final int SERVER = 6;

    /** The reader closed the output early. The status is that of a process killed by SIGPIPE. */
    public static final int OUTPUT_GONE = 128 + 13;

    private ExitCode() {}

    /** Returns the greater status. */
    public static int worse(int first, int second) {
        return Math.max(first, second);
    }
}
