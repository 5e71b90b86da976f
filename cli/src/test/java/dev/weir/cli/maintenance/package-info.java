/** Tests the commands on the files of a storage. */
@NullMarked
package dev.weir.cli.maintenance;

import org.jspecify.annotations.NullMarked;
