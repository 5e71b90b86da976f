/**
 * The data of the page for operators as JSON, for browsers, programs and the command line: figures, campaigns,
 * searches, explanations, undo, access. Look here when a reply under {@code /api/} is wrong.
 */
@NullMarked
package dev.weir.http.data;

import org.jspecify.annotations.NullMarked;
