package dev.weir.storage.shared;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import dev.weir.model.Digest;
import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.LoggedUpdate;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisException;

import static dev.weir.storage.shared.RedisConnections.bytes;
import static dev.weir.storage.shared.RedisConnections.text;

/** A connection to the master of a shard, with the commands that nodes use. For one thread. */
final class ShardConnection implements AutoCloseable {
    private static final byte[] BLOCK = bytes("BLOCK");
    private static final byte[] COUNT = bytes("COUNT");

    /** What the names of fields with {@link SharedPeer} begin with. */
    private static final String PEER = "i:";

    /** Nodes that are silent for longer are not listed any more. */
    private static final Duration FORGOTTEN = Duration.ofDays(30);

    private final Jedis jedis;
    private final Scripts scripts;
    private final KeyLayout layout;
    private final int shard;
    private final String node;

    /** How often a batch is sent again because another node was faster. */
    private static final int TRIES = 1_000;

    /** The scripts of a layout. */
    record Scripts(RedisScript commit, RedisScript apply, RedisScript states) {
        static Scripts of(KeyLayout layout) {
            return new Scripts(RedisScript.of("begin", layout.script(), "commit"),
                    RedisScript.of("begin", layout.script(), "apply"),
                    RedisScript.of("begin", layout.script(), "states"));
        }
    }

