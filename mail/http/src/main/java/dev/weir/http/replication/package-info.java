/**
 * The way between nodes of a replicated storage: one encrypted HTTP request for each question of a follower. The key
 * pair of a follower is its name and its password, and no other client gets an answer.
 */
@NullMarked
package dev.weir.http.replication;

import org.jspecify.annotations.NullMarked;
