package dev.weir.config.source;

/**
 * Something wrong at a place of the configuration, said for the person who wrote it.
 *
 * @param severity whether the configuration can still be used
 * @param origin where
 * @param message what happened and what to do, one sentence without the place
 */
public record Problem(Severity severity, Origin origin, String message) {
    /** How much a problem weighs. */
    public enum Severity {
        /** The configuration cannot be used. */
        ERROR,
        /** It can be used, but probably says something else than was meant. */
        WARNING
    }

    /** An error at a place. */
    public static Problem error(Origin origin, String message) {
        return new Problem(Severity.ERROR, origin, message);
    }

    /** A warning at a place. */
    public static Problem warning(Origin origin, String message) {
        return new Problem(Severity.WARNING, origin, message);
    }

    /** {@code file:line:column: message}, warnings marked as such. */
    @Override
    public String toString() {
        return origin + ": " + (severity == Severity.WARNING ? "warning: " : "") + message;
    }
}
