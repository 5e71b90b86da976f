package dev.weir.bench.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;

import dev.weir.wire.Protocol;
import dev.weir.wire.ReplyLayout;

/**
 * A server that says yes to everything and does nothing: what the load generator reaches against it is the most that it
 * can show of any server on this machine.
 */
public final class Echo implements AutoCloseable {
    private static final int SOCKET_BUFFER = 4 << 20;
    private static final int TAG_OF_REQUEST = 8;
    private static final int TAG_OF_REPLY = 8;
    private static final int PROBABILITY = 12;

    private final DatagramChannel channel;
    private final InetSocketAddress address;
    private final Thread thread;

    private Echo(DatagramChannel channel, InetSocketAddress address) {
        this.channel = channel;
        this.address = address;
        this.thread = Thread.ofPlatform().name("echo").daemon().unstarted(this::run);
    }

    /** Starts it on a free port of loopback. */
    public static Echo start() throws IOException {
        final DatagramChannel channel = DatagramChannel.open();
        try {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER);
            channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            final Echo echo = new Echo(channel, (InetSocketAddress) channel.getLocalAddress());
            echo.thread.start();
            return echo;
        } catch (final IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Where it answers. */
    public InetSocketAddress address() {
        return address;
    }

    private void run() {
        final ByteBuffer in = ByteBuffer.allocateDirect(Protocol.MAX_DATAGRAM).order(ByteOrder.LITTLE_ENDIAN);
        final ByteBuffer out = ByteBuffer.allocateDirect(ReplyLayout.LONG.size()).order(ByteOrder.LITTLE_ENDIAN);
        out.putFloat(PROBABILITY, 1);
        try {
            while (true) {
                final SocketAddress from = channel.receive(in.clear());
                if (in.position() >= Protocol.COMMAND) {
                    out.putInt(TAG_OF_REPLY, in.getInt(TAG_OF_REQUEST));
                    channel.send(out.rewind(), from);
                }
            }
        } catch (final ClosedChannelException finished) {
            // As it should end.
        } catch (final IOException e) {
            // Its clients notice: they get no answers.
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
