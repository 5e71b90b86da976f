package dev.weir.storage.log;

import java.util.List;

import dev.weir.storage.StorageException;

/** Durable updates are unreadable. The storage must not continue without them. */
public final class LogDamagedException extends StorageException {
    private static final long serialVersionUID = 1;

    private final transient List<LogDamage> damages;

    /** Creates the exception for at least one damage. */
    public LogDamagedException(List<LogDamage> damages) {
        super("the update log is damaged, and acknowledged updates would be lost: " + damages.getFirst()
                + (damages.size() == 1 ? "" : " (and " + (damages.size() - 1) + " more places)")
                + "; put back the right files or a backup, or see with weir repair what can be kept");
        this.damages = List.copyOf(damages);
    }

    /** Returns the damages. */
    public List<LogDamage> damages() {
        return damages;
    }
}
