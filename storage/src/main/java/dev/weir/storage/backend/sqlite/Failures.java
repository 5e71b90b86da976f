package dev.weir.storage.backend.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;

import dev.weir.storage.StorageException;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Turns what SQLite reports into a sentence for the operator. */
public final class Failures {
    private Failures() {}

    /**
     * The exception to throw.
     *
     * @param doing a verb, "read" for example
     */
    public static StorageException of(Path file, String doing, SQLException failure) {
        SQLiteErrorCode code = failure instanceof SQLiteException sqlite
                ? sqlite.getResultCode()
                : SQLiteErrorCode.UNKNOWN_ERROR;
        // Extended codes carry the plain one in their low byte.
        String reason = switch (code.code & 0xff) {
            case 5, 6 -> "another program holds it locked; stop that program or give this one another folder";
            case 8 -> "it cannot be written; check the owner and the mode of the file and of its folder";
            case 10 -> "reading or writing it failed (" + failure.getMessage() + "); check the disk";
            case 11 -> "it is damaged; restore it from a backup or move it away";
            case 13 -> "the disk is full";
            case 14 -> "it cannot be opened; check the owner and the mode of the file and of its folder";
            case 26 -> "it is not an SQLite database; move it away or name another folder";
            default -> String.valueOf(failure.getMessage());
        };
        return new StorageException("cannot " + doing + " " + file + ": " + reason, failure);
    }
}
