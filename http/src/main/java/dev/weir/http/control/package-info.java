/**
 * The endpoints: what each path means, who may ask for it, and its answer in JSON (docs/reference/http.md#endpoints).
 */
@NullMarked
package dev.weir.http.control;

import org.jspecify.annotations.NullMarked;
