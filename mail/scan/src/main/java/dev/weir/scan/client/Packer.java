package dev.weir.scan.client;

import java.nio.ByteBuffer;

import dev.weir.wire.Protocol;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.ClientSession;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.command.Extension;
import org.jspecify.annotations.Nullable;

/** The encoder of questions into packets. For the event loop only: each question overwrites the buffer. */
final class Packer {
    private static final int VERSION_BITS = 0x0f;

    private final byte[] bytes = new byte[Protocol.MAX_DATAGRAM];
    private final CommandWriter writer = new CommandWriter();
    private final Box box;

    Packer(Box box) {
        this.box = box;
    }

    /** Encodes a question as a datagram or as a frame without its length. */
    ByteBuffer pack(Question question, int tag, int version, @Nullable ClientSession session) {
        int at = session == null ? 0 : Protocol.REQUEST_HEADER;
        writer.begin(bytes, at, version, question.command())
                .flag(question.hasWideFlag() ? 0 : question.flag())
                .value(question.value())
                .tag(tag)
                .digest(question.digest(), 0);
        if (question.shingles().length != 0) {
            writer.shingles(question.shingles());
        }
        if (question.hasWideFlag()) {
            writer.extension(new Extension.WideFlag(question.flag()));
        }
        if ((version & VERSION_BITS) >= 4) {
            for (Extension extension : question.extensions()) {
                if (session != null || extension.isOfWeir()) {
                    writer.extension(extension);
                }
            }
        }
        int plain = writer.end();
        return ByteBuffer.wrap(bytes, 0, session == null ? plain : box.sealRequest(session, bytes, 0, plain));
    }
}
