/** Tests of what operators do beside serving. */
@NullMarked
package dev.weir.storage.maintenance;

import org.jspecify.annotations.NullMarked;
