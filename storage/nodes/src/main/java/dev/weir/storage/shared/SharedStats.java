package dev.weir.storage.shared;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The state of a node.
 *
 * @param node its random name
 * @param redis where the hashes are shared, without passwords
 * @param unsent number of updates in the log that Redis lacks
 * @param received number of changes that came from Redis since the start
 * @param rejoined number of times since the start at which the node compared everything, because Redis had lost
 *            changes or the node had missed some; the first start of a node counts, too
 * @param unconfirmed number of stored updates since the start whose clients got an error, because Redis did not
 *            have them in time
 * @param asking what came of the checks that found nothing; null if Redis is not asked about them
 * @param sendingFailure why Redis takes no updates at present; empty if it does
 * @param listeningFailure why the node does not hear from the others at present; empty if it does
 * @param whole whether the node has everything that Redis had at some time
 * @param putBack number of hashes that this node has offered to Redis since the start, because Redis had lost them
 * @param keptByUndo number of flags since the start that an undo kept, because other nodes had learned them meanwhile
 * @param promise what Redis promises by its settings, as a sentence; empty before the first contact
 * @param servers the server that takes the writes of each shard; empty texts before the first contact
 * @param peers the nodes that told of themselves, this one too
 */
public record SharedStats(String node, String redis, long unsent, long received, long rejoined, long unconfirmed,
        @Nullable Asking asking, String sendingFailure, String listeningFailure, boolean whole, long putBack,
        long keptByUndo, String promise, List<String> servers, List<SharedPeer> peers) {
    /**
     * What came of the checks that found nothing in the index.
     *
     * @param asked number of checks since the start that Redis was asked about
     * @param dropped number of checks since the start that it was not asked about, because there were too many
     * @param found number of hashes of Redis that they found
     */
    public record Asking(long asked, long dropped, long found) {}

    /** Copies the lists. */
    public SharedStats {
        servers = List.copyOf(servers);
        peers = List.copyOf(peers);
    }
}
