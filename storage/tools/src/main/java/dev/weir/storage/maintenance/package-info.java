/** Tasks of operators besides serving: complete the database, verify, repair, back up. */
@NullMarked
package dev.weir.storage.maintenance;

import org.jspecify.annotations.NullMarked;
