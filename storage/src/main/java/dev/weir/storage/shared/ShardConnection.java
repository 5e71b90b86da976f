package dev.weir.storage.shared;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import dev.weir.model.Digest;
import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.LoggedUpdate;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisException;

import static dev.weir.storage.shared.EngineConnections.bytes;
import static dev.weir.storage.shared.EngineConnections.text;

/** A connection to the master of a shard, with the commands that nodes use. For one thread. */
final class ShardConnection implements AutoCloseable {
    private static final byte[] BLOCK = bytes("BLOCK");
    private static final byte[] COUNT = bytes("COUNT");

    private final Jedis jedis;
    private final Scripts scripts;
    private final KeyLayout layout;
    private final int shard;
    private final String node;

    /** How often a batch is sent again because another node was faster. */
    private static final int TRIES = 1_000;

    /** The scripts of a layout. */
    record Scripts(EngineScript commit, EngineScript apply, EngineScript states) {
        static Scripts of(KeyLayout layout) {
            return new Scripts(EngineScript.of("begin", layout.script(), "commit"),
                    EngineScript.of("begin", layout.script(), "apply"),
                    EngineScript.of("begin", layout.script(), "states"));
        }
    }

    /**
     * What the engine knows at a moment.
     *
     * @param top the last entry of the stream that the keys have, 0 for none
     * @param mark the mark of that entry; empty for none
     * @param epoch the name of the shard, empty for none
     * @param pushed the last revision that it has of this node; -1 for none
     * @param states in the order of the digests
     */
    record Reading(long top, String mark, String epoch, long pushed, List<byte[]> states) {}

    /**
     * One entry of a stream: what a batch of a node made of some digests.
     *
     * @param number the number of changes in the stream with those of this entry
     * @param previous the mark of the entry before; empty for none
     * @param mark depends on this entry and all before it
     * @param states at least one
     */
    record Entry(long number, String previous, String mark, List<EngineState> states) {
        /** Returns the number of the entry before. */
        long before() {
            return number - states.size();
        }
    }

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
        Jedis jedis = engine.master(layout.keys(shard).nodes(), wait);
        try {
            scripts.commit().load(jedis);
            scripts.apply().load(jedis);
            scripts.states().load(jedis);
        } catch (JedisException e) {
            jedis.close();
            throw EngineConnections.failure("load scripts into " + engine, e);
        }
        return new ShardConnection(jedis, scripts, layout, shard, node);
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
        List<?> reply = (List<?>) jedis.evalsha(scripts.states().sum(), layout.common(shard), arguments);
        String pushed = text(reply.get(3));
        List<byte[]> states = new ArrayList<>();
        for (Object state : (List<?>) reply.get(4)) {
            states.add((byte[]) state);
        }
        return new Reading(number(text(reply.get(0))), text(reply.get(1)), text(reply.get(2)),
                pushed.isEmpty() ? -1 : number(pushed), states);
    }

    /**
     * Sends updates; those that the engine has already change nothing.
     *
     * @throws StorageException if other nodes were always faster
     */
    Pushed push(List<LoggedUpdate> updates, String epoch, long expected, long expireSeconds, int history)
            throws StorageException {
        List<byte[]> arguments = arguments(expireSeconds);
        arguments.add(bytes(Long.toString(expected)));
        arguments.add(bytes(Integer.toString(history)));
        arguments.add(bytes(epoch));
        for (LoggedUpdate logged : updates) {
            add(logged.revision(), logged.update(), arguments);
        }
        for (int i = 0; i < TRIES; i++) {
            List<?> reply;
            // The engine runs both without running anything else between them, unless it crashes. Then the next batch
            // of any node finds the first one alone and has it applied.
            try (Pipeline pipeline = jedis.pipelined()) {
                Response<Object> committed = pipeline.evalsha(scripts.commit().sum(), layout.common(shard), arguments);
                Response<Object> applied = pipeline.evalsha(scripts.apply().sum(), layout.common(shard),
                        arguments(expireSeconds));
                pipeline.sync();
                applied.get();
                reply = (List<?>) committed.get();
            }
            switch (text(reply.getFirst())) {
                case "done" -> {
                    return new Pushed.Done(number(text(reply.get(1))));
                }
                case "behind" -> {
                    return new Pushed.Behind(number(text(reply.get(1))));
                }
                case "epoch" -> {
                    return new Pushed.Stranger();
                }
                default -> {
                    // The keys lacked an entry of the stream, and have it now.
                }
            }
        }
        throw new StorageException("the other nodes were faster " + TRIES + " times in a row");
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

    /** Returns the entries after one, up to another. */
    List<Entry> range(long after, long to, int most) {
        return entries((List<?>) jedis.sendCommand(Protocol.Command.XRANGE, layout.keys(shard).stream(),
                bytes("(" + after + "-1"), bytes(to + "-1"), COUNT, bytes(Integer.toString(most))));
    }

    /** Returns the mark of an entry; empty if the stream does not have the entry. */
    String mark(long number) {
        List<?> rows = (List<?>) jedis.sendCommand(Protocol.Command.XRANGE, layout.keys(shard).stream(),
                bytes(number + "-1"), bytes(number + "-1"));
        return rows.isEmpty() ? "" : entry((List<?>) rows.getFirst()).mark();
    }

    private static List<Entry> entries(List<?> rows) {
        List<Entry> entries = new ArrayList<>();
        for (Object row : rows) {
            entries.add(entry((List<?>) row));
        }
        return entries;
    }

    private static Entry entry(List<?> row) {
        List<?> fields = (List<?>) row.get(1);
        String author = "";
        String previous = "";
        String mark = "";
        long revision = 0;
        List<EngineState> states = new ArrayList<>();
        // What describes the entry comes first.
        for (int i = 0; i + 1 < fields.size(); i += 2) {
            byte[] name = (byte[]) fields.get(i);
            byte[] value = (byte[]) fields.get(i + 1);
            if (name.length == Digest.BYTES) {
                states.add(new EngineState(Digest.of(name), author, revision,
                        Arrays.copyOfRange(value, Math.min(1, value.length), value.length)));
            } else {
                switch (text(name)) {
                    case "n" -> author = text(value);
                    case "r" -> revision = number(text(value));
                    case "p" -> previous = text(value);
                    case "m" -> mark = text(value);
                    default -> {
                        // A later version may say more.
                    }
                }
            }
        }
        return new Entry(number(text(row.getFirst())), previous, mark, states);
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
