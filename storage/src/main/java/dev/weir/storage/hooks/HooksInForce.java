package dev.weir.storage.hooks;

import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * The handlers that commands are shown to, which may be exchanged at any time: a command that began with the old ones
 * ends with them. Thread-safe.
 */
public final class HooksInForce implements AutoCloseable {
    private final AtomicReference<@Nullable Hooks> current = new AtomicReference<>();

    /** No handlers yet. */
    public HooksInForce() {}

    /** The handlers, to be given back with {@link #release}; null if absent. */
    public @Nullable Hooks acquire() {
        Hooks hooks = current.get();
        while (hooks != null && !hooks.enter()) {
            // Exchanged in this very moment.
            hooks = current.get();
        }
        return hooks;
    }

    /** Ends the use of handlers that {@link #acquire} gave; nothing for null. */
    public void release(@Nullable Hooks hooks) {
        if (hooks != null) {
            hooks.leave();
        }
    }

    /** Puts others in force; the old ones end once no command asks them any more. */
    public void replace(@Nullable Hooks fresh) {
        Hooks old = current.getAndSet(fresh);
        if (old != null) {
            old.close();
        }
    }

    @Override
    public void close() {
        replace(null);
    }
}
