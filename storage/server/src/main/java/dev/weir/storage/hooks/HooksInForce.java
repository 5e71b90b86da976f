package dev.weir.storage.hooks;

import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * The handlers in force, replaceable at any time. A command that begins with the old handlers also ends with them.
 * Thread-safe.
 */
public final class HooksInForce implements AutoCloseable {
    private final AtomicReference<@Nullable Hooks> current = new AtomicReference<>();

    /** Creates a holder without handlers. */
    public HooksInForce() {}

    /** Returns the handlers in force, or null if there are none. The caller must {@link #release} them. */
    public @Nullable Hooks acquire() {
        Hooks hooks = current.get();
        while (hooks != null && !hooks.enter()) {
            // The handlers were replaced in between.
            hooks = current.get();
        }
        return hooks;
    }

    /** Releases handlers that {@link #acquire} returned. Does nothing for null. */
    public void release(@Nullable Hooks hooks) {
        if (hooks != null) {
            hooks.leave();
        }
    }

    /** Puts other handlers in force. The old ones close once no command uses them. */
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
