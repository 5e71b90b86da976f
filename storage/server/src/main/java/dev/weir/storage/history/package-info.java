/**
 * The figures of a storage over time: a sample each second, and a bounded file with an hour, a day and 90 days of them.
 * Look here when a curve is wrong or a restart loses it.
 */
@NullMarked
package dev.weir.storage.history;

import org.jspecify.annotations.NullMarked;
