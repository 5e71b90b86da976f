/**
 * URLs as Rspamd sees them: a lenient reading of {@code href} values, the search for URLs and addresses in running
 * text, and the registrable domain of a host after the Public Suffix List.
 */
@NullMarked
package dev.weir.hash.url;

import org.jspecify.annotations.NullMarked;
