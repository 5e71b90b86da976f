package dev.weir.storage;

import java.nio.file.Path;

/** Signals that another process uses a data folder. */
public final class FolderInUseException extends StorageException {
    private static final long serialVersionUID = 1L;

    FolderInUseException(Path folder) {
        super("another weir is using " + folder.toAbsolutePath() + "; stop it or choose another folder");
    }

    /** Adds what a caller could not do. */
    public FolderInUseException(String message, FolderInUseException cause) {
        super(message, cause);
    }
}
