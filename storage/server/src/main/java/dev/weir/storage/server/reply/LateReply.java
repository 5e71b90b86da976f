package dev.weir.storage.server.reply;

import dev.weir.model.Digest;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.stats.ClientStatistics;
import dev.weir.wire.ProtocolVersion;
import dev.weir.wire.box.SharedKey;
import dev.weir.wire.command.Command;
import dev.weir.wire.reply.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * The pending reply to an update, independent of the buffer of its request. The thread that reports outcomes sends it.
 */
public final class LateReply implements QueuedUpdate.Outcome {
    private final LateReplies writer;
    private final ReturnPath path;
    private final ProtocolVersion version;
    private final int code;
    private final int tag;
    private final int flag;
    private final Digest digest;
    private final @Nullable SharedKey key;
    private final boolean shingles;
    private final Client client;

    /**
     * The client that sent the update.
     *
     * @param statistics the statistics of the client's key
     * @param high the first half of its address
     * @param low the second half of its address
     * @param hidden whether the written flag is hidden from the client (docs/reference/storage.md#forbidden-flags)
     */
    public record Client(ClientStatistics statistics, long high, long low, boolean hidden) {}

    public LateReply(LateReplies writer, Command command, Digest digest, @Nullable SharedKey key, ReturnPath path,
            Client client) {
        this.writer = writer;
        this.path = path;
        this.version = command.epoch();
        this.code = command.code();
        this.tag = command.tag();
        this.flag = command.flag();
        this.digest = digest;
        this.key = key;
        this.shingles = command.hasShingles();
        this.client = client;
    }

    @Override
    public void stored() {
        send(0, 1);
    }

    @Override
    public void failed() {
        send(ErrorCode.INTERNAL, 0);
    }

    @Override
    public void unconfirmed() {
        send(ErrorCode.UNCONFIRMED, 0);
    }

    @Override
    public void impossible() {
        send(ErrorCode.FORBIDDEN, 0);
    }

    private void send(int value, float probability) {
        boolean hidden = client.hidden();
        writer.send(path, key, (reply, out, offset) -> {
            reply.begin(version.reply(), code, tag, out, offset).digest(digest.toBytes(), 0)
                    .result(hidden ? 0 : value, hidden ? 0 : flag, hidden ? 0 : probability);
            writer.recorder().reply(client.statistics(), client.high(), client.low(), version, code, shingles,
                    reply.flag(), value, probability);
            return reply.end();
        });
    }
}
