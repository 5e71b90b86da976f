package dev.weir.load.socket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

import dev.weir.net.Packets;
import dev.weir.net.UdpOptions;
import dev.weir.net.UdpSocket;
import org.jspecify.annotations.Nullable;

/** A UDP socket. */
final class UdpQuerySocket implements QuerySocket {
    private static final UdpOptions OPTIONS = new UdpOptions(8 << 20, 8 << 20, false);

    private final UdpSocket socket;
    private final byte @Nullable [] address;
    private final Packets requests;
    private final Packets answers = new Packets(BATCH, MAX_ANSWER);

    private UdpQuerySocket(UdpSocket socket, byte @Nullable [] address, int maxBytes) {
        this.socket = socket;
        this.address = address;
        this.requests = new Packets(BATCH, maxBytes);
    }

    static UdpQuerySocket open(InetSocketAddress storage, @Nullable InetAddress source, int maxBytes)
            throws IOException {
        // A connected socket saves the system a route lookup per packet, but cannot choose its address here.
        return source == null
                ? new UdpQuerySocket(UdpSocket.connect(storage, OPTIONS), null, maxBytes)
                : new UdpQuerySocket(UdpSocket.bind(new InetSocketAddress(source, 0), OPTIONS),
                        Packets.address(storage),
                        maxBytes);
    }

    @Override
    public void put(int i, byte[] request, int length) {
        if (address == null) {
            requests.put(i, request, 0, length);
        } else {
            requests.put(i, request, 0, length, address);
        }
    }

    @Override
    public void send(int count) {
        // A datagram that the system refuses is like one that a network loses: no answer arrives.
        socket.sendTogether(requests, count);
    }

    @Override
    public boolean canSend() {
        return true;
    }

    @Override
    public int poll() throws IOException {
        return socket.poll(answers);
    }

    @Override
    public int take(int i, byte[] target) {
        return answers.copyTo(i, target);
    }

    @Override
    public void close() {
        socket.close();
    }
}
