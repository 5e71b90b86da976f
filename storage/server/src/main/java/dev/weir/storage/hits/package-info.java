/**
 * The hashes that match most: a sample of the hits of each receiving thread, counted by minute and hour, and grouped to
 * campaigns of near duplicates. Also the first words of mails, if the operator allows them. Look here when a campaign
 * is missing or its counts are wrong.
 */
@NullMarked
package dev.weir.storage.hits;

import org.jspecify.annotations.NullMarked;
