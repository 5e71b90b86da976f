/**
 * The endpoints: the meaning of each path, the permission that it requires, and its JSON reply
 * (docs/reference/rspamd-http.md#endpoints).
 */
@NullMarked
package dev.weir.http.controller;

import org.jspecify.annotations.NullMarked;
