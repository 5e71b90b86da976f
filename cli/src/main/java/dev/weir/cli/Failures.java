package dev.weir.cli;

import dev.weir.scan.UpstreamException;

/** What a failed request to a storage means for the exit status. */
final class Failures {
    private Failures() {}

    static FailedException of(UpstreamException e) {
        return new FailedException(switch (e.kind()) {
            case REFUSED -> ExitCode.REFUSED;
            case NO_ANSWER, WRONG_KEY -> ExitCode.NO_ANSWER;
        }, String.valueOf(e.getMessage()));
    }
}
