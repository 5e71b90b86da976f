package dev.weir.storage.redis;

import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
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
        Jedis jedis = new Jedis(place, config);
        try {
            jedis.ping();
            return jedis;
        } catch (Throwable e) {
            jedis.close();
            throw e;
        }
    }
}
