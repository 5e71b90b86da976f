/**
 * Holds the handling of one request: open, decode, gate, match, seal. Look here when a command gets a wrong reply, or
 * to add a command.
 */
@NullMarked
package dev.weir.storage.server.request;

import org.jspecify.annotations.NullMarked;
