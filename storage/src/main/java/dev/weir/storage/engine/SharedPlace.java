package dev.weir.storage.engine;

import java.nio.file.Path;

import dev.weir.storage.shared.SharedSettings;

/**
 * What a node needs to share its hashes.
 *
 * @param settings Redis that the nodes share
 * @param position the file that says how far the node has come with it
 */
public record SharedPlace(SharedSettings settings, Path position) {}
