package dev.weir.storage.admin;

import dev.weir.storage.StorageException;
import dev.weir.storage.brake.WaitingRemoval;
import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.replication.ReplicationNode;
import dev.weir.storage.server.StorageServer;

/** The decisions of an operator on a node: promotion, giving up its own updates, and removals that wait. */
public final class NodeAdmin {
    private final StorageServer storage;

    /** Creates the administration of a node. */
    public NodeAdmin(StorageServer storage) {
        this.storage = storage;
    }

    private ReplicationNode node(String otherwise) throws StorageException {
        return storage.node().orElseThrow(
                () -> new StorageException("this storage has no section replication, and " + otherwise));
    }

    /**
     * Makes this node the leader. The one before must not take updates any more, or be told by a follower.
     *
     * @param lossy whether updates that this node lacks may be lost
     * @throws StorageException if the node cannot lead
     */
    public LeaderEpoch promote(boolean lossy) throws StorageException {
        return node("leads itself").promote(lossy);
    }

    /**
     * Gives up what this node has and its leader may lack, if that is why this node does not follow.
     *
     * @param discard whether the operator says so
     * @return why the node did not follow
     * @throws StorageException if nothing was changed
     */
    public String follow(boolean discard) throws StorageException {
        ReplicationNode node = node("follows no other one");
        if (!discard) {
            throw new StorageException("nothing was changed: --discard gives up the updates of this node that its"
                    + " leader lacks. It copies its leader then, and what it had is kept in the folder kept-aside");
        }
        return node.followAndDiscard();
    }

    /**
     * Confirms exactly the removal that the operator names.
     *
     * @throws StorageException if no removal of this name waits
     */
    public WaitingRemoval confirm(String id) throws StorageException {
        return storage.brake().confirm(id).orElseThrow(() -> new StorageException(
                "no removal waits under the name \"" + id + "\": run weir control confirm --list"));
    }
}
