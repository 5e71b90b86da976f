package dev.weir.storage.log;

import java.util.List;

import dev.weir.storage.StorageException;

/** Updates that were acknowledged cannot be read: nothing may go on as if they had never been. */
public final class LogDamagedException extends StorageException {
    private static final long serialVersionUID = 1;

    private final transient List<LogDamage> damages;

    /** At least one damage. */
    public LogDamagedException(List<LogDamage> damages) {
        super("the update log is damaged, and acknowledged updates would be lost: " + damages.getFirst()
                + (damages.size() == 1 ? "" : " (and " + (damages.size() - 1) + " more places)")
                + "; put back a backup, or see with weir repair what can be kept");
        this.damages = List.copyOf(damages);
    }

    /** Where and what. */
    public List<LogDamage> damages() {
        return damages;
    }
}
