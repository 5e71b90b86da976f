package dev.weir.storage.shared;

/** How the hashes are stored in Redis (docs/operate/nodes.md#layouts). */
public enum SharedLayout {
    /** Exactly the keys of Rspamd, which can use the same Redis. Not for a Cluster. */
    RSPAMD,
    /** One key for each hash, in shards. */
    WEIR
}
