/**
 * The durable update log: every change before any backend has it, with who asked for it and when. It is what makes an
 * acknowledgement true, what a restart reads, and the audit trail. {@code docs/log.md} describes the files.
 */
@NullMarked
package dev.weir.storage.log;

import org.jspecify.annotations.NullMarked;
