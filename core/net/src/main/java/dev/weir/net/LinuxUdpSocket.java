package dev.weir.net;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketException;

import dev.weir.os.LinuxCalls;

/** A socket that receives with {@code recvmmsg} and sends with {@code sendmmsg}. */
final class LinuxUdpSocket implements UdpSocket {
    /** A system property; set it to {@code false} if a driver splits trains of packets incorrectly. */
    private static final String SEGMENTATION = "weir.udp.segmentation";

    /** The maximum wait of a receive. It only matters if a wake-up is lost. */
    private static final long WAIT_SECONDS = 1;

    /** Visible for tests. */
    final int descriptor;
    private final InetSocketAddress local;
    private final Arena arena = Arena.ofAuto();
    private final MemorySegment receiveState = LinuxCalls.newState(arena);
    private final ThreadLocal<MemorySegment> sendState = ThreadLocal.withInitial(() -> LinuxCalls.newState(arena));
    /** Whether to couple packets; cleared when the system turns out not to support it. Visible for tests. */
    volatile boolean trains = Boolean.parseBoolean(System.getProperty(SEGMENTATION, "true"));
    private volatile boolean woken;
    private boolean closed;

    private LinuxUdpSocket(int descriptor, InetSocketAddress local) {
        this.descriptor = descriptor;
        this.local = local;
    }

    static LinuxUdpSocket bind(InetSocketAddress local, UdpOptions options) throws IOException {
        return open(local, options, false);
    }

    static LinuxUdpSocket connect(InetSocketAddress remote, UdpOptions options) throws IOException {
        return open(remote, options, true);
    }

