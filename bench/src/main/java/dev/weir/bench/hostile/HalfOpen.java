package dev.weir.bench.hostile;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;

/**
 * Connections that are begun and left: every other one with a part of a frame. The oldest goes when there are enough.
 */
public final class HalfOpen extends Attack {
    private static final byte[] PART = {76, 0, 4, 0, 0, 9};

    private final Deque<SocketChannel> channels = new ArrayDeque<>();
    private final int atATime;
    private final LongAdder refused = new LongAdder();

    /** Connections that were not begun. */
    public HalfOpen(InetSocketAddress storage, int atATime, int perSecond) {
        super(storage, Long.MAX_VALUE, perSecond);
        this.atATime = atATime;
    }

    /** Connections that the storage did not take, or ended at once. */
    public long refused() {
        return refused.sum();
    }

    @Override
    void step(int number) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.bind(Sources.number(1_000 + number * 7));
            channel.connect(storage);
            if (number % 2 == 0) {
                channel.write(ByteBuffer.wrap(PART));
            }
            channels.add(channel);
        } catch (IOException e) {
            refused.increment();
            Closing.quietly(channel);
        }
        if (channels.size() > atATime) {
            Closing.quietly(channels.remove());
        }
    }

    @Override
    void end() {
        channels.forEach(Closing::quietly);
    }
}
