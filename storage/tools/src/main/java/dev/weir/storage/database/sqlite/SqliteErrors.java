package dev.weir.storage.database.sqlite;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;

import dev.weir.storage.DatabaseDamagedException;
import dev.weir.storage.DatabaseIoException;
import dev.weir.storage.DatabaseLockedException;
import dev.weir.storage.StorageException;
import org.sqlite.FileException;
import org.sqlite.NativeLibraryNotFoundException;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** The conversion of SQLite's errors to sentences for the operator. */
public final class SqliteErrors {
    /** SQLITE_IOERR_SHORT_READ: a page is not there. */
    private static final int SHORT_READ = 522;

    private static final Path ALWAYS_OPEN = Path.of("/dev/null");

    private static final String REBUILD = "if a store has the hashes, weir mirror builds it again; otherwise restore "
            + "it from a backup";

    private SqliteErrors() {}

    /** Closes a connection after a failure. The original failure is the one to report. */
    public static void closeAfter(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            return;
        }
    }

    /**
     * Returns the exception to throw: a {@link DatabaseDamagedException} if the file is damaged or is not a database.
     *
     * @param doing a verb, such as {@code read}
     */
    public static StorageException of(Path file, String doing, SQLException failure) {
        if (isWithoutLibrary(failure)) {
            return new StorageException(
                    "cannot " + doing + " " + file + ": the library of SQLite cannot be loaded from "
                            + System.getProperty("org.sqlite.tmpdir", System.getProperty("java.io.tmpdir"))
                            + "; set WEIR_NATIVE_DIR to a folder that can be written and from which programs may be run"
                            + " (not mounted noexec)",
                    failure);
        }
        SQLiteErrorCode code = failure instanceof SQLiteException sqlite
                ? sqlite.getResultCode()
                : SQLiteErrorCode.UNKNOWN_ERROR;
        // Extended codes contain the basic one in their low byte.
        String reason = switch (code.code & 0xff) {
            case 5, 6 -> "another program holds it locked; stop that program or give this one another folder";
            case 8 -> "it cannot be written; check the owner and the mode of the file and of its folder";
            case 10 -> code.code == SHORT_READ
                    ? "it ends too early; " + REBUILD
                    : "reading or writing it failed (" + failure.getMessage() + "); check the disk and the kernel log";
            case 11 -> "it is damaged; " + REBUILD;
            case 13 -> "the disk is full";
            case 14 -> isOutOfFiles()
                    ? "this process can open no more files; raise its limit, such as LimitNOFILE of its service"
                    : "it cannot be opened; check the owner and the mode of the file and of its folder";
            case 26 -> "it is not an SQLite database; move it away or name another folder";
            default -> String.valueOf(failure.getMessage());
        };
        String message = "cannot " + doing + " " + file + ": " + reason;
        return switch (code.code & 0xff) {
            case 5, 6 -> new DatabaseLockedException(message, failure);
            case 10 -> code.code == SHORT_READ
                    ? new DatabaseDamagedException(message, failure)
                    : new DatabaseIoException(message, failure);
            case 11, 26 -> new DatabaseDamagedException(message, failure);
            default -> new StorageException(message, failure);
        };
    }

    /** Tries it with a file that every process may open, because SQLite has one code for all reasons. */
    private static boolean isOutOfFiles() {
        try (InputStream _ = Files.newInputStream(ALWAYS_OPEN)) {
            return false;
        } catch (IOException e) {
            return Files.exists(ALWAYS_OPEN);
        }
    }

    private static boolean isWithoutLibrary(SQLException failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < 10; depth++) {
            if (cause instanceof NativeLibraryNotFoundException || cause instanceof LinkageError
                    || cause instanceof FileException) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }
}
