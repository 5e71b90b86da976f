package dev.weir.storage.transfer.storage;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

import dev.weir.model.Digest;
import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.LogEndNote;
import dev.weir.storage.log.LogHistory;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateOrigin;

/**
 * What a log says about an import with {@code --merge add}. A mark stands before the first update of the import, and
 * one after the last: renewals at time 0 of hashes that nobody has, which change nothing. A follower gets them with the
 * updates of its leader, so a promoted one knows which imports its log has.
 */
final class ImportMarks {
    /** What the log has of an import. */
    enum State {
        /** Nothing. */
        NOTHING,
        /** The beginning, and possibly some of its updates. */
        BEGUN,
        /** All of it. */
        DONE
    }

    private final Digest begun;
    private final Digest done;
    private State state = State.NOTHING;
    private boolean any;

    private ImportMarks(String name) {
        this.begun = begun(name).digest();
        this.done = done(name).digest();
    }

    /**
     * Reads the log as far as it goes back.
     *
     * @param name the name of the import
     */
    static ImportMarks read(Path log, long storageId, String name) throws StorageException {
        ImportMarks marks = new ImportMarks(name);
        try (LogHistory history = LogHistory.open(log, storageId, LogEndNote.NONE)) {
            history.read(-1, marks::add);
        }
        return marks;
    }

    private void add(LoggedUpdate logged) {
        any |= logged.origin().equals(UpdateOrigin.IMPORT);
        // A feed may leave out who sent an update. Nothing else renews such a hash at time 0.
        if (logged.update() instanceof Update.Refresh(Digest digest, long time) && time == 0) {
            if (digest.equals(begun)) {
                state = State.BEGUN;
            } else if (digest.equals(done)) {
                state = State.DONE;
            }
        }
    }

    /** Returns what the log has of the import. */
    State state() {
        return state;
    }

    /** Returns whether the log has updates of any import. */
    boolean any() {
        return any;
    }

    /** Returns the mark before the first update of an import. */
    static Update.Refresh begun(String name) {
        return mark(name + " begun");
    }

    /** Returns the mark after the last update of an import. */
    static Update.Refresh done(String name) {
        return mark(name + " done");
    }

    private static Update.Refresh mark(String text) {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-512")
                    .digest(("weir import " + text).getBytes(StandardCharsets.UTF_8));
            return new Update.Refresh(Digest.of(sum), 0);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
