package dev.weir.storage.engine;

import dev.weir.storage.shared.SharedSettings;
import dev.weir.storage.state.StateFiles;

/**
 * What a node needs to share its hashes.
 *
 * @param settings Redis that the nodes share
 * @param files have the position of the node
 */
public record SharedPlace(SharedSettings settings, StateFiles files) {}
