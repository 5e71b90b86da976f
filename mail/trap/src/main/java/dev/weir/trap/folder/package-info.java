/**
 * Maildir and mbox folders as sources of trap mail. Nothing in them changes; the place where a reader stopped is kept
 * with the campaigns.
 */
@NullMarked
package dev.weir.trap.folder;

import org.jspecify.annotations.NullMarked;
