/**
 * Holds the handling of one request: decrypt, decode, judge, match, encrypt. Look here when a command gets a wrong
 * reply, or to add a command.
 */
@NullMarked
package dev.weir.storage.server.request;

import org.jspecify.annotations.NullMarked;
