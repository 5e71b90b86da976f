package dev.weir.scan.score;

import dev.weir.hash.FuzzyHash;
import dev.weir.wire.reply.Reply;

/**
 * What a storage said of one hash of a mail.
 *
 * @param hash that was asked for
 * @param bodyBytes decoded bytes of its part
 * @param reply the answer
 * @param server that answered
 */
public record Answer(FuzzyHash hash, int bodyBytes, Reply reply, String server) {}
