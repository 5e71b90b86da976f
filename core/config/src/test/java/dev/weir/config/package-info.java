/** Tests of finding and loading whole configurations. */
@NullMarked
package dev.weir.config;

import org.jspecify.annotations.NullMarked;
