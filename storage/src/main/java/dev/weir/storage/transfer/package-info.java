/**
 * Moving hashes in and out: sources that stream hashes, targets that take them, the rule by which two opinions on one
 * digest are merged, and the run that joins a source to a target and counts everything that it leaves out.
 */
@NullMarked
package dev.weir.storage.transfer;

import org.jspecify.annotations.NullMarked;
