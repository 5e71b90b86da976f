package dev.weir.scan.client;

import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;

/**
 * What became of a question.
 *
 * @param reply the answer, or null if there is none
 * @param server that answered, or that was asked last; empty if none could be asked
 * @param trouble why there is no answer, one sentence; empty if there is one
 */
public record Outcome(@Nullable Reply reply, String server, String trouble) {}
