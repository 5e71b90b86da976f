/**
 * Holds the tables of the programs and the description of the machine; look here when a report is hard to read or
 * says too little.
 */
@NullMarked
package dev.weir.bench.report;

import org.jspecify.annotations.NullMarked;
