package dev.weir.cli.terminal;

/** Ends a command with one line on standard error and a status. */
public final class FailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    public FailedException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    public int exitCode() {
        return exitCode;
    }
}
