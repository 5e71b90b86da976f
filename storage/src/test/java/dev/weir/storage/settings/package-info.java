/** Tests of what configurations mean for a storage. */
@NullMarked
package dev.weir.storage.settings;

import org.jspecify.annotations.NullMarked;