    /**
     * What Redis knows at a moment.
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
    record Entry(long number, String previous, String mark, List<RedisState> states) {
        /** Returns the number of the entry before. */
        long before() {
            return number - states.size();
        }
    }

    /** What became of a batch. */
    sealed interface Pushed {
        /** Redis has everything up to a revision. */
        record Done(long revision) implements Pushed {}

        /** Redis has lost what it had after a revision; nothing was applied. */
        record Behind(long revision) implements Pushed {}

        /** Redis is another one; nothing was applied. */
        record Stranger() implements Pushed {}
    }

    private ShardConnection(Jedis jedis, Scripts scripts, KeyLayout layout, int shard, String node) {
        this.jedis = jedis;
        this.scripts = scripts;
        this.layout = layout;
        this.shard = shard;
        this.node = node;
    }

    static ShardConnection open(RedisConnections redis, Scripts scripts, KeyLayout layout, int shard, String node,
            Duration wait) throws StorageException {
        Jedis jedis = redis.master(layout.keys(shard).nodes(), wait);
        try {
            scripts.commit().load(jedis);
            scripts.apply().load(jedis);
            scripts.states().load(jedis);
        } catch (JedisException e) {
            jedis.close();
            throw RedisConnections.failure("load scripts into " + redis, e);
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
    Reading states(List<Digest> digests, long expireSeconds) throws StorageException {
        List<byte[]> arguments = arguments(expireSeconds);
        digests.forEach(digest -> arguments.add(digest.toBytes()));
        return reading(RedisReply.of(jedis.evalsha(scripts.states().sum(), layout.common(shard), arguments)),
                digests.size());
    }

    /** Reads an answer of the script {@code states} about some digests. */
    static Reading reading(RedisReply reply, int digests) throws StorageException {
        List<byte[]> states = new ArrayList<>();
        for (RedisReply state : reply.at(4).items()) {
            states.add(state.bytes());
        }
        if (states.size() != digests) {
            throw new StorageException("the shared Redis answers about " + states.size() + " hashes instead of "
                    + "" + digests);
        }
        return new Reading(reply.at(0).number(), reply.at(1).text(), reply.at(2).text(),
                reply.at(3).text().isEmpty() ? -1 : reply.at(3).number(), states);
    }

    /**
     * Sends updates; those that Redis has already change nothing.
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
            RedisReply reply;
            // Redis runs both without running anything else between them, unless it crashes. Then the next batch
            // of any node finds the first one alone and has it applied.
            try (Pipeline pipeline = jedis.pipelined()) {
                Response<Object> committed = pipeline.evalsha(scripts.commit().sum(), layout.common(shard), arguments);
                Response<Object> applied = pipeline.evalsha(scripts.apply().sum(), layout.common(shard),
                        arguments(expireSeconds));
                pipeline.sync();
                applied.get();
                reply = RedisReply.of(committed.get());
            }
            switch (reply.at(0).text()) {
                case "done" -> {
                    return new Pushed.Done(reply.at(1).number());
                }
                case "behind" -> {
                    return new Pushed.Behind(reply.at(1).number());
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
            case Update.Expire _ -> throw new IllegalArgumentException("the shared Redis expires hashes itself");
        }
        arguments.add(bytes(kind));
        arguments.add(bytes(Long.toString(revision)));
        arguments.add(update.digest().toBytes());
        arguments.add(flag);
        arguments.add(weight);
        arguments.add(time);
        arguments.add(signature);
    }

    /** Returns the address of the server. */
    String server() {
        return jedis.getConnection().getHostAndPort().toString();
    }

    /**
     * Tells the other nodes of this one, and returns all that told of themselves. Those that are silent for long are
     * forgotten.
     */
    List<SharedPeer> announce(SharedPeer self) throws StorageException {
        byte[] nodes = layout.keys(shard).nodes();
        long now = RedisReply.of(jedis.sendCommand(Protocol.Command.TIME)).at(0).number();
        jedis.hset(nodes, bytes(PEER + self.node()), bytes(self.text(now)));
        List<RedisReply> fields = RedisReply.of(jedis.sendCommand(Protocol.Command.HGETALL, nodes)).items();
        List<SharedPeer> peers = new ArrayList<>();
        for (int i = 0; i + 1 < fields.size(); i += 2) {
            String name = fields.get(i).text();
            if (!name.startsWith(PEER)) {
                continue;
            }
            Optional<SharedPeer> peer = SharedPeer.parse(name.substring(PEER.length()), fields.get(i + 1).text(), now);
            if (peer.isPresent() && peer.get().silentSeconds() > FORGOTTEN.toSeconds()) {
                jedis.hdel(nodes, fields.get(i).bytes());
            } else {
                peer.ifPresent(peers::add);
            }
        }
        peers.sort(Comparator.comparing(SharedPeer::machine).thenComparing(SharedPeer::node));
        return peers;
    }

    /** Returns what the server promises. */
    RedisPromise promise() {
        return RedisPromise.of(jedis);
    }

    /**
     * Waits until Redis keeps everything that it has, as far as the settings ask for it.
     *
     * @param promise what this server promises
     * @param millis how long it may take
     * @throws StorageException if it does not, or not in time
     */
    void awaitKept(SharedSettings.Confirmation wanted, RedisPromise promise, long millis) throws StorageException {
        Response<Object> kept;
        boolean asksForDisk = wanted.onDisk() && promise.waitsForDisk();
        try (Pipeline pipeline = jedis.pipelined()) {
            // The server counts from the last write of this connection, which may be a new one.
            pipeline.hset(layout.keys(shard).nodes(), bytes("asked"), bytes(node));
            byte[] replicas = bytes(Integer.toString(wanted.replicas()));
            byte[] time = bytes(Long.toString(millis));
            kept = asksForDisk
                    ? pipeline.sendCommand(Protocol.Command.WAITAOF, bytes("1"), replicas, time)
                    : pipeline.sendCommand(Protocol.Command.WAIT, replicas, time);
            pipeline.sync();
        }
        if (asksForDisk) {
            RedisReply counts = RedisReply.of(kept.get());
            if (counts.at(0).number() < 1) {
                throw new StorageException("the shared Redis has not written the last updates to its disk in time");
            }
            requireReplicas(counts.at(1).number(), wanted, " on disk");
        } else {
            requireReplicas(RedisReply.of(kept.get()).number(), wanted, "");
        }
    }

    private static void requireReplicas(long count, SharedSettings.Confirmation wanted, String where)
            throws StorageException {
        if (count < wanted.replicas()) {
            throw new StorageException(count + " replicas have the last updates" + where + ", and redis_replicas is "
                    + wanted.replicas());
        }
    }

    /** Waits for entries after one; empty if there are none in time. */
    List<Entry> read(long after, int most, Duration wait) throws StorageException {
        Object reply = jedis.sendCommand(Protocol.Command.XREAD, COUNT, bytes(Integer.toString(most)), BLOCK,
                bytes(Long.toString(Math.max(1, wait.toMillis()))), bytes("STREAMS"), layout.keys(shard).stream(),
                bytes(after + "-1"));
        return reply == null ? List.of() : entries(RedisReply.of(reply).at(0).at(1));
    }

    /** Returns the entries after one, up to another. */
    List<Entry> range(long after, long to, int most) throws StorageException {
        return entries(RedisReply.of(jedis.sendCommand(Protocol.Command.XRANGE, layout.keys(shard).stream(),
                bytes("(" + after + "-1"), bytes(to + "-1"), COUNT, bytes(Integer.toString(most)))));
    }

    /** Returns the mark of an entry; empty if the stream does not have the entry. */
    String mark(long number) throws StorageException {
        List<Entry> found = entries(RedisReply.of(jedis.sendCommand(Protocol.Command.XRANGE,
                layout.keys(shard).stream(), bytes(number + "-1"), bytes(number + "-1"))));
        return found.isEmpty() ? "" : found.getFirst().mark();
    }

    /** Reads entries of a stream. */
    static List<Entry> entries(RedisReply rows) throws StorageException {
        List<Entry> entries = new ArrayList<>();
        for (RedisReply row : rows.items()) {
            entries.add(entry(row));
        }
        return entries;
    }

    private static Entry entry(RedisReply row) throws StorageException {
        List<RedisReply> fields = row.at(1).items();
        String author = "";
        String previous = "";
        String mark = "";
        long revision = 0;
        List<RedisState> states = new ArrayList<>();
        // What describes the entry comes first.
        for (int i = 0; i + 1 < fields.size(); i += 2) {
            byte[] name = fields.get(i).bytes();
            RedisReply value = fields.get(i + 1);
            if (name.length == Digest.BYTES) {
                byte[] state = value.bytes();
                states.add(new RedisState(Digest.of(name), author, revision,
                        Arrays.copyOfRange(state, Math.min(1, state.length), state.length), false));
            } else {
                switch (text(name)) {
                    case "n" -> author = value.text();
                    case "r" -> revision = value.number();
                    case "p" -> previous = value.text();
                    case "m" -> mark = value.text();
                    default -> {
                        // A later version may say more.
                    }
                }
            }
        }
        return new Entry(row.at(0).entryNumber(), previous, mark, states);
    }

    /** Returns whether this server still takes writes. */
    boolean isMaster() throws StorageException {
        return "master".equals(RedisReply.of(jedis.sendCommand(Protocol.Command.ROLE)).at(0).text());
    }

    @Override
    public void close() {
        jedis.close();
    }
}
