package dev.weir.scan;

/** Thrown when more mails arrive at once than may wait. */
public final class OverloadedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param most the greatest number of mails that may wait
     */
    public OverloadedException(int most) {
        super("more than " + most + " mails at once");
    }
}
