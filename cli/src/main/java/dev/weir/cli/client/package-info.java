/**
 * The commands that ask a running storage for its state, and the options that select the storage. Look here when a
 * command does not reach a storage.
 */
@NullMarked
package dev.weir.cli.client;

import org.jspecify.annotations.NullMarked;
