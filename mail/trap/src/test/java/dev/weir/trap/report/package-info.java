/** Tests of reports. */
@NullMarked
package dev.weir.trap.report;

import org.jspecify.annotations.NullMarked;
