package dev.weir.storage.shared;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import dev.weir.storage.redis.LoggedIn;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * Finds the servers of a shared Redis and connects to them. Each connection is to a master that was asked for its role,
 * so a server that lost it is not used again. Thread-safe; a connection is for one thread.
 */
final class RedisConnections {
    private static final Logger LOG = LoggerFactory.getLogger(RedisConnections.class);

    private final SharedSettings settings;
    private final RedisTls tls;

    RedisConnections(SharedSettings settings) throws StorageException {
        this.settings = settings;
        this.tls = RedisTls.of(settings.tls());
    }

    /**
     * Connects to the server that takes the writes of a key.
     *
     * @param wait added to the time-out of answers, for commands that wait
     * @throws StorageException if there is no such server at present
     */
    Jedis master(byte[] key, Duration wait) throws StorageException {
        return switch (settings.mode()) {
            case STANDALONE -> first(settings.servers(), wait);
            case SENTINEL -> fromSentinels(wait);
            case CLUSTER -> fromCluster(key, wait);
        };
    }

    /** Connects to a server that has a key, perhaps an older state of it. */
    Jedis reader(byte[] key, Duration wait) throws StorageException {
        if (settings.mode() != SharedSettings.Mode.STANDALONE || settings.readers().isEmpty()) {
            return master(key, wait);
        }
        StorageException failure = null;
        for (RedisAddress address : settings.readers()) {
            try {
                return open(address, wait);
            } catch (StorageException e) {
                failure = joined(failure, e);
            }
        }
        throw failure == null ? new StorageException("no server to read from") : failure;
    }

    private Jedis first(List<RedisAddress> servers, Duration wait) throws StorageException {
        StorageException failure = null;
        for (RedisAddress address : servers) {
            try {
                return requireMaster(open(address, wait), address);
            } catch (StorageException e) {
                failure = joined(failure, e);
            }
        }
        throw failure == null ? new StorageException("no server to write to") : failure;
    }

    private static StorageException joined(@org.jspecify.annotations.Nullable StorageException before,
            StorageException next) {
        return before == null ? next : new StorageException(before.getMessage() + "; " + next.getMessage(), next);
    }

    private Jedis requireMaster(Jedis jedis, RedisAddress address) throws StorageException {
        try {
            Object role = ((List<?>) jedis.sendCommand(Protocol.Command.ROLE)).getFirst();
            if ("master".equals(text(role))) {
                return jedis;
            }
            jedis.close();
            throw new StorageException(address + " is a replica at present");
        } catch (JedisException e) {
            jedis.close();
            throw failure("ask " + address, e);
        }
    }

    private Jedis fromSentinels(Duration wait) throws StorageException {
        List<String> reasons = new ArrayList<>();
        for (RedisAddress sentinel : settings.servers()) {
            try (Jedis jedis = connect(sentinel, settings.login().sentinelPassword(), "", 0, Duration.ZERO)) {
                Object found = jedis.sendCommand(Protocol.Command.SENTINEL, bytes("GET-MASTER-ADDR-BY-NAME"),
                        bytes(settings.master()));
                if (found instanceof List<?> place && place.size() == 2) {
                    RedisAddress address = new RedisAddress(text(place.get(0)), Integer.parseInt(text(place.get(1))));
                    return requireMaster(open(address, wait), address);
                }
                reasons.add("the Sentinel " + sentinel + " knows no master \"" + settings.master() + "\"");
            } catch (JedisException e) {
                reasons.add(String.valueOf(failure("ask the Sentinel " + sentinel, e).getMessage()));
            } catch (StorageException e) {
                // A Sentinel may not know of a failover yet that another one has seen.
                reasons.add(String.valueOf(e.getMessage()));
            }
        }
        throw new StorageException(String.join("; ", reasons));
    }

    private Jedis fromCluster(byte[] key, Duration wait) throws StorageException {
        int slot = JedisClusterCRC16.getSlot(key);
        List<String> reasons = new ArrayList<>();
        for (RedisAddress member : settings.servers()) {
            try (Jedis jedis = open(member, Duration.ZERO)) {
                for (Object row : (List<?>) jedis.sendCommand(Protocol.Command.CLUSTER, bytes("SLOTS"))) {
                    List<?> range = (List<?>) row;
                    if ((Long) range.get(0) <= slot && slot <= (Long) range.get(1)) {
                        List<?> place = (List<?>) range.get(2);
                        String host = text(place.get(0));
                        RedisAddress address = new RedisAddress(host.isEmpty() ? member.host() : host,
                                ((Long) place.get(1)).intValue());
                        return requireMaster(open(address, wait), address);
                    }
                }
                reasons.add(member + " knows no server for the slot " + slot);
            } catch (JedisException e) {
                reasons.add(String.valueOf(failure("ask " + member, e).getMessage()));
            } catch (StorageException e) {
                reasons.add(String.valueOf(e.getMessage()));
            }
        }
        throw new StorageException(String.join("; ", reasons));
    }

    private Jedis open(RedisAddress address, Duration wait) throws StorageException {
        return connect(address, settings.login().password(), settings.login().user(), settings.database(), wait);
    }

    private Jedis connect(RedisAddress address, String password, String user, int database, Duration wait)
            throws StorageException {
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder().database(database).resp2()
                .connectionTimeoutMillis((int) settings.timeout().toMillis())
                .socketTimeoutMillis((int) settings.timeout().plus(wait).toMillis());
        if (!user.isEmpty()) {
            config.user(user);
        }
        if (!password.isEmpty()) {
            config.password(password);
        }
        tls.use(config);
        try {
            return address.isSocket()
                    ? LoggedIn.open(Path.of(address.host()), config.build())
                    : LoggedIn.open(new HostAndPort(address.host(), address.port()), config.build());
        } catch (JedisException e) {
            throw failure("connect to " + address, e);
        }
    }

    @Override
    public String toString() {
        return settings.toString();
    }

    /** Returns the exception to throw after a failure. No message of the client has a password. */
    static StorageException failure(String doing, JedisException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return new StorageException("cannot " + doing + ": " + Reason.of(cause), e);
    }

    /**
     * Returns a failure of a thread of this package, which tries again after a pause.
     *
     * @param doing what the thread does, such as {@code follow redis.example.org}
     */
    static StorageException failure(String doing, Exception e) {
        return switch (e) {
            case StorageException known -> known;
            case JedisException client -> failure(doing, client);
            default -> {
                LOG.error("a bug interrupts the work with the shared Redis; it is tried again", e);
                yield new StorageException("cannot " + doing + ", because of a bug: " + Reason.of(e), e);
            }
        };
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the text of a reply. */
    static String text(Object reply) {
        return reply instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : String.valueOf(reply);
    }
}
