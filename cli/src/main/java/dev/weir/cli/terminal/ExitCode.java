package dev.weir.cli.terminal;

/**
 * The exit statuses of {@code weir}. They are part of its interface: scripts rely on them.
 *
 * <p>Where several things went wrong in one run, the greatest status wins.
 */
public final class ExitCode {
    /** Everything was done; for {@code check}: at least one mail matched. */
    public static final int OK = 0;

    /** {@code check}: every mail was asked for and none matched. */
    public static final int NO_MATCH = 1;

    /** The command line is wrong. */
    public static final int USAGE = 2;

    /** A file or folder could not be read or is no mail, or a mail has nothing to learn. */
    public static final int INPUT = 3;

    /** The storage refused a request. */
    public static final int REFUSED = 4;

    /** The storage did not answer. */
    public static final int NO_ANSWER = 5;

    /** The storage could not start or could not go on. */
    public static final int SERVER = 6;

    /** Nothing reads the output any more, so that not all of it was printed: as if SIGPIPE had ended the process. */
    public static final int OUTPUT_GONE = 128 + 13;

    private ExitCode() {}

    /** Returns the greater of the two: what a run that saw both ends with. */
    public static int worse(int first, int second) {
        return Math.max(first, second);
    }
}
