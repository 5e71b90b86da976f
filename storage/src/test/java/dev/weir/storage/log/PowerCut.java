package dev.weir.storage.log;

/** The process ends here, in the middle of a call. An Error, so that nothing under test takes it for its own. */
final class PowerCut extends Error {
    private static final long serialVersionUID = 1;

    PowerCut() {
        super("the process ends here", null, false, false);
    }
}
