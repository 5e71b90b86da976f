package dev.weir.storage.engine;

/** The kinds of place in which a data folder can have its hashes. */
public enum BackendKind {
    /** A database with Rspamd's tables. */
    SQLITE,
    /** Weir's own files. */
    STORE
}
