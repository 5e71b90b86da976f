package dev.weir.storage.database.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import dev.weir.storage.StorageException;
import dev.weir.storage.database.DatabaseFile;
import dev.weir.storage.database.FileState;
import dev.weir.storage.database.HashDatabase;
import dev.weir.storage.database.IntegrityCheck;
import dev.weir.storage.view.StorageView;

/** An SQLite file with Rspamd's tables, and the files that SQLite keeps beside it. */
public final class SqliteFile implements DatabaseFile {
    /** The endings of files with changes that may not be in the database file yet. */
    private static final List<String> PENDING = List.of("-wal", "-journal");

    private static final String SHARED_MEMORY = "-shm";

    private final Path file;

    /** Creates the store of the database in {@code file}, which need not exist. */
    public SqliteFile(Path file) {
        this.file = file;
    }

    @Override
    public String name() {
        return file.toString();
    }

    @Override
    public boolean exists() {
        return Files.exists(file);
    }

    @Override
    public HashDatabase open() throws StorageException {
        return SqliteDatabase.open(file);
    }

    @Override
    public HashDatabase reopen() throws StorageException {
        return SqliteDatabase.reopen(file);
    }

    @Override
    public Optional<FileState> fingerprint() throws IOException {
        for (String suffix : PENDING) {
            Path beside = beside(suffix);
            if (Files.exists(beside) && Files.size(beside) > 0) {
                return Optional.empty();
            }
        }
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            return Optional.of(new FileState(now.size(), now.lastModifiedTime().to(TimeUnit.NANOSECONDS)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    @Override
    public Optional<Object> identity() throws IOException {
        try {
            return Optional.ofNullable(Files.readAttributes(file, BasicFileAttributes.class).fileKey());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private Path beside(String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    @Override
    public IntegrityCheck integrityCheck() {
        return new DamageSearch(file);
    }

    @Override
    public StorageView view() throws StorageException {
        return SqliteInspection.open(file);
    }

    @Override
    public void delete() throws IOException {
        Files.deleteIfExists(file);
        Files.deleteIfExists(beside(SHARED_MEMORY));
        for (String suffix : PENDING) {
            Files.deleteIfExists(beside(suffix));
        }
    }
}
