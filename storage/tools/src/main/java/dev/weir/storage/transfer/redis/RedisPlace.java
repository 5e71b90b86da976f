package dev.weir.storage.transfer.redis;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import dev.weir.storage.redis.LoggedIn;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A set of hashes in a Redis: {@code redis://[user[:password]@]host[:port][/db][?prefix=fuzzy]}, with {@code rediss}
 * for TLS. The password is never printed.
 */
public final class RedisPlace {
    private static final int PORT = 6379;
    private static final String PREFIX = "fuzzy";
    private static final int CONNECT_MILLIS = 5_000;
    private static final int REPLY_MILLIS = 60_000;

    private final String host;
    private final int port;
    private final boolean tls;
    private final @Nullable String user;
    private final @Nullable String password;
    private final int database;
    private final String prefix;

    private RedisPlace(String host, int port, boolean tls, @Nullable String user, @Nullable String password,
            int database, String prefix) {
        this.host = host;
        this.port = port;
        this.tls = tls;
        this.user = user;
        this.password = password;
        this.database = database;
        this.prefix = prefix;
    }

    /** Returns whether a text looks like such a URL. */
    public static boolean looksLike(String word) {
        return word.startsWith("redis://") || word.startsWith("rediss://");
    }

    /**
     * Parses a URL.
     *
     * @param password the password if the URL contains none, or null
     * @throws StorageException if the URL is invalid; the message does not repeat it, because it may contain a password
     */
    public static RedisPlace parse(String url, @Nullable String password) throws StorageException {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            // The exception contains the URL, and perhaps a password, so it is not passed on.
            throw wrong();
        }
        String host = uri.getHost();
        if (!looksLike(url) || host == null || uri.getRawFragment() != null) {
            throw wrong();
        }
        String user = null;
        String ownPassword = password;
        String info = uri.getRawUserInfo();
        if (info != null) {
            int colon = info.indexOf(':');
            user = decode(colon < 0 ? info : info.substring(0, colon));
            ownPassword = colon < 0 ? password : decode(info.substring(colon + 1));
        }
        String bare = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        return new RedisPlace(bare, uri.getPort() < 0 ? PORT : uri.getPort(), "rediss".equals(uri.getScheme()),
                user == null || user.isEmpty() ? null : user, ownPassword, database(uri.getRawPath()),
                prefix(uri.getRawQuery()));
    }

    private static int database(@Nullable String path) throws StorageException {
        if (path == null || path.isEmpty() || "/".equals(path)) {
            return 0;
        }
        try {
            int number = Integer.parseInt(path.substring(1));
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw wrong();
        }
        throw wrong();
    }

    private static String prefix(@Nullable String query) throws StorageException {
        if (query == null) {
            return PREFIX;
        }
        if (!query.startsWith("prefix=") || query.indexOf('&') >= 0) {
            throw wrong();
        }
        return decode(query.substring("prefix=".length()));
    }

    private static String decode(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static StorageException wrong() {
        return new StorageException(
                "this is not a place in Redis: expected redis://[user[:password]@]host[:port][/db][?prefix=fuzzy]");
    }

    /** Returns the prefix of every key. */
    byte[] prefix() {
        return prefix.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns a connection, which the caller closes. */
    Jedis connect() throws StorageException {
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder().database(database)
                .connectionTimeoutMillis(CONNECT_MILLIS).socketTimeoutMillis(REPLY_MILLIS).resp2();
        if (tls) {
            config.sslOptions(SslOptions.defaults());
        }
        if (user != null) {
            config.user(user);
        }
        if (password != null) {
            config.password(password);
        }
        try {
            return LoggedIn.open(new HostAndPort(host, port), config.build());
        } catch (JedisException e) {
            throw failure("connect to", e);
        }
    }

    /** Returns the exception to throw after a failure of Redis. */
    StorageException failure(String doing, JedisException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return new StorageException("cannot " + doing + " " + this + ": " + Reason.of(cause), e);
    }

    /** Returns the URL without user and password. */
    @Override
    public String toString() {
        return (tls ? "rediss://" : "redis://") + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port + "/"
                + database + "?prefix=" + prefix;
    }
}
