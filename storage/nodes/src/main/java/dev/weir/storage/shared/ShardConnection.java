package dev.weir.storage.shared;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

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

    /** The field of an entry whose states have the updates of a node; its name follows. */
    private static final Pattern HAS = Pattern.compile("h[0-9a-f]{16}");

    /** Nodes that are silent for longer are not listed any more. */
    private static final Duration FORGOTTEN = Duration.ofDays(30);

    private final Jedis jedis;
    private final Scripts scripts;
    private final KeyLayout layout;
    private final int shard;
    private final Sender sender;

    /** The name of the shard as the scripts know it; empty before {@link #join}. */
    private String epoch = "";

    /** How often a batch is sent again because another node was faster. */
    private static final int TRIES = 1_000;

    /** The scripts of a layout. */
    record Scripts(RedisScript join, RedisScript claim, RedisScript offer, RedisScript commit, RedisScript apply,
            RedisScript states, RedisScript settings) {
        static Scripts of(KeyLayout layout) {
            return new Scripts(of(layout, "join"), of(layout, "claim"), of(layout, "offer"), of(layout, "commit"),
                    of(layout, "apply"), of(layout, "states"), of(layout, "settings"));
        }

        private static RedisScript of(KeyLayout layout, String last) {
            return RedisScript.of("begin", layout.script(), last);
        }

        private void load(Jedis jedis) {
            for (RedisScript script : List.of(join, claim, offer, commit, apply, states, settings)) {
                script.load(jedis);
            }
        }
    }

    /** The node and the settings that each script gets. */
    interface Sender {
        String node();

        /** Returns the random name of this run of the node. */
        String run();

        /** Returns the last runs of the node, this one first. */
        List<String> runs();

        /** Returns the time of this node in seconds since 1970. */
        long seconds();

        /** Returns how many seconds to add to the times of this node, because its clock is wrong. */
        long correction();

        long expireSeconds();
    }

    /**
     * What a node meets.
     *
     * @param kin whether the shard is a predecessor or a successor of the one that the node knows, so Redis has lost
     *            changes
     * @param epoch the name of the shard
     * @param now the time of Redis in seconds since 1970
     * @param pushed the last revision that it has of this node; -1 for none
     */
    record Joined(boolean kin, String epoch, long now, long pushed) {}

    /**
     * What Redis knows at a moment.
     *
     * @param top the last entry of the stream that the keys have, 0 for none
     * @param mark the mark of that entry; empty for none
     * @param revisions the last revision that it has of each node
     * @param states in the order of the digests
     * @param claims the turns to put back what Redis has lost that no node has ended
     * @param busy whether another node has such a turn now
     * @param now the time of Redis in seconds since 1970
     */
    record Reading(long top, String mark, Map<String, Long> revisions, List<byte[]> states, Set<String> claims,
            boolean busy, long now) {
        /** Returns the last revision that it has of a node; -1 for none. */
        long of(String node) {
            return revisions.getOrDefault(node, -1L);
        }
    }

    /** A state that a node holds. */
    @SuppressWarnings("ArrayRecordComponent") // handed on within the package, never compared
    record Offered(Digest digest, byte[] state) {}

    /**
     * One entry of a stream: what a batch of a node made of some digests.
     *
     * @param number the number of changes in the stream with those of this entry
     * @param previous the mark of the entry before; empty for none
     * @param mark depends on this entry and all before it
     * @param node the node that sent it
     * @param revision the last update of that node that the states have
     * @param offered whether the node put back what Redis lacked: the states may have updates of other nodes, too
     * @param others the last updates of nodes that the states have as well, if they tell; empty for most entries
     * @param states at least one
     */
    record Entry(long number, String previous, String mark, String node, long revision, boolean offered,
            Map<String, Long> others, List<RedisState> states) {
        Entry {
            others = Map.copyOf(others);
        }

        /** Returns the number of the entry before. */
        long before() {
            return number - states.size();
        }
    }

    /** What became of a batch. */
    sealed interface Pushed {
        /**
         * Redis has everything up to a revision.
         *
         * @param kept number of flags that an undo did not remove, because others have learned them meanwhile
         */
        record Done(long revision, long kept) implements Pushed {}

        /** Redis has lost what it had after a revision, or what other nodes sent; nothing was applied. */
        record Behind(long revision) implements Pushed {}

        /**
         * Redis lacks hashes that this node knows; nothing was applied.
         *
         * @param top the last entry of the stream
         * @param revision the last update of this node that Redis has
         * @param now the time of Redis in seconds since 1970
         */
        record Lacking(List<Digest> digests, long top, long revision, long now) implements Pushed {}

        /** A node did not end its turn to put back what Redis has lost; nothing was applied. */
        record Unfinished(String claim) implements Pushed {}

        /** Another node puts back what Redis has lost; nothing was applied. */
        record Busy(String holder) implements Pushed {}
    }

    private ShardConnection(Jedis jedis, Scripts scripts, KeyLayout layout, int shard, Sender sender) {
        this.jedis = jedis;
        this.scripts = scripts;
        this.layout = layout;
        this.shard = shard;
        this.sender = sender;
    }

    static ShardConnection open(RedisConnections redis, Scripts scripts, KeyLayout layout, int shard, Sender sender,
            Duration wait) throws StorageException {
        Jedis jedis = redis.master(layout.keys(shard).nodes(), wait);
        try {
            scripts.load(jedis);
        } catch (JedisException e) {
            jedis.close();
            throw RedisConnections.failure("load scripts into " + redis, e);
        }
        return new ShardConnection(jedis, scripts, layout, shard, sender);
    }

    private List<byte[]> arguments(String known, String name) {
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(layout.prefix(shard));
        arguments.add(bytes(Long.toString(sender.expireSeconds())));
        arguments.add(bytes(sender.node()));
        arguments.add(bytes(known));
        arguments.add(bytes(name));
        arguments.add(bytes(Long.toString(sender.seconds())));
        arguments.add(bytes(Long.toString(sender.correction())));
        return arguments;
    }

    private List<byte[]> arguments() {
        return arguments(epoch, sender.run());
    }

    private RedisReply run(RedisScript script, List<byte[]> arguments) {
        return RedisReply.of(jedis.evalsha(script.sum(), layout.common(shard), arguments));
    }

    /**
     * Joins the nodes of the shard. Without a name, the shard gets one.
     *
     * @param known the name of the shard that the node knows; empty for none
     * @param candidate a name for a new shard
     * @param machine the name of this machine
     * @param others the other nodes that are there. If the server has started again, all look for what it has lost
     *            before any sends
     */
    Joined join(String known, String candidate, String machine, List<String> others) throws StorageException {
        List<byte[]> arguments = arguments(known, machine);
        arguments.add(bytes(candidate));
        arguments.add(bytes(RedisPromise.run(jedis)));
        arguments.add(bytes(String.join(",", others)));
        sender.runs().forEach(run -> arguments.add(bytes(run)));
        RedisReply reply = run(scripts.join(), arguments);
        String answer = reply.at(0).text();
        return switch (answer) {
            case "format" -> throw new StorageException("the shared Redis is used by nodes of another version (its "
                    + "epoch is " + reply.at(1).text() + "): update all nodes to the same version");
            case "stranger" -> throw new StorageException("it is not the one that this node knows: its epoch is "
                    + reply.at(1).text() + ", and this node knows 2-" + known
                    + " (docs/operate/nodes.md#another-redis)");
            case "run" -> throw clash(reply.at(1).text());
            default -> {
                epoch = "2-" + reply.at(1).text();
                yield new Joined(answer.equals("kin"), reply.at(1).text(), reply.at(2).number(),
                        reply.at(3).text().isEmpty() ? -1 : reply.at(3).number());
            }
        };
    }

    private StorageException clash(String holder) {
        String[] parts = holder.split(" ", 3);
        String other = parts.length < 3
                ? holder
                : parts[0] + " on the machine " + parts[1] + " since "
                        + Instant.ofEpochSecond(parts[2].matches("[0-9]{1,11}") ? Long.parseLong(parts[2]) : 0);
        return new StorageException("two nodes have the name " + sender.node() + ": this one is run " + sender.run()
                + ", and the shared Redis now knows run " + other + ". The folder of one is a copy of the other: stop "
                + "one of the two, and let it begin with an empty folder "
                + "(docs/operate/nodes.md#two-nodes-with-one-name)");
    }

    /** Throws the reason for which a script refused. */
    private void requireNoRefusal(RedisReply reply) throws StorageException {
        switch (reply.at(0).text()) {
            case "epoch" -> throw new LostRedisException("the shared Redis was emptied or went back");
            case "run" -> {
                String holder = reply.at(1).text();
                if (holder.isEmpty() || sender.runs().contains(holder.split(" ", 2)[0])) {
                    // An older Redis knows an earlier run, or none.
                    throw new LostRedisException("the shared Redis went back");
                }
                throw clash(holder);
            }
            default -> {
                // Carried out, or an answer that the caller knows.
            }
        }
    }

    /** Redis is not the one that this node joined: it must join again. */
    static final class LostRedisException extends StorageException {
        private static final long serialVersionUID = 1;

        LostRedisException(String message) {
            super(message);
        }
    }

    /** Reads the states of digests at one moment. */
    Reading states(List<Digest> digests) throws StorageException {
        List<byte[]> arguments = arguments();
        digests.forEach(digest -> arguments.add(digest.toBytes()));
        RedisReply reply = run(scripts.states(), arguments);
        requireNoRefusal(reply);
        return reading(reply, digests.size());
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
        Map<String, Long> revisions = new HashMap<>();
        List<RedisReply> pairs = reply.at(3).items();
        for (int i = 0; i + 1 < pairs.size(); i += 2) {
            revisions.put(pairs.get(i).text(), pairs.get(i + 1).number());
        }
        Set<String> claims = new HashSet<>();
        for (RedisReply claim : reply.at(6).items()) {
            claims.add(claim.text());
        }
        return new Reading(reply.at(1).number(), reply.at(2).text(), revisions, states, claims,
                !reply.at(7).text().isEmpty(), reply.at(5).number());
    }

    /**
     * Has this node be the only one that puts back what Redis has lost, for some seconds.
     *
     * @param name a random name; empty to keep a turn
     * @param others the other nodes that are there; all have their turn before any sends
     * @param revisions the states of this node have the updates of these nodes up to there
     * @return the node that does so at present; empty if it is this one now
     */
    Optional<String> claim(String name, List<String> others, Map<String, Long> revisions)
            throws StorageException {
        List<byte[]> arguments = arguments();
        arguments.add(bytes("take"));
        arguments.add(bytes(name));
        arguments.add(bytes(String.join(",", others)));
        revisions.forEach((node, revision) -> {
            arguments.add(bytes(node));
            arguments.add(bytes(Long.toString(revision)));
        });
        RedisReply reply = run(scripts.claim(), arguments);
        requireNoRefusal(reply);
        return reply.at(0).text().equals("busy") ? Optional.of(reply.at(1).text()) : Optional.empty();
    }

    /** How a turn to put back what Redis has lost ends. */
    enum TurnEnd {
        /** This node has put back all that it holds. */
        DONE("done"),
        /** It has not. */
        FAILED("free"),
        /** It had no turn, and has compared everything. Its own turns of before need no answer any more. */
        NONE("none");

        final String word;

        TurnEnd(String word) {
            this.word = word;
        }
    }

    /** Lets other nodes put back what Redis has lost, and send updates. */
    void free(TurnEnd end) throws StorageException {
        List<byte[]> arguments = arguments();
        arguments.add(bytes(end.word));
        arguments.add(bytes(""));
        requireNoRefusal(run(scripts.claim(), arguments));
    }

    /**
     * What Redis made of offers.
     *
     * @param considered none if another node puts back its own, and none that changed meanwhile
     * @param deleted those of them of which Redis has nothing, because a node deleted them after that
     */
    record Considered(Set<Digest> considered, Set<Digest> deleted) {
        Considered() {
            this(new HashSet<>(), new HashSet<>());
        }

        void add(Considered other) {
            considered.addAll(other.considered);
            deleted.addAll(other.deleted);
        }
    }

    /** How states of this node and of Redis merge. */
    enum Merge {
        /** Redis has lost at most some keys. */
        MISSING("0"),
        /** Redis has lost changes. */
        LATER("1"),
        /** Redis has lost changes, and the times of the states may be too late. */
        GREATER("2");

        private final String argument;

        Merge(String argument) {
            this.argument = argument;
        }
    }

    /**
     * Offers states that Redis may have lost.
     *
     * @param seen the last entry of the stream that the states have
     */
    Considered offer(List<Offered> states, long seen, Merge merge, int history) throws StorageException {
        List<byte[]> arguments = arguments();
        arguments.add(bytes(Integer.toString(history)));
        arguments.add(bytes(Long.toString(seen)));
        arguments.add(bytes(merge.argument));
        for (Offered state : states) {
            arguments.add(state.digest().toBytes());
            arguments.add(state.state());
        }
        RedisReply reply = commit(scripts.offer(), arguments);
        Considered made = new Considered();
        if (!reply.at(0).text().equals("busy")) {
            states.forEach(state -> made.considered().add(state.digest()));
            for (RedisReply moved : reply.at(1).items()) {
                made.considered().remove(Digest.of(moved.bytes()));
            }
            for (RedisReply deleted : reply.at(2).items()) {
                made.deleted().add(Digest.of(deleted.bytes()));
            }
        }
        return made;
    }

    /**
     * Sends updates; those that Redis has already change nothing.
     *
     * @param seen the last entry of the stream that this node has used
     * @param claims those after which this node has put back what it holds
     * @param knows the digests that Redis must have, because this node has them
     * @param absent those of them that Redis need not have, because a node deleted them or this node held nothing
     * @throws StorageException if other nodes were always faster, or Redis is not the one that this node joined
     */
    Pushed push(List<LoggedUpdate> updates, long expected, long seen, Set<String> claims, int history,
            Predicate<Digest> knows, Set<Digest> absent) throws StorageException {
        List<byte[]> arguments = arguments();
        arguments.add(bytes(Long.toString(expected)));
        arguments.add(bytes(Integer.toString(history)));
        arguments.add(bytes(Long.toString(seen)));
        arguments.add(bytes(String.join(",", claims)));
        for (LoggedUpdate logged : updates) {
            Digest digest = logged.update().digest();
            add(logged, absent.contains(digest) ? "!" : "", knows.test(digest), arguments);
        }
        RedisReply reply = commit(scripts.commit(), arguments);
        return switch (reply.at(0).text()) {
            case "behind" -> new Pushed.Behind(reply.at(1).number());
            case "busy" -> new Pushed.Busy(reply.at(1).text());
            case "unfinished" -> new Pushed.Unfinished(reply.at(1).text());
            case "lacking" -> {
                List<Digest> digests = new ArrayList<>();
                for (RedisReply digest : reply.at(1).items()) {
                    digests.add(Digest.of(digest.bytes()));
                }
                yield new Pushed.Lacking(digests, reply.at(2).number(), reply.at(3).number(),
                        reply.at(4).number());
            }
            default -> new Pushed.Done(reply.at(1).number(), reply.at(2).number());
        };
    }

    /** Runs a script that appends to the stream, and has the entry applied. */
    private RedisReply commit(RedisScript script, List<byte[]> arguments) throws StorageException {
        for (int i = 0; i < TRIES; i++) {
            RedisReply reply;
            // Redis runs both without running anything else between them, unless it crashes. Then the next batch
            // of any node finds the first one alone and has it applied.
            try (Pipeline pipeline = jedis.pipelined()) {
                Response<Object> committed = pipeline.evalsha(script.sum(), layout.common(shard), arguments);
                Response<Object> applied = pipeline.evalsha(scripts.apply().sum(), layout.common(shard), arguments());
                pipeline.sync();
                applied.get();
                reply = RedisReply.of(committed.get());
            }
            requireNoRefusal(reply);
            if (!reply.at(0).text().equals("unapplied")) {
                return reply;
            }
            // The keys lacked an entry of the stream, and have it now.
        }
        throw new StorageException("the other nodes were faster " + TRIES + " times in a row");
    }

    private void add(LoggedUpdate logged, String offered, boolean knows, List<byte[]> arguments) {
        Update update = logged.update();
        byte[] none = new byte[0];
        byte[] flag = none;
        byte[] weight = none;
        byte[] time = none;
        byte[] signature = none;
        String kind;
        switch (update) {
            case Update.Write write -> {
                kind = knows ? "k" : "w";
                flag = bytes(Integer.toString(write.flag()));
                weight = bytes(Long.toString(write.weight()));
                time = bytes(Long.toString(write.time()));
                signature = write.signature() == null ? none : layout.encode(write.signature());
            }
            case Update.Delete delete -> {
                kind = PendingUpdates.isUndo(logged.origin()) ? "u" : "d";
                flag = bytes(Integer.toString(delete.flag()));
            }
            case Update.DeleteAll _ -> kind = "d";
            case Update.Refresh refresh -> {
                kind = "r";
                time = bytes(Long.toString(refresh.time()));
            }
            case Update.Expire _ -> throw new IllegalArgumentException("the shared Redis expires hashes itself");
        }
        arguments.add(bytes(kind + offered));
        arguments.add(bytes(Long.toString(logged.revision())));
        arguments.add(update.digest().toBytes());
        arguments.add(flag);
        arguments.add(weight);
        arguments.add(time);
        arguments.add(signature);
    }

    /** Returns the time of Redis in seconds since 1970. */
    long now() throws StorageException {
        return RedisReply.of(jedis.sendCommand(Protocol.Command.TIME)).at(0).number();
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
        long now = now();
        jedis.hset(nodes, bytes(PEER + self.node()), bytes(self.text(now)));
        return peers(now);
    }

    private List<SharedPeer> peers(long now) throws StorageException {
        byte[] nodes = layout.keys(shard).nodes();
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

    /**
     * Checks that the other nodes have the same settings. The age of expiry can change while no other node is there.
     *
     * @param place where the hashes are, and how
     * @param key where Redis has the settings of the nodes
     * @throws StorageException with both values if they differ
     */
    void requireSettings(String place, byte[] key) throws StorageException {
        List<byte[]> arguments = arguments();
        arguments.add(bytes(place + ",expire=" + sender.expireSeconds()));
        arguments.add(bytes(place));
        arguments.add(bytes(Long.toString(SharedClocks.RECENT)));
        List<byte[]> keys = new ArrayList<>(layout.common(shard));
        keys.add(key);
        RedisReply reply = RedisReply.of(jedis.evalsha(scripts.settings().sum(), keys, arguments));
        switch (reply.at(0).text()) {
            case "other" -> throw new StorageException("the nodes have different settings: this one has " + place
                    + ",expire=" + sender.expireSeconds() + ", and the shared Redis has " + reply.at(1).text()
                    + ". Give all nodes the same, or another prefix; if no node uses the others any more, delete the "
                    + "key " + text(key));
            case "expire" -> throw new StorageException("the nodes have different ages of expiry: this one has expire="
                    + sender.expireSeconds() + " s, and the shared Redis has "
                    + reply.at(1).text().substring(place.length() + 1)
                    + " s. Give all nodes the same; to change it, change all");
            default -> {
                // The same.
            }
        }
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
            pipeline.hset(layout.keys(shard).nodes(), bytes("asked"), bytes(sender.node()));
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
        boolean offered = false;
        Map<String, Long> others = new HashMap<>();
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
                    case "o" -> offered = true;
                    case String other when HAS.matcher(other).matches() -> others.put(other.substring(1),
                            value.number());
                    default -> {
                        // A later version may say more.
                    }
                }
            }
        }
        return new Entry(row.at(0).entryNumber(), previous, mark, author, revision, offered, others, states);
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
