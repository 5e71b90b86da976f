package dev.weir.scan;

/** More mails were given to a client at once than it takes. */
public final class OverloadedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OverloadedException(int most) {
        super("more than " + most + " mails at once");
    }
}
