/**
 * The durable update log. It has every change before the store, with author and time. Acknowledgments, restarts and
 * the audit trail are based on it. {@code docs/internals/log.md} describes the files.
 */
@NullMarked
package dev.weir.storage.log;

import org.jspecify.annotations.NullMarked;
