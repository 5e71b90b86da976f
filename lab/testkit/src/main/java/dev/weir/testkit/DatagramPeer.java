package dev.weir.testkit;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;

/** A UDP socket on loopback that passes each datagram to a handler, on one thread. */
public final class DatagramPeer implements AutoCloseable {
    private static final int LONGEST = 2048;

    private final DatagramSocket socket;

    private DatagramPeer(DatagramSocket socket) {
        this.socket = socket;
    }

    /** Receives datagrams. */
    @FunctionalInterface
    public interface Handler {
        /** Handles one datagram; an exception ends the thread of the peer. */
        void received(DatagramPeer peer, byte[] datagram, SocketAddress from) throws IOException;
    }

    /** Starts a peer on a free port. */
    public static DatagramPeer start(Handler handler) throws IOException {
        DatagramPeer peer = new DatagramPeer(new DatagramSocket(0, InetAddress.getLoopbackAddress()));
        Thread.ofPlatform().daemon().name("peer-" + peer.port()).start(() -> peer.serve(handler));
        return peer;
    }

    private void serve(Handler handler) {
        byte[] in = new byte[LONGEST];
        try {
            while (true) {
                DatagramPacket packet = new DatagramPacket(in, in.length);
                socket.receive(packet);
                handler.received(this, Arrays.copyOf(in, packet.getLength()), packet.getSocketAddress());
            }
        } catch (IOException closed) {
            return;
        }
    }

    /** Sends a datagram from the port of this peer. */
    public void send(byte[] datagram, SocketAddress to) throws IOException {
        socket.send(new DatagramPacket(datagram, datagram.length, to));
    }

    /** Returns the port. */
    public int port() {
        return socket.getLocalPort();
    }

    /** Returns the address. */
    public InetSocketAddress address() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    @Override
    public void close() {
        socket.close();
    }
}
