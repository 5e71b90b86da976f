package dev.weir.storage.shared;

import java.util.List;
import java.util.Optional;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.StoredHash;
import dev.weir.storage.redis.Keys;
import org.jspecify.annotations.Nullable;

/** Names and encodings of a layout. */
interface KeyLayout {

    /** The name of the part of the scripts that knows the layout. */
    String script();

    /** Returns the number of shards. */
    int shards();

    /** Returns the shard of a digest. */
    int shard(Digest digest);

    /** Returns the names of a shard. */
    Keys keys(int shard);

    /** Returns the prefix of a shard, to which the scripts append. */
    byte[] prefix(int shard);

    /** Encodes a signature for a script. */
    byte[] encode(Signature signature);

    /**
     * Decodes the state of a digest.
     *
     * @param state as the scripts return it
     * @param expireSeconds age of expiry; 0 for never
     * @return null for a digest that is not stored
     */
    @Nullable
    StoredHash decode(Digest digest, byte[] state, long expireSeconds);

    /**
     * Encodes a hash as a state.
     *
     * @param expireSeconds age of expiry; 0 for never
     */
    byte[] encode(StoredHash hash, long expireSeconds);

    /** Returns whether each state has its signature, so that one without it belongs to a hash without it. */
    boolean keepsSignatures();

    /** Returns by how much the times of two writes may be off, of which one counts as the later one. */
    long slackSeconds();

    /** Returns the digest that a key belongs to. */
    default Optional<Digest> digest(int shard, byte[] key) {
        return keys(shard).read(key) instanceof Keys.HashKey hash ? Optional.of(hash.digest()) : Optional.empty();
    }

    /** Returns the layout of the settings. */
    static KeyLayout of(SharedSettings settings) {
        return switch (settings.layout()) {
            case RSPAMD -> new RspamdLayout(settings.prefix());
            case WEIR -> new ShardedLayout(settings.prefix(), settings.shards());
        };
    }

    /** Returns the keys that every script gets. */
    default List<byte[]> common(int shard) {
        return List.of(keys(shard).nodes(), keys(shard).stream());
    }
}
