package dev.weir.cli.terminal;

/** A failure that ends a command with one line on standard error and an exit status. */
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
