/** Tests the reports of {@code weir config}. */
@NullMarked
package dev.weir.cli.config;

import org.jspecify.annotations.NullMarked;
