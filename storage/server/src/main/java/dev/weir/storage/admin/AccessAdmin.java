package dev.weir.storage.admin;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import dev.weir.model.Digest;
import dev.weir.model.Network;
import dev.weir.model.failure.Reason;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.access.gate.SkipList;
import dev.weir.storage.admin.RefusedException.Ground;
import dev.weir.storage.server.StorageServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The refused networks and the skip list of a storage. */
public final class AccessAdmin {
    /** The longest time of an entry of the skip list that has an end. */
    public static final Duration LONGEST = Duration.ofDays(3650);

    private static final Logger LOG = LoggerFactory.getLogger(AccessAdmin.class);

    private final StorageServer storage;

    /** Creates the administration of a storage. */
    public AccessAdmin(StorageServer storage) {
        this.storage = storage;
    }

    /**
     * Ends the refusal of a network.
     *
     * @param by the operator
     * @throws RefusedException if the network is not refused
     */
    public void unblock(Network network, UpdateSubmitter by) throws RefusedException {
        boolean was = storage.gate().pardon(network);
        LOG.info("{} was {} by {}", network, was ? "unblocked" : "not blocked, and asked to be unblocked",
                by.description());
        if (!was) {
            throw new RefusedException(Ground.ABSENT, network + " is not blocked");
        }
    }

    /**
     * Adds a digest to the skip list, or replaces its entry.
     *
     * @param end the end of the entry; empty for none
     * @param by the operator
     * @throws RefusedException if the end is past or too far, the list is full, or it cannot be written
     */
    public void skip(Digest digest, String reason, Optional<Instant> end, UpdateSubmitter by) throws RefusedException {
        Instant now = Instant.ofEpochMilli(storage.hashes().now());
        if (end.isPresent() && (end.get().isBefore(now) || end.get().isAfter(now.plus(LONGEST)))) {
            throw new RefusedException(Ground.INVALID, "until must be in the next " + LONGEST.toDays() + " days");
        }
        edit(digest, "put on", by, skips -> {
            skips.add(new SkipList.Entry(digest, reason, end.map(Instant::toEpochMilli).orElse(Long.MAX_VALUE)));
            return true;
        });
    }

    /**
     * Takes a digest off the skip list.
     *
     * @param by the operator
     * @throws RefusedException if it is not there, or the list cannot be written
     */
    public void unskip(Digest digest, UpdateSubmitter by) throws RefusedException {
        edit(digest, "taken off", by, skips -> skips.remove(digest));
    }

    private interface Edit {
        /** Returns whether the digest was there. */
        boolean apply(SkipList skips) throws IOException;
    }

    private void edit(Digest digest, String done, UpdateSubmitter by, Edit edit) throws RefusedException {
        try {
            if (!edit.apply(storage.gate().skips())) {
                throw new RefusedException(Ground.ABSENT, "the digest is not on the skip list");
            }
        } catch (IOException e) {
            throw new RefusedException(Ground.UNAVAILABLE, "the skip list cannot be written: " + Reason.of(e));
        } catch (IllegalStateException e) {
            throw new RefusedException(Ground.IMPOSSIBLE, String.valueOf(e.getMessage()));
        }
        LOG.info("the digest {} was {} the skip list by {}", digest.hex().substring(0, 16), done, by.description());
    }
}
