package dev.weir.storage.server;

import dev.weir.storage.Digest;
import dev.weir.storage.queue.PendingUpdate;
import dev.weir.wire.Command;
import dev.weir.wire.ErrorCode;
import dev.weir.wire.ReplyLayout;
import dev.weir.wire.SharedKey;
import org.jspecify.annotations.Nullable;

/** What it takes to answer an update after its datagram is gone; the writing thread does that. */
final class LateReply implements PendingUpdate.Outcome {
    private final LateReplies writer;
    private final ReturnPath path;
    private final ReplyLayout layout;
    private final int code;
    private final int tag;
    private final int flag;
    private final Digest digest;
    private final @Nullable SharedKey key;

    LateReply(LateReplies writer, Command command, Digest digest, @Nullable SharedKey key, ReturnPath path) {
        this.writer = writer;
        this.path = path;
        this.layout = command.epoch().reply();
        this.code = command.code();
        this.tag = command.tag();
        this.flag = command.flag();
        this.digest = digest;
        this.key = key;
    }

    @Override
    public void stored() {
        send(0, 1);
    }

    @Override
    public void failed() {
        send(ErrorCode.INTERNAL, 0);
    }

    private void send(int value, float probability) {
        writer.send(path, key, (reply, out, offset) -> reply.begin(layout, code, tag, out, offset)
                .digest(digest.toBytes(), 0).result(value, flag, probability).end());
    }
}
