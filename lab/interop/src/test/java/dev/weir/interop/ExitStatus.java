package dev.weir.interop;

/** The exit statuses of {@code weir} for scripts, deliberately repeated here. */
final class ExitStatus {
    static final int MATCH = 0;
    static final int NO_MATCH = 1;
    static final int USAGE = 2;
    static final int INPUT = 3;
    static final int REFUSED = 4;
    static final int NO_ANSWER = 5;

    private ExitStatus() {}
}
