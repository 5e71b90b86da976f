package dev.weir.storage.server.reply;

import java.security.SecureRandom;

import dev.weir.storage.stats.Recorder;
import dev.weir.wire.Protocol;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.SharedKey;
import dev.weir.wire.reply.ReplyWriter;
import org.jspecify.annotations.Nullable;

/** The writer of the replies to updates. For one thread at a time. */
public final class LateReplies {
    /** Writes the plain text of a reply and returns its length. */
    @FunctionalInterface
    interface Text {
        int write(ReplyWriter reply, byte[] out, int offset);
    }

    private final ReplyWriter reply = new ReplyWriter();
    private final Box box;
    private final byte[] out = new byte[DatagramHandler.MAX_REPLY];

    private final Recorder recorder;

    public LateReplies(SecureRandom random, Recorder recorder) {
        this.recorder = recorder;
        // This box never decrypts, so it needs no key cache.
        this.box = new Box(random, 1);
    }

    /** Returns the recorder of the thread that writes the replies. */
    Recorder recorder() {
        return recorder;
    }

    void send(ReturnPath path, @Nullable SharedKey key, Text text) {
        if (key == null) {
            path.send(out, text.write(reply, out, 0));
        } else {
            int length = text.write(reply, out, Protocol.REPLY_HEADER);
            path.send(out, box.sealReply(key, out, 0, length));
        }
    }
}
