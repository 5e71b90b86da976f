package dev.weir.bench.hostile;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;

/**
 * Abandoned connections, every other one with part of a frame. The oldest is closed when the limit is reached.
 */
public final class HalfOpen extends Attack {
    private static final byte[] PART = {76, 0, 4, 0, 0, 9};

    private final Deque<SocketChannel> channels = new ArrayDeque<>();
    private final int atATime;
    private final LongAdder refused = new LongAdder();

    /** Prepares the connections without opening any. */
    public HalfOpen(InetSocketAddress storage, int atATime, int perSecond) {
        super(storage, Long.MAX_VALUE, perSecond);
        this.atATime = atATime;
    }

    /** Returns the number of connections that the storage refused or closed at once. */
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
