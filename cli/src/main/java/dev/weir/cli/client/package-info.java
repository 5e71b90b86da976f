/**
 * Holds the commands that ask a running storage for its state, and the options that name the storage; look here when
 * a command does not reach it.
 */
@NullMarked
package dev.weir.cli.client;

import org.jspecify.annotations.NullMarked;
