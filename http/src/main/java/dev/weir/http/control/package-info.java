/**
 * The endpoints: what each path means, who may ask for it, and its answer in JSON (spec/http-api.md section 3).
 */
@NullMarked
package dev.weir.http.control;

import org.jspecify.annotations.NullMarked;
