/** {@code weir bench}: a load test of a storage that checks every answer. Look here when its report is wrong. */
@NullMarked
package dev.weir.cli.bench;

import org.jspecify.annotations.NullMarked;
