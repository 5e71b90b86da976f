/**
 * Holds the tables of the programs and the description of the machine; look here to change the form of a report.
 */
@NullMarked
package dev.weir.bench.report;

import org.jspecify.annotations.NullMarked;
