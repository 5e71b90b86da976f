package dev.weir.load.stream;

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

import dev.weir.wire.box.Box;

/** Knows no key and sends back what it gets, as it came and, if it is encrypted, without its header: as a reply looks. */
final class EchoPeer implements AutoCloseable {
    /** What stands before the nonce of an encrypted request. */
    private static final int HEAD = 44;

    private final ServerSocket listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final DatagramSocket socket = new DatagramSocket(listener.getLocalPort(), InetAddress.getLoopbackAddress());

    EchoPeer() throws IOException {
        Thread.ofPlatform().daemon().start(this::serve);
        Thread.ofPlatform().daemon().start(this::accept);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    private static List<byte[]> echoes(byte[] bytes, int length) {
        byte[] whole = Arrays.copyOf(bytes, length);
        return Box.isRequest(bytes, 0, length)
                ? List.of(Arrays.copyOfRange(bytes, HEAD, length), whole)
                : List.of(whole);
    }

    private void serve() {
        byte[] in = new byte[2048];
        try {
            while (true) {
                DatagramPacket packet = new DatagramPacket(in, in.length);
                socket.receive(packet);
                for (byte[] echo : echoes(in, packet.getLength())) {
                    socket.send(new DatagramPacket(echo, echo.length, packet.getSocketAddress()));
                }
            }
        } catch (IOException closed) {
            return;
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try (Socket connection = listener.accept()) {
                DataInputStream in = new DataInputStream(connection.getInputStream());
                OutputStream out = connection.getOutputStream();
                while (true) {
                    byte[] frame = in.readNBytes(in.readUnsignedByte() | in.readUnsignedByte() << 8);
                    for (byte[] echo : echoes(frame, frame.length)) {
                        out.write(new byte[]{(byte) echo.length, (byte) (echo.length >> 8)});
                        out.write(echo);
                    }
                }
            } catch (IOException gone) {
                // The client is gone, or the test over.
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        listener.close();
    }
}
