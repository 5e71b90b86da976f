package dev.weir.bench.echo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

import dev.weir.net.Packets;
import dev.weir.net.UdpOptions;
import dev.weir.net.UdpSocket;

/**
 * Answers each datagram with 96 bytes that hold its tag, over the same sockets as the storage: the kernel does for it
 * exactly what it does for a storage. Prints {@code ready on 127.0.0.1:PORT} and runs until it is killed.
 *
 * <p>With the word {@code together} it couples its answers to one client as the storage does; else each goes its own
 * way.
 */
public final class BareEcho {
    private static final int BATCH = 64;
    private static final int REQUEST = 1_024;
    private static final int REPLY = 96;
    private static final int TAG = 8;
    private static final UdpOptions OPTIONS = new UdpOptions(8 << 20, 8 << 20, false);

    private BareEcho() {}

    /** Runs it. */
    public static void main(String[] args) throws IOException {
        try (UdpSocket socket = UdpSocket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), OPTIONS)) {
            boolean together = List.of(args).contains("together");
            System.out.println("ready on 127.0.0.1:" + socket.local().getPort());
            Packets in = new Packets(BATCH, REQUEST);
            Packets out = new Packets(BATCH, REPLY);
            byte[] request = new byte[REQUEST];
            byte[] reply = new byte[REPLY];
            while (true) {
                int count = socket.receive(in);
                for (int i = 0; i < count; i++) {
                    in.copyTo(i, request);
                    System.arraycopy(request, TAG, reply, TAG, Integer.BYTES);
                    out.put(i, reply, 0, REPLY, in, i);
                }
                if (together) {
                    socket.sendTogether(out, count);
                } else {
                    socket.send(out, count);
                }
            }
        }
    }
}
