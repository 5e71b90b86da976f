/**
 * Imports and exports: sources that stream hashes, targets that receive them, the rules for merging two versions of a
 * digest, and the run that joins a source to a target and counts everything that it leaves out.
 */
@NullMarked
package dev.weir.storage.transfer;

import org.jspecify.annotations.NullMarked;
