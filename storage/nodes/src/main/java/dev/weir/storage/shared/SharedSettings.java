package dev.weir.storage.shared;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The Redis that nodes share.
 *
 * @param mode how the server that takes writes is found
 * @param servers addresses to write to, the first reachable one counts; members of a Cluster; or Sentinels
 * @param readers addresses for scans and for hashes that the index lacks; empty for those of {@code servers}
 * @param master the name that the Sentinels know the master by; empty in other modes
 * @param login user and passwords
 * @param tls how connections are encrypted; null for plain text
 * @param database number of the database; 0 in a Cluster
 * @param prefix the prefix of all keys
 * @param layout how the hashes are stored
 * @param shards number of streams, and of parts that a Cluster can distribute; 1 with Rspamd's layout
 * @param timeout how long a connection and an answer may take
 * @param reconcile time between two comparisons with Redis, which find what other programs wrote; zero for never
 * @param asks whether Redis is asked about checks that find nothing; only with Rspamd's layout
 * @param history the number of changes that each stream keeps
 * @param confirmation what Redis must have done before a client hears that its update is stored
 */
public record SharedSettings(Mode mode, List<RedisAddress> servers, List<RedisAddress> readers, String master,
        Login login, @Nullable Tls tls, int database, String prefix, SharedLayout layout, int shards, Duration timeout,
        Duration reconcile, boolean asks, int history, Confirmation confirmation) {

    /** The prefix of Rspamd. */
    public static final String PREFIX = "fuzzy";

    /** The usual number of shards of Weir's layout. */
    public static final int SHARDS = 16;

    /** The most shards: each has a connection and a thread. */
    public static final int MAX_SHARDS = 256;

    /** A change takes about 400 bytes in a stream. */
    public static final int HISTORY = 20_000;

    /** How the server that takes writes is found. */
    public enum Mode {
        /** It is the first of the servers that can be reached. */
        STANDALONE,
        /** The Sentinels know it. */
        SENTINEL,
        /** Each master of the Cluster takes a part. */
        CLUSTER
    }

    /**
     * User and passwords, which no text shows.
     *
     * @param user empty for the default user
     * @param password empty for none
     * @param sentinelPassword the password of the Sentinels; empty for none
     */
    public record Login(String user, String password, String sentinelPassword) {
        @Override
        public String toString() {
            return user.isEmpty() ? "Login[]" : "Login[" + user + "]";
        }
    }

    /**
     * How connections are encrypted.
     *
     * @param authorities a PEM file with certificates to trust; empty for those of the system
     * @param certificate a PEM file with the certificate of this client; empty for none
     * @param key a PEM file with its private key in PKCS 8; empty for none
     * @param verify whether the certificate and the name of the server are checked
     */
    public record Tls(String authorities, String certificate, String key, boolean verify) {}

    /**
     * What Redis must have done before a client hears that its update is stored.
     *
     * @param needed whether clients wait for Redis at all
     * @param replicas number of replicas that must have the update
     * @param onDisk whether it must be in the append-only file of Redis, and of these replicas if the server can
     *            tell
     * @param patience how long a client waits before it gets an error
     */
    public record Confirmation(boolean needed, int replicas, boolean onDisk, Duration patience) {
        /** How long a client waits unless the configuration says otherwise. */
        public static final Duration PATIENCE = Duration.ofSeconds(5);

        /** Clients do not wait for Redis. */
        public static final Confirmation NONE = new Confirmation(false, 0, false, PATIENCE);

        /** Returns whether an answer of Redis is not enough. */
        boolean isStrict() {
            return needed && (replicas > 0 || onDisk);
        }
    }

    /** Copies the lists. */
    public SharedSettings {
        servers = List.copyOf(servers);
        readers = List.copyOf(readers);
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("no server");
        }
        if (layout == SharedLayout.RSPAMD && (shards != 1 || mode == Mode.CLUSTER)) {
            throw new IllegalArgumentException("the layout of Rspamd has one shard, and does not work in a Cluster");
        }
        if (asks && layout != SharedLayout.RSPAMD) {
            throw new IllegalArgumentException("only Rspamd's layout has keys to ask for");
        }
    }

    /** Returns where the hashes are, for messages. */
    @Override
    public String toString() {
        return switch (mode) {
            case STANDALONE -> "Redis at " + servers.getFirst();
            case SENTINEL -> "Redis " + master + " of the Sentinels " + servers;
            case CLUSTER -> "the Redis Cluster of " + servers.getFirst();
        } + ", prefix " + prefix;
    }

    /** Returns where the hashes are in Redis, for comparison with what a node did before. */
    public String place() {
        return layout + ",shards=" + shards + ",db=" + database + ",prefix="
                + URLEncoder.encode(prefix, StandardCharsets.UTF_8);
    }
}
