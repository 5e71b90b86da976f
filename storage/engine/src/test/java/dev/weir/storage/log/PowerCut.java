package dev.weir.storage.log;

/** The end of the process in the middle of a call. It is an Error, so that no tested code handles it. */
final class PowerCut extends Error {
    private static final long serialVersionUID = 1;

    PowerCut() {
        super("the process ends here", null, false, false);
    }
}
