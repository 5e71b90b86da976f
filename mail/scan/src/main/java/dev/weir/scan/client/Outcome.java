package dev.weir.scan.client;

import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a question.
 *
 * @param reply the answer, or null if it is missing
 * @param server the server that answered or was asked last; empty if no server could be asked
 * @param trouble why an answer is missing, in one sentence; empty if all arrived. With shards, some may have answered
 *            and others not
 * @param port the local port from which an update was sent or will be, which with its tag lets the server recognize a
 *            repetition; 0 if that is not known
 * @param silent the server whose answer is missing; empty if all arrived, or if no server could be asked
 */
public record Outcome(@Nullable Reply reply, String server, String trouble, int port, String silent) {}
