/**
 * URLs as Rspamd parses them: lenient parsing of {@code href} values, a search for URLs and addresses in running text,
 * and the registrable domain of a host by the Public Suffix List.
 */
@NullMarked
package dev.weir.hash.url;

import org.jspecify.annotations.NullMarked;
