package dev.weir.os;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Sends datagrams to a Unix-domain socket, such as that of the service manager or of the journal. Java has no such
 * sockets for datagrams, so this class calls Linux. For any thread.
 */
public final class UnixDatagrams {
    /** The longest socket name in bytes (unix(7)). */
    private static final int MAX_NAME = 107;
    private static final short UNIX = 1;

    private final byte[] name;

    private UnixDatagrams(byte[] name) {
        this.name = name;
    }

    /**
     * Returns the way to a socket.
     *
     * @param socket a path, or {@code @} and an abstract name
     * @return empty if the name does not fit, or if this platform cannot reach it
     */
    public static Optional<UnixDatagrams> to(String socket) {
        if (!LinuxCalls.AVAILABLE || !(socket.startsWith("/") || socket.startsWith("@"))) {
            return Optional.empty();
        }
        byte[] name = socket.getBytes(StandardCharsets.UTF_8);
        if (name.length < 2 || name.length > MAX_NAME) {
            return Optional.empty();
        }
        if (name[0] == '@') {
            name[0] = 0;
        }
        return Optional.of(new UnixDatagrams(name));
    }

    /**
     * Sends one datagram.
     *
     * @throws IOException if the other side does not accept it, with the reason of the system
     */
    public void send(byte[] content) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment error = LinuxCalls.newState(arena);
            int descriptor = check(error, (int) LinuxCalls.SOCKET.invokeExact(error, (int) UNIX,
                    LinuxCalls.SOCK_DGRAM | LinuxCalls.SOCK_CLOEXEC, 0));
            try {
                MemorySegment address = arena.allocate(Short.BYTES + MAX_NAME + 1, Short.BYTES);
                address.set(ValueLayout.JAVA_SHORT, 0, UNIX);
                MemorySegment.copy(name, 0, address, ValueLayout.JAVA_BYTE, Short.BYTES, name.length);
                check(error, (int) LinuxCalls.CONNECT.invokeExact(error, descriptor, address,
                        Short.BYTES + name.length));
                MemorySegment message = arena.allocateFrom(ValueLayout.JAVA_BYTE, content);
                check(error, (int) (long) LinuxCalls.WRITE.invokeExact(error, descriptor, message,
                        (long) content.length));
            } finally {
                int _ = (int) LinuxCalls.CLOSE.invokeExact(error, descriptor);
            }
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw LinuxCalls.impossible(e);
        }
    }

    private static int check(MemorySegment error, int result) throws SocketException {
        if (result < 0) {
            throw new SocketException(LinuxCalls.describe(LinuxCalls.error(error)));
        }
        return result;
    }
}
