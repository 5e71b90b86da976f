package dev.weir.bench.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import dev.weir.net.Packets;
import dev.weir.net.UdpOptions;
import dev.weir.net.UdpSocket;
import dev.weir.wire.Protocol;
import dev.weir.wire.ReplyLayout;

/**
 * A server that answers every request with success. Its rate without further work is the upper bound that the load
 * generator can measure on this machine. Its rate with a write and a sync before each reply is the upper bound of any
 * durable server.
 */
public final class Echo implements AutoCloseable {
    /** Work to do for the requests of one batch before they are answered. */
    @FunctionalInterface
    public interface Before {
        /**
         * Does the work.
         *
         * @param requests number of requests in the batch
         */
        void answering(int requests) throws IOException;
    }

    private static final int BATCH = 64;
    private static final int SOCKET_BUFFER = 4 << 20;
    private static final int TAG_OF_REQUEST = 8;
    private static final int TAG_OF_REPLY = 8;
    private static final int PROBABILITY = 12;

    private final UdpSocket socket;
    private final Before before;
    private final Thread thread;
    private volatile boolean closing;

    private Echo(UdpSocket socket, Before before) {
        this.socket = socket;
        this.before = before;
        this.thread = Thread.ofPlatform().name("echo").daemon().unstarted(this::run);
    }

    /** Starts a server on a free loopback port. */
    public static Echo start(Before before) throws IOException {
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        Echo echo = new Echo(UdpSocket.bind(anyPort, new UdpOptions(SOCKET_BUFFER, SOCKET_BUFFER, false)),
                before);
        echo.thread.start();
        return echo;
    }

    /** Returns the address of the server. */
    public InetSocketAddress address() {
        return socket.local();
    }

    private void run() {
        Packets in = new Packets(BATCH, Protocol.MAX_DATAGRAM);
        Packets out = new Packets(BATCH, ReplyLayout.LONG.size());
        byte[] request = new byte[Protocol.MAX_DATAGRAM];
        ByteBuffer asked = ByteBuffer.wrap(request).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer reply = ByteBuffer.allocate(ReplyLayout.LONG.size()).order(ByteOrder.LITTLE_ENDIAN);
        reply.putFloat(PROBABILITY, 1);
        try {
            while (!closing) {
                int count = socket.receive(in);
                int replies = 0;
                for (int i = 0; i < count; i++) {
                    if (in.copyTo(i, request) >= Protocol.COMMAND) {
                        reply.putInt(TAG_OF_REPLY, asked.getInt(TAG_OF_REQUEST));
                        out.put(replies++, reply.array(), 0, reply.capacity(), in, i);
                    }
                }
                if (replies > 0) {
                    before.answering(replies);
                    socket.send(out, replies);
                }
            }
        } catch (IOException e) {
            // Its clients get no more replies and report that.
        }
    }

    @Override
    public void close() {
        closing = true;
        socket.wake();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        socket.close();
    }
}
