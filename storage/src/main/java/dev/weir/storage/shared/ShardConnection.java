package dev.weir.storage.shared;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.Digest;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.model.Update;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

import static dev.weir.storage.shared.EngineConnections.bytes;
import static dev.weir.storage.shared.EngineConnections.text;

/** A connection to the master of a shard, with the commands that nodes use. For one thread. */
final class ShardConnection implements AutoCloseable {
    /** A digest has 64 bytes, a state up to some KB. */
    private static final byte[] BLOCK = bytes("BLOCK");
    private static final byte[] COUNT = bytes("COUNT");

    private final Jedis jedis;
    private final Scripts scripts;
    private final KeyLayout layout;
    private final int shard;
    private final String node;

    /** The scripts of a layout. */
    record Scripts(EngineScript batch, EngineScript states) {
        static Scripts of(KeyLayout layout) {
            return new Scripts(EngineScript.of("begin", layout.script(), "batch"),
                    EngineScript.of("begin", layout.script(), "states"));
        }
    }

    /**
     * What the engine knows at a moment.
     *
     * @param top the last entry of the stream, 0 for none
     * @param epoch the name of the shard, empty for none
     * @param pushed the last revision that it has of this node; -1 for none
     * @param states in the order of the digests
     */
    record Reading(long top, String epoch, long pushed, List<byte[]> states) {}

    /** One entry of a stream; {@code last} is the last revision of its batch, at the end of the batch. */
    record Entry(long number, EngineState state, boolean ends) {}

    /** What became of a batch. */
    sealed interface Pushed {
        /** The engine has everything up to a revision. */
        record Done(long revision) implements Pushed {}

        /** The engine has lost what it had after a revision; nothing was applied. */
        record Behind(long revision) implements Pushed {}

        /** The engine is another one; nothing was applied. */
        record Stranger() implements Pushed {}
    }

    private ShardConnection(Jedis jedis, Scripts scripts, KeyLayout layout, int shard, String node) {
        this.jedis = jedis;
        this.scripts = scripts;
        this.layout = layout;
        this.shard = shard;
        this.node = node;
    }

    static ShardConnection open(EngineConnections engine, Scripts scripts, KeyLayout layout, int shard, String node,
            Duration wait) throws StorageException {
        return new ShardConnection(engine.master(layout.keys(shard).nodes(), wait), scripts, layout, shard, node);
    }

    Jedis jedis() {
        return jedis;
    }

    /** Gives the shard a name unless it has one, and returns its name. */
    String name(String candidate) {
        jedis.hsetnx(layout.keys(shard).nodes(), bytes("epoch"), bytes(candidate));
        return text(jedis.hget(layout.keys(shard).nodes(), bytes("epoch")));
    }

    private List<byte[]> arguments(long expireSeconds) {
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(layout.prefix(shard));
        arguments.add(bytes(Long.toString(expireSeconds)));
        arguments.add(bytes(node));
        return arguments;
    }

    /** Reads the states of digests at one moment. */
    Reading states(List<Digest> digests, long expireSeconds) {
        List<byte[]> arguments = arguments(expireSeconds);
        digests.forEach(digest -> arguments.add(digest.toBytes()));
        List<?> reply = scripts.states().run(jedis, layout.common(shard), arguments);
        String pushed = text(reply.get(2));
        List<byte[]> states = new ArrayList<>();
        for (Object state : (List<?>) reply.get(3)) {
            states.add((byte[]) state);
        }
        return new Reading(number(text(reply.get(0))), text(reply.get(1)), pushed.isEmpty() ? -1 : number(pushed),
                states);
    }

