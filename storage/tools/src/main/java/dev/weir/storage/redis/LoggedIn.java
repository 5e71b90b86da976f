package dev.weir.storage.redis;

import java.io.IOException;
import java.nio.file.Path;

import dev.weir.model.failure.Reason;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/** Connections to a Redis that has answered. */
public final class LoggedIn {
    private LoggedIn() {}

    /**
     * Opens a connection, and closes it again unless Redis answers.
     *
     * @throws JedisException if Redis cannot be reached or refuses the login
     */
    public static Jedis open(HostAndPort place, JedisClientConfig config) {
        return answering(new Jedis(place, config));
    }

    /**
     * Opens a connection to a Unix-domain socket, and closes it again unless Redis answers.
     *
     * @throws JedisException if Redis cannot be reached or refuses the login
     */
    public static Jedis open(Path socket, JedisClientConfig config) {
        return answering(new Jedis(() -> {
            try {
                UnixSocket connected = UnixSocket.connect(socket);
                connected.setSoTimeout(config.getSocketTimeoutMillis());
                return connected;
            } catch (IOException e) {
                throw new JedisConnectionException(Reason.of(e), e);
            }
        }, config));
    }

    private static Jedis answering(Jedis jedis) {
        try {
            jedis.ping();
            return jedis;
        } catch (Throwable e) {
            jedis.close();
            throw e;
        }
    }
}
