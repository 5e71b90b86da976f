/**
 * The commands on the files of a storage: verify, repair, backup and log. Look here when one of their reports is
 * wrong.
 */
@NullMarked
package dev.weir.cli.maintenance;

import org.jspecify.annotations.NullMarked;
