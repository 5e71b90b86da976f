package dev.weir.bench.hostile;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.SplittableRandom;

import dev.weir.wire.Protocol;
import dev.weir.wire.frame.FrameWriter;
import dev.weir.wire.key.PublicKey;

/**
 * Hostile frames over connections from many addresses, pipelined; some have a wrong length, some are truncated. Half of
 * the connections never read replies. A connection that the storage closes is replaced.
 */
public final class FrameFlood extends Attack {
    private static final int WRONG_LENGTH_ONE_IN = 500;

    private final Mutations mutations;
    private final SplittableRandom random = new SplittableRandom(2);
    private final SocketChannel[] channels;
    private final ByteBuffer[] waiting;
    private final ByteBuffer in = ByteBuffer.allocateDirect(1 << 16);
    private int opened;

    /**
     * Prepares a flood without starting it.
     *
     * @param connections number of concurrent connections
     */
    public FrameFlood(InetSocketAddress storage, PublicKey key, long frames, int perSecond, int connections)
            throws IOException {
        super(storage, frames, perSecond);
        this.mutations = new Mutations(3, key);
        this.channels = new SocketChannel[connections];
        this.waiting = new ByteBuffer[connections];
        for (int i = 0; i < connections; i++) {
            connect(i);
        }
    }

    private void connect(int i) throws IOException {
        channels[i] = SocketChannel.open().bind(Sources.number(opened++ * 31));
        channels[i].connect(storage);
        channels[i].configureBlocking(false);
        waiting[i] = ByteBuffer.allocate(0);
    }

    @Override
    void step(int number) throws IOException {
        int i = number % channels.length;
        try {
            if (!waiting[i].hasRemaining()) {
                waiting[i] = frame();
            }
            channels[i].write(waiting[i]);
            if (i % 2 == 0 && channels[i].read(in.clear()) < 0) {
                throw new IOException("closed by the storage");
            }
        } catch (IOException ended) {
            Closing.quietly(channels[i]);
            connect(i);
        }
    }

    private ByteBuffer frame() {
        byte[] request = mutations.next();
        if (request.length == 0 || random.nextInt(WRONG_LENGTH_ONE_IN) == 0) {
            return ByteBuffer.wrap(new byte[]{0, (byte) (random.nextBoolean() ? 0 : 0xc0), 1, 2, 3});
        }
        ByteBuffer frame = ByteBuffer.allocate(2 + Protocol.MAX_FRAME);
        FrameWriter.put(frame, request, 0, request.length);
        return frame.flip();
    }

    @Override
    void end() {
        for (SocketChannel channel : channels) {
            Closing.quietly(channel);
        }
    }
}
