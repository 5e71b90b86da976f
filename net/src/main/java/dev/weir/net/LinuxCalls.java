package dev.weir.net;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Locale;

/**
 * The calls of Linux that a socket needs, through the Foreign Function and Memory interface. Numbers are those of its
 * headers, which are the same on all 64-bit machines that Java runs on.
 */
@SuppressWarnings("restricted")
final class LinuxCalls {
    static final boolean AVAILABLE = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("linux")
            && ValueLayout.ADDRESS.byteSize() == Long.BYTES && ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    static final int SOCK_DGRAM = 2;
    static final int SOCK_CLOEXEC = 0x80000;
    static final int SOL_SOCKET = 1;
    static final int IPPROTO_IPV6 = 41;
    static final int IPV6_V6ONLY = 26;
    static final int SO_REUSEADDR = 2;
    static final int SO_SNDBUF = 7;
    static final int SO_RCVBUF = 8;
    static final int SO_REUSEPORT = 15;
    static final int SO_RCVTIMEO = 20;
    static final int SO_SNDBUFFORCE = 32;
    static final int SO_RCVBUFFORCE = 33;
    static final int SHUT_RD = 0;
    static final int MSG_DONTWAIT = 0x40;
    static final int MSG_WAITFORONE = 0x10000;
    static final int SOL_UDP = 17;
    static final int UDP_SEGMENT = 103;
    static final int EINTR = 4;
    static final int EIO = 5;
    static final int EAGAIN = 11;
    static final int EINVAL = 22;
    static final int ENOPROTOOPT = 92;
    static final int EMSGSIZE = 90;
    static final int ECONNREFUSED = 111;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERROR = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final AddressLayout POINTER = ValueLayout.ADDRESS;

    static final MethodHandle SOCKET = call("socket", INT, INT, INT, INT);
    static final MethodHandle SETSOCKOPT = call("setsockopt", INT, INT, INT, INT, POINTER, INT);
    static final MethodHandle BIND = call("bind", INT, INT, POINTER, INT);
    static final MethodHandle CONNECT = call("connect", INT, INT, POINTER, INT);
    static final MethodHandle GETSOCKNAME = call("getsockname", INT, INT, POINTER, POINTER);
    static final MethodHandle SHUTDOWN = call("shutdown", INT, INT, INT);
    static final MethodHandle WRITE = call("write", ValueLayout.JAVA_LONG, INT, POINTER, ValueLayout.JAVA_LONG);
    static final MethodHandle CLOSE = call("close", INT, INT);
    static final MethodHandle RECVMMSG = call("recvmmsg", INT, INT, POINTER, INT, INT, POINTER);
    static final MethodHandle SENDMMSG = call("sendmmsg", INT, INT, POINTER, INT, INT);
    private static final MethodHandle STRERROR = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("strerror"), FunctionDescriptor.of(POINTER, INT));

    private LinuxCalls() {}

    private static MethodHandle call(String name, MemoryLayout result, MemoryLayout... arguments) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(result, arguments), ERRNO);
    }

    /** Where a call leaves its error number; one for each thread that calls. */
    static MemorySegment newState(Arena arena) {
        return arena.allocate(STATE);
    }

    static int error(MemorySegment state) {
        return (int) ERROR.get(state, 0L);
    }

    static String describe(int error) {
        try {
            MemorySegment text = (MemorySegment) STRERROR.invokeExact(error);
            return text.reinterpret(1_024).getString(0);
        } catch (Throwable e) {
            return "error " + error;
        }
    }

    /** What {@code invokeExact} may throw although C cannot. */
    static IllegalStateException impossible(Throwable e) {
        return new IllegalStateException("a call of the system failed in a way that it cannot", e);
    }
}
