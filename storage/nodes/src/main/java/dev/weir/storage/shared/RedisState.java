package dev.weir.storage.shared;

import dev.weir.model.Digest;

/**
 * What Redis says of a digest.
 *
 * @param node the node whose batch changed it, or one whose updates it has; empty if it was only read
 * @param revision the last update of that node that the state has
 * @param state as the layout encodes it; empty for a digest that is not stored
 * @param gathered whether its shingles come from keys of their own, which may lack some
 */
@SuppressWarnings("ArrayRecordComponent") // handed on within the package, never compared
record RedisState(Digest digest, String node, long revision, byte[] state, boolean gathered) {
    RedisState {
        state = state.clone();
    }

    /** Returns the same state, which has the updates of another node up to a revision. */
    RedisState with(String other, long last) {
        return new RedisState(digest, other, last, state, gathered);
    }
}
