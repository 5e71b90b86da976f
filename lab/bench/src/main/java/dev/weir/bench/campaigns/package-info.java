/**
 * Holds {@code campaigns}, which measures how many mails of a stream of spam resemble an earlier one, and which mails
 * of honest senders would be hit; look here when a kind of hash is in doubt.
 */
@NullMarked
package dev.weir.bench.campaigns;

import org.jspecify.annotations.NullMarked;
