package dev.weir.testkit;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.weir.wire.box.Box;

/**
 * A peer without a key that echoes each request unchanged. It also echoes an encrypted request without its header,
 * which looks like a reply.
 */
public final class EchoPeer implements AutoCloseable {
    /** Bytes before the nonce of an encrypted request. */
    private static final int HEAD = 44;

    private final DatagramSocket socket;
    private final ServerSocket listener;
    private final List<Socket> connections = new CopyOnWriteArrayList<>();
    /** For each request, {@code udp} or {@code tcp}. */
    public final List<String> transports = new CopyOnWriteArrayList<>();

    private EchoPeer(DatagramSocket socket, ServerSocket listener) {
        this.socket = socket;
        this.listener = listener;
    }

    /** Starts a peer on a free port, the same for both transports. */
    public static EchoPeer start() throws IOException {
        int port = FreePort.find();
        EchoPeer peer = new EchoPeer(new DatagramSocket(port, InetAddress.getLoopbackAddress()),
                new ServerSocket(port, 10, InetAddress.getLoopbackAddress()));
        Thread.ofPlatform().daemon().start(peer::serve);
        Thread.ofPlatform().daemon().start(peer::accept);
        return peer;
    }

    /** Returns the address. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /** Returns the port. */
    public int port() {
        return socket.getLocalPort();
    }

    private static List<byte[]> echoes(byte[] bytes, int length) {
        byte[] whole = Arrays.copyOf(bytes, length);
        return Box.isRequest(bytes, 0, length)
                ? List.of(Arrays.copyOfRange(bytes, HEAD, length), whole)
                : List.of(whole);
    }

    private void serve() {
        byte[] in = new byte[2048];
        while (true) {
            try {
                DatagramPacket packet = new DatagramPacket(in, in.length);
                socket.receive(packet);
                transports.add("udp");
                for (byte[] echo : echoes(in, packet.getLength())) {
                    socket.send(new DatagramPacket(echo, echo.length, packet.getSocketAddress()));
                }
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void accept() {
        while (true) {
            try {
                Socket connection = listener.accept();
                connections.add(connection);
                Thread.ofPlatform().daemon().start(() -> converse(connection));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void converse(Socket connection) {
        try {
            DataInputStream in = new DataInputStream(connection.getInputStream());
            OutputStream out = connection.getOutputStream();
            while (true) {
                int length = in.readUnsignedByte() | in.readUnsignedByte() << 8;
                byte[] frame = in.readNBytes(length);
                transports.add("tcp");
                for (byte[] echo : echoes(frame, frame.length)) {
                    out.write(new byte[]{(byte) echo.length, (byte) (echo.length >> 8)});
                    out.write(echo);
                    out.flush();
                }
            }
        } catch (IOException closed) {
            connections.remove(connection);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        listener.close();
        for (Socket connection : connections) {
            connection.close();
        }
    }
}
