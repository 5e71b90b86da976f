package dev.weir.lua;

/** The destination of {@code rspamd_logger} and {@code print}. Script threads call it, so it must be thread-safe. */
@FunctionalInterface
public interface ScriptLog {
    /** The level of a message, named as in scripts. */
    enum Level {
        DEBUG, INFO, MESSAGE, WARNING, ERROR
    }

    /** A log that drops all messages. */
    ScriptLog NONE = (level, message) -> {};

    /**
     * Logs one message.
     *
     * @param message one line of at most 2000 characters, control characters replaced
     */
    void log(Level level, String message);
}