    /** Sends updates; those that the engine has already change nothing. */
    Pushed push(List<LoggedUpdate> updates, String epoch, long expected, long expireSeconds, int history) {
        List<byte[]> arguments = arguments(expireSeconds);
        arguments.add(bytes(Long.toString(expected)));
        arguments.add(bytes(Integer.toString(history)));
        arguments.add(bytes(epoch));
        for (LoggedUpdate logged : updates) {
            add(logged.revision(), logged.update(), arguments);
        }
        List<?> reply = scripts.batch().run(jedis, layout.common(shard), arguments);
        return switch (text(reply.get(0))) {
            case "done" -> new Pushed.Done(number(text(reply.get(1))));
            case "behind" -> new Pushed.Behind(number(text(reply.get(1))));
            default -> new Pushed.Stranger();
        };
    }

    private void add(long revision, Update update, List<byte[]> arguments) {
        byte[] none = new byte[0];
        byte[] flag = none;
        byte[] weight = none;
        byte[] time = none;
        byte[] signature = none;
        String kind;
        switch (update) {
            case Update.Write write -> {
                kind = "w";
                flag = bytes(Integer.toString(write.flag()));
                weight = bytes(Long.toString(write.weight()));
                time = bytes(Long.toString(write.time()));
                signature = write.signature() == null ? none : layout.encode(write.signature());
            }
            case Update.Delete delete -> {
                kind = "d";
                flag = bytes(Integer.toString(delete.flag()));
            }
            case Update.DeleteAll _ -> kind = "d";
            case Update.Refresh refresh -> {
                kind = "r";
                time = bytes(Long.toString(refresh.time()));
            }
            case Update.Expire _ -> throw new IllegalArgumentException("the engine expires hashes itself");
        }
        arguments.add(bytes(kind));
        arguments.add(bytes(Long.toString(revision)));
        arguments.add(update.digest().toBytes());
        arguments.add(flag);
        arguments.add(weight);
        arguments.add(time);
        arguments.add(signature);
    }

    /** Waits for entries after one; empty if there are none in time. */
    List<Entry> read(long after, int most, Duration wait) {
        Object reply = jedis.sendCommand(Protocol.Command.XREAD, COUNT, bytes(Integer.toString(most)), BLOCK,
                bytes(Long.toString(Math.max(1, wait.toMillis()))), bytes("STREAMS"), layout.keys(shard).stream(),
                bytes(after + "-1"));
        return reply == null ? List.of() : entries((List<?>) ((List<?>) ((List<?>) reply).getFirst()).get(1));
    }

    /** Returns the entries from one to another. */
    List<Entry> range(long from, long to, int most) {
        return entries((List<?>) jedis.sendCommand(Protocol.Command.XRANGE, layout.keys(shard).stream(),
                bytes(from + "-1"), bytes(to + "-1"), COUNT, bytes(Integer.toString(most))));
    }

    private static List<Entry> entries(List<?> rows) {
        List<Entry> entries = new ArrayList<>();
        for (Object row : rows) {
            long number = number(text(((List<?>) row).get(0)));
            List<?> fields = (List<?>) ((List<?>) row).get(1);
            byte[] digest = new byte[0];
            byte[] state = new byte[0];
            String author = "";
            String revision = "";
            String ends = "";
            for (int i = 0; i + 1 < fields.size(); i += 2) {
                byte[] value = (byte[]) fields.get(i + 1);
                switch (text(fields.get(i))) {
                    case "d" -> digest = value;
                    case "n" -> author = text(value);
                    case "r" -> revision = text(value);
                    case "e" -> ends = text(value);
                    case "v" -> state = value;
                    default -> {
                        // A later version may say more.
                    }
                }
            }
            if (digest.length == Digest.BYTES) {
                entries.add(new Entry(number, new EngineState(Digest.of(digest), author, number(revision), state),
                        !ends.isEmpty()));
            }
        }
        return entries;
    }

    /** Returns whether this server still takes writes. */
    boolean isMaster() {
        return "master".equals(text(((List<?>) jedis.sendCommand(Protocol.Command.ROLE)).getFirst()));
    }

    /** Parses a number, or the first one of an entry's name. */
    private static long number(String text) {
        int dash = text.indexOf('-', 1);
        try {
            return Long.parseLong(dash < 0 ? text : text.substring(0, dash));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    @Override
    public void close() {
        jedis.close();
    }
}
