/** Tests of the replication of Rspamd 1.3 to 1.9, with what genuine masters and slaves sent. */
@NullMarked
package dev.weir.storage.push;

import org.jspecify.annotations.NullMarked;
