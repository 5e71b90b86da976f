package dev.weir.lua;

/** Where {@code rspamd_logger} and {@code print} go. Called on the threads of the states, so it must be thread-safe. */
@FunctionalInterface
public interface ScriptLog {
    /** Level of a message, named as in scripts. */
    enum Level {
        DEBUG, INFO, MESSAGE, WARNING, ERROR
    }

    /** Drops everything. */
    ScriptLog NONE = (level, message) -> {};

    /**
     * Takes one message.
     *
     * @param message one line of at most 2000 characters, control characters replaced
     */
    void log(Level level, String message);
}
