package dev.weir.storage.engine;

/** Who can read the hashes of a data folder. They are always in a store. */
public enum BackendKind {
    /** Rspamd as well: a database in the folder follows the store. */
    SQLITE,
    /** Weir alone, unless another database follows the store. */
    STORE
}
