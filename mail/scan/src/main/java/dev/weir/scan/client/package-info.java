/**
 * A non-blocking client for many storages: an event loop with one socket per server, tags that match replies to
 * requests, attempts, health, shards and TCP (docs/reference/scanner.md#server-lists).
 *
 * <p>All internal state belongs to the event loop and needs no locks. Other threads only submit requests.
 */
@NullMarked
package dev.weir.scan.client;

import org.jspecify.annotations.NullMarked;