    private static LinuxUdpSocket open(InetSocketAddress address, UdpOptions options, boolean connect)
            throws IOException {
        byte[] encoded = SocketAddresses.encode(address);
        boolean inet6 = address.getAddress() instanceof Inet6Address;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = LinuxCalls.newState(arena);
            int descriptor = check(state, (int) LinuxCalls.SOCKET.invokeExact(state,
                    (int) (inet6 ? SocketAddresses.INET6 : SocketAddresses.INET),
                    LinuxCalls.SOCK_DGRAM | LinuxCalls.SOCK_CLOEXEC, 0));
            try {
                MemorySegment name = arena.allocate(Packets.ADDRESS, Long.BYTES);
                MemorySegment.copy(encoded, 0, name, ValueLayout.JAVA_BYTE, 0, Packets.ADDRESS);
                prepare(arena, state, descriptor, options);
                if (inet6) {
                    // As everywhere in Java, :: accepts IPv4 too, independent of the system's default.
                    check(state, option(arena, state, descriptor, LinuxCalls.IPPROTO_IPV6, LinuxCalls.IPV6_V6ONLY, 0));
                }
                int length = SocketAddresses.length(name, 0);
                if (connect) {
                    check(state, (int) LinuxCalls.CONNECT.invokeExact(state, descriptor, name, length));
                } else if ((int) LinuxCalls.BIND.invokeExact(state, descriptor, name, length) != 0) {
                    throw new BindException(LinuxCalls.describe(LinuxCalls.error(state)));
                }
                MemorySegment size = arena.allocateFrom(ValueLayout.JAVA_INT, Packets.ADDRESS);
                check(state, (int) LinuxCalls.GETSOCKNAME.invokeExact(state, descriptor, name, size));
                return new LinuxUdpSocket(descriptor, SocketAddresses.decode(name.toArray(ValueLayout.JAVA_BYTE)));
            } catch (Throwable e) {
                int _ = (int) LinuxCalls.CLOSE.invokeExact(state, descriptor);
                throw e;
            }
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw LinuxCalls.impossible(e);
        }
    }

    private static void prepare(Arena arena, MemorySegment state, int descriptor, UdpOptions options)
            throws Throwable {
        if (options.shareAddress()) {
            check(state, option(arena, state, descriptor, LinuxCalls.SO_REUSEPORT, 1));
        }
        // Exceeding the system's limit requires a privilege. Without it, the limit applies.
        if (option(arena, state, descriptor, LinuxCalls.SO_RCVBUFFORCE, options.receiveBuffer()) != 0) {
            check(state, option(arena, state, descriptor, LinuxCalls.SO_RCVBUF, options.receiveBuffer()));
        }
        if (option(arena, state, descriptor, LinuxCalls.SO_SNDBUFFORCE, options.sendBuffer()) != 0) {
            check(state, option(arena, state, descriptor, LinuxCalls.SO_SNDBUF, options.sendBuffer()));
        }
        MemorySegment wait = arena.allocateFrom(ValueLayout.JAVA_LONG, WAIT_SECONDS, 0);
        check(state, (int) LinuxCalls.SETSOCKOPT.invokeExact(state, descriptor, LinuxCalls.SOL_SOCKET,
                LinuxCalls.SO_RCVTIMEO, wait, (int) wait.byteSize()));
    }

    private static int option(Arena arena, MemorySegment state, int descriptor, int option, int value)
            throws Throwable {
        return option(arena, state, descriptor, LinuxCalls.SOL_SOCKET, option, value);
    }

    private static int option(Arena arena, MemorySegment state, int descriptor, int level, int option, int value)
            throws Throwable {
        return (int) LinuxCalls.SETSOCKOPT.invokeExact(state, descriptor, level, option,
                arena.allocateFrom(ValueLayout.JAVA_INT, value), Integer.BYTES);
    }

    private static int check(MemorySegment state, int result) throws SocketException {
        if (result < 0) {
            throw new SocketException(LinuxCalls.describe(LinuxCalls.error(state)));
        }
        return result;
    }

    @Override
    public InetSocketAddress local() {
        return local;
    }

    @Override
    public int receive(Packets target) throws IOException {
        return woken ? 0 : receive(target, LinuxCalls.MSG_WAITFORONE);
    }

    @Override
    public int poll(Packets target) throws IOException {
        return receive(target, LinuxCalls.MSG_DONTWAIT);
    }

    private int receive(Packets target, int flags) throws IOException {
        target.makeRoom(target.capacity());
        int count;
        try {
            count = (int) LinuxCalls.RECVMMSG.invokeExact(receiveState, descriptor, target.memory(),
                    target.capacity(), flags, MemorySegment.NULL);
        } catch (Throwable e) {
            throw LinuxCalls.impossible(e);
        }
        if (count >= 0) {
            // After a shutdown, the socket returns empty datagrams without end.
            return woken && flags == LinuxCalls.MSG_WAITFORONE ? 0 : count;
        }
        int error = LinuxCalls.error(receiveState);
        return switch (error) {
            case LinuxCalls.EAGAIN, LinuxCalls.EINTR -> 0;
            case LinuxCalls.ECONNREFUSED -> throw new PortUnreachableException(LinuxCalls.describe(error));
            default -> throw new SocketException(LinuxCalls.describe(error));
        };
    }

    @Override
    public int send(Packets packets, int count) {
        return sendFrom(packets, 0, count);
    }

    private int sendFrom(Packets packets, int first, int count) {
        MemorySegment state = sendState.get();
        int sent = 0;
        int next = first;
        try {
            while (next < count) {
                MemorySegment from = next == 0
                        ? packets.memory()
                        : packets.memory().asSlice((long) next * Packets.HEADER);
                int taken = (int) LinuxCalls.SENDMMSG.invokeExact(state, descriptor, from, count - next,
                        LinuxCalls.MSG_DONTWAIT);
                if (taken > 0) {
                    sent += taken;
                    next += taken;
                } else if (LinuxCalls.error(state) != LinuxCalls.EINTR) {
                    // This packet cannot be sent, but later packets may have other addresses.
                    next++;
                }
            }
        } catch (Throwable e) {
            throw LinuxCalls.impossible(e);
        }
        return sent;
    }

    @Override
    public int sendTogether(Packets packets, int count) {
        if (!trains) {
            return sendFrom(packets, 0, count);
        }
        MemorySegment state = sendState.get();
        int coupled = packets.couple(count);
        int sent = 0;
        int next = 0;
        try {
            while (next < coupled) {
                int taken = (int) LinuxCalls.SENDMMSG.invokeExact(state, descriptor, packets.trains(next),
                        coupled - next, LinuxCalls.MSG_DONTWAIT);
                if (taken > 0) {
                    sent += packets.firstOf(next + taken) - packets.firstOf(next);
                    next += taken;
                    continue;
                }
                int error = LinuxCalls.error(state);
                int first = packets.firstOf(next);
                int behind = packets.firstOf(next + 1);
                if (behind - first > 1 && cannotCut(error)) {
                    int alone = sendFrom(packets, first, behind);
                    // If the packets can be sent one by one, splitting failed. Otherwise the address is bad, which a
                    // forged sender can cause.
                    trains = trains && (alone == 0 || error == LinuxCalls.EMSGSIZE);
                    sent += alone;
                    next++;
                } else if (error != LinuxCalls.EINTR && error != LinuxCalls.ECONNREFUSED) {
                    // This train cannot be sent, but later ones may. A refusal (ECONNREFUSED) belongs to an earlier
                    // packet.
                    next++;
                }
            }
        } catch (Throwable e) {
            throw LinuxCalls.impossible(e);
        }
        return sent;
    }

    /** Returns whether an error may mean that the kernel or the network device cannot split a train into packets. */
    private static boolean cannotCut(int error) {
        return error == LinuxCalls.EINVAL || error == LinuxCalls.EIO || error == LinuxCalls.ENOPROTOOPT
                || error == LinuxCalls.EMSGSIZE;
    }

    @Override
    public void wake() {
        woken = true;
        try (Arena confined = Arena.ofConfined()) {
            // The call reports that the socket is not connected, but it still wakes the receiver.
            int _ = (int) LinuxCalls.SHUTDOWN.invokeExact(LinuxCalls.newState(confined), descriptor,
                    LinuxCalls.SHUT_RD);
        } catch (Throwable e) {
            throw LinuxCalls.impossible(e);
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try (Arena confined = Arena.ofConfined()) {
            int _ = (int) LinuxCalls.CLOSE.invokeExact(LinuxCalls.newState(confined), descriptor);
        } catch (Throwable e) {
            throw LinuxCalls.impossible(e);
        }
    }
}
