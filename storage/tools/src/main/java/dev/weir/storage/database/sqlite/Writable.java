package dev.weir.storage.database.sqlite;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import dev.weir.model.failure.Reason;
import dev.weir.os.OwnerOnly;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConfig;

/** Writable connections to database files. */
public final class Writable {
    private Writable() {}

    private static final Logger LOG = LoggerFactory.getLogger(Writable.class);

    /**
     * Opens a file, or creates it for the user of the process alone, including the files that SQLite creates beside it.
     * The permissions of an existing file's group stay, because Rspamd may need them.
     */
    public static Connection open(Path file) throws SQLException {
        keepFromOthers(file);
        SQLiteConfig config = new SQLiteConfig();
        // Otherwise the driver asks for the new id after each insert, which costs more than the insert, and keeps that
        // query open, which prevents VACUUM.
        config.setGetGeneratedKeys(false);
        return Driver.connect("jdbc:sqlite:" + file.toAbsolutePath(), config.toProperties());
    }

    private static void keepFromOthers(Path file) {
        try {
            OwnerOnly.create(file);
        } catch (IOException e) {
            LOG.debug("{} cannot be made; SQLite will say why", file, e);
            return;
        }
        for (String suffix : List.of("", "-wal", "-shm")) {
            Path beside = file.resolveSibling(file.getFileName() + suffix);
            try {
                OwnerOnly.tighten(beside);
            } catch (IOException e) {
                LOG.warn("the mode of {} cannot be changed; other users can still read it: {}", beside,
                        Reason.of(e));
            }
        }
    }
}
