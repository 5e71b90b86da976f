package dev.weir.interop;

/** The exit statuses of {@code weir} that a script would look at, written down here a second time on purpose. */
final class ExitStatus {
    static final int MATCH = 0;
    static final int NO_MATCH = 1;
    static final int USAGE = 2;
    static final int INPUT = 3;
    static final int REFUSED = 4;
    static final int NO_ANSWER = 5;

    private ExitStatus() {}
}
