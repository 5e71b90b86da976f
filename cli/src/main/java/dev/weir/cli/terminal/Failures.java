package dev.weir.cli.terminal;

import dev.weir.scan.UpstreamException;

/** The mapping from failed requests to exit statuses. */
public final class Failures {
    private Failures() {}

    /** Returns the exception that ends the command. */
    public static FailedException of(UpstreamException e) {
        return new FailedException(switch (e.kind()) {
            case REFUSED -> ExitCode.REFUSED;
            case NO_ANSWER, WRONG_KEY -> ExitCode.NO_ANSWER;
        }, String.valueOf(e.getMessage()));
    }
}
