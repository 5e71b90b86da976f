package dev.weir.cli;

/** Ends a command with one line on standard error and a status. */
final class FailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    FailedException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    int exitCode() {
        return exitCode;
    }
}
