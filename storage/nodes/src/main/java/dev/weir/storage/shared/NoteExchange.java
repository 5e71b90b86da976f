package dev.weir.storage.shared;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.weir.storage.StorageException;
import dev.weir.storage.notes.NodeNotes;
import dev.weir.storage.redis.Keys;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/**
 * The thread that leaves the note of this node in Redis, and reads those of the other nodes. Each node has one key with
 * an end. With more nodes, each reads all of them less often: at most one note a second on average.
 * No other thread waits for this one.
 */
final class NoteExchange implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(NoteExchange.class);

    private static final long LEAST_PAUSE = TimeUnit.SECONDS.toMillis(10);
    private static final long PAUSE_FOR_A_NODE = TimeUnit.SECONDS.toMillis(1);

    /** How long Redis keeps the note of a node that is silent. */
    private static final long KEPT_MILLIS = TimeUnit.MINUTES.toMillis(10);

    /** The most nodes whose notes are read. */
    private static final int MOST_NODES = 128;

    /** What the names of nodes with the same Redis begin with, for {@link NodeNotes}. */
    private static final String SOURCE = "redis ";

    private final SharedNode node;
    private final NodeNotes notes;
    private final Keys keys;
    private boolean failing;

    NoteExchange(SharedNode node, NodeNotes notes) {
        this.node = node;
        this.notes = notes;
        this.keys = node.layout().keys(0);
    }

    @Override
    public void run() {
        while (!node.isStopping()) {
            try (Jedis redis = node.master(0, Duration.ZERO)) {
                // The Redis of other nodes, or a wrong setting, must not bring their counts here.
                node.awaitAdmission();
                while (!node.isStopping()) {
                    int others = exchange(redis);
                    failing = false;
                    node.pause(Math.max(LEAST_PAUSE, others * PAUSE_FOR_A_NODE), true);
                }
            } catch (StorageException | RuntimeException e) {
                StorageException failure = RedisConnections.failure("exchange counts with " + node.settings(), e);
                if (!failing) {
                    LOG.warn("{}; until then, this node knows only its own", failure.getMessage());
                }
                failing = true;
                notes.failed();
                node.pause(LEAST_PAUSE, true);
            }
        }
    }

    /** Returns the number of other nodes. */
    private int exchange(Jedis redis) {
        byte[] own = notes.write(name -> name.startsWith(SOURCE));
        redis.set(keys.note(node.name()), own, SetParams.setParams().px(KEPT_MILLIS));
        List<String> others = node.others().stream().sorted().limit(MOST_NODES).toList();
        for (String other : others) {
            if (node.isStopping()) {
                break;
            }
            // Another program may have left more under this key than fits into memory.
            byte[] note = redis.getrange(keys.note(other), 0, NodeNotes.MOST_BYTES);
            if (note.length > 0) {
                notes.read(SOURCE + other, other.compareTo(node.name()) < 0, note);
            }
        }
        return others.size();
    }
}
