/** Tests of the settings of a storage. */
@NullMarked
package dev.weir.storage.settings;

import org.jspecify.annotations.NullMarked;
