/**
 * Tests of the update log, and a simulator that drives queue, log and backend through every kind of failure that a disk
 * and a power supply have.
 */
@NullMarked
package dev.weir.storage.log;

import org.jspecify.annotations.NullMarked;
