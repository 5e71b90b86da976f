/**
 * Holds the commands on the files of a storage: verify, repair, backup, log; look here when one of them reports
 * wrongly.
 */
@NullMarked
package dev.weir.cli.maintenance;

import org.jspecify.annotations.NullMarked;
