package dev.weir.scan.score;

import dev.weir.hash.FuzzyHash;
import dev.weir.wire.reply.Reply;

/**
 * The answer of a storage to one hash of a mail.
 *
 * @param hash the hash that was queried
 * @param bodyBytes the decoded size of its part in bytes
 * @param reply the answer
 * @param server the server that answered
 */
public record Answer(FuzzyHash hash, int bodyBytes, Reply reply, String server) {}
