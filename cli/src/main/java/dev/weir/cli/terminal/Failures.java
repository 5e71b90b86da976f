package dev.weir.cli.terminal;

import dev.weir.scan.UpstreamException;
import dev.weir.storage.FolderInUseException;
import dev.weir.storage.StorageException;

/** The mapping from failures to exit statuses. */
public final class Failures {
    private Failures() {}

    /** Returns the exception that ends the command after a failed request. */
    public static FailedException of(UpstreamException e) {
        return new FailedException(switch (e.kind()) {
            case REFUSED -> ExitCode.REFUSED;
            case NO_ANSWER, WRONG_KEY -> ExitCode.NO_ANSWER;
        }, String.valueOf(e.getMessage()));
    }

    /**
     * Returns the exception that ends the command after a problem of a storage's files.
     *
     * @param status the exit status, unless another process uses the folder
     */
    public static FailedException of(StorageException e, int status) {
        return new FailedException(e instanceof FolderInUseException ? ExitCode.SERVER : status,
                String.valueOf(e.getMessage()));
    }
}
