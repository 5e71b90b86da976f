package dev.weir.storage.shared;

import java.util.List;
import java.util.StringJoiner;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;

import static dev.weir.storage.shared.RedisConnections.bytes;
import static dev.weir.storage.shared.RedisConnections.text;

/**
 * What a server promises by its settings. A text is empty if the server does not tell.
 *
 * @param server the name and version
 * @param appendOnly {@code yes} or {@code no}
 * @param fsync {@code always}, {@code everysec} or {@code no}
 * @param save when snapshots are made
 * @param policy what it removes when its memory is full
 * @param maxMemory the limit of its memory in bytes; 0 for none
 * @param waitsForDisk whether it has the command {@code WAITAOF}
 */
record RedisPromise(String server, String appendOnly, String fsync, String save, String policy, long maxMemory,
        boolean waitsForDisk) {

    /** Asks a server. What its user may not ask stays unknown. */
    static RedisPromise of(Jedis jedis) {
        String info = answer(jedis, Protocol.Command.INFO, "server");
        String name = line(info, "server_name");
        String version = name.isEmpty() || name.equals("redis")
                ? line(info, "redis_version")
                : line(info, name + "_version");
        String memory = setting(jedis, "maxmemory");
        return new RedisPromise((name.isEmpty() ? "redis" : name) + (version.isEmpty() ? "" : " " + version),
                setting(jedis, "appendonly"), setting(jedis, "appendfsync"), setting(jedis, "save"),
                setting(jedis, "maxmemory-policy"), memory.matches("[0-9]{1,18}") ? Long.parseLong(memory) : 0,
                hasWaitAof(jedis));
    }

    /** Returns the random name of this run of a server; empty if it does not tell. */
    static String run(Jedis jedis) {
        return line(answer(jedis, Protocol.Command.INFO, "server"), "run_id");
    }

    private static String answer(Jedis jedis, Protocol.Command command, String... arguments) {
        try {
            Object reply = jedis.sendCommand(command, arguments);
            return reply instanceof List<?> list ? list.size() < 2 ? "" : text(list.get(1)) : text(reply);
        } catch (JedisDataException e) {
            // Servers in a cloud and ACL users often may not.
            return "";
        }
    }

    private static String setting(Jedis jedis, String name) {
        return answer(jedis, Protocol.Command.CONFIG, "GET", name);
    }

    private static String line(String info, String name) {
        return info.lines().filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip()).findFirst().orElse("");
    }

    private static boolean hasWaitAof(Jedis jedis) {
        try {
            jedis.sendCommand(Protocol.Command.WAITAOF, bytes("0"), bytes("0"), bytes("1"));
            return true;
        } catch (JedisDataException e) {
            return false;
        }
    }

    /** Returns whether an answer means that the update is in the file of the server. */
    boolean answersFromDisk() {
        return appendOnly.equals("yes") && fsync.equals("always");
    }

    /** Returns whether the operator should hear of it. */
    boolean isWeak() {
        return evicts() || (appendOnly.equals("no") && save.isEmpty());
    }

    /** Returns whether it removes hashes when its memory is full. */
    boolean evicts() {
        return maxMemory > 0 && !policy.isEmpty() && !policy.equals("noeviction");
    }

    /** Returns a sentence for the operator. */
    String describe() {
        StringJoiner text = new StringJoiner("; ", server + ": ", "");
        text.add(switch (appendOnly) {
            case "yes" -> switch (fsync) {
                case "always" -> "a crash of its machine loses nothing that it has accepted (appendfsync always)";
                case "everysec" -> "a crash of its machine loses up to its last second (appendfsync everysec), which "
                        + "the nodes send again";
                default -> "a crash of its machine loses what the operating system has not written (appendfsync "
                        + fsync + "), which the nodes send again";
            };
            case "no" -> save.isEmpty()
                    ? "it keeps nothing on its disk, so after a restart the nodes put back what they hold "
                            + "(appendonly no, "
                            + "and no save)"
                    : "a crash loses everything since its last snapshot (appendonly no, save " + save
                            + "), which the nodes send again as far as their logs have it";
            default -> "what a crash loses is unknown, because this user may not use CONFIG GET";
        });
        if (evicts()) {
            text.add("it removes hashes when its memory is full (maxmemory-policy " + policy
                    + "): set noeviction");
        }
        return text.toString();
    }
}
