package dev.weir.scan;

/** Thrown when a client receives more mails at once than its limit. */
public final class OverloadedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OverloadedException(int most) {
        super("more than " + most + " mails at once");
    }
}
