package dev.weir.config.source;

/**
 * A mistake at one place of the configuration, worded for its author.
 *
 * @param severity whether the configuration is still usable
 * @param origin the place
 * @param message what is wrong and how to fix it, in one sentence without the place
 */
public record Problem(Severity severity, Origin origin, String message) {
    /** The weight of a problem. */
    public enum Severity {
        /** The configuration cannot be used. */
        ERROR,
        /** The configuration can be used, but probably differs from what its author meant. */
        WARNING
    }

    /** Returns an error at a place. */
    public static Problem error(Origin origin, String message) {
        return new Problem(Severity.ERROR, origin, message);
    }

    /** Returns a warning at a place. */
    public static Problem warning(Origin origin, String message) {
        return new Problem(Severity.WARNING, origin, message);
    }

    /** Returns {@code file:line:column: message}, with warnings marked as such. */
    @Override
    public String toString() {
        return origin + ": " + (severity == Severity.WARNING ? "warning: " : "") + message;
    }
}
