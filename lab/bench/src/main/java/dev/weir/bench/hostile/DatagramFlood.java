package dev.weir.bench.hostile;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

import dev.weir.wire.key.PublicKey;

/** Hostile datagrams from many addresses. Replies are not read. */
public final class DatagramFlood extends Attack {
    private final DatagramChannel[] channels;
    private final Mutations mutations;

    /**
     * Prepares a flood without starting it.
     *
     * @param sources number of source addresses
     */
    public DatagramFlood(InetSocketAddress storage, PublicKey key, long datagrams, int perSecond, int sources)
            throws IOException {
        super(storage, datagrams, perSecond);
        this.mutations = new Mutations(1, key);
        this.channels = new DatagramChannel[sources];
        for (int i = 0; i < sources; i++) {
            channels[i] = DatagramChannel.open().bind(Sources.number(i * 97));
            channels[i].configureBlocking(false);
        }
    }

    @Override
    void step(int number) throws IOException {
        channels[number % channels.length].send(ByteBuffer.wrap(mutations.next()), storage);
    }

    @Override
    void end() {
        for (DatagramChannel channel : channels) {
            Closing.quietly(channel);
        }
    }
}
