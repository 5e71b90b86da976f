/**
 * What an operator does to a storage besides serving it: bring it up to date, verify, repair, back up.
 */
@NullMarked
package dev.weir.storage.maintenance;

import org.jspecify.annotations.NullMarked;
