/** What a configuration may say. */
@NullMarked
package dev.weir.http.settings;

import org.jspecify.annotations.NullMarked;
