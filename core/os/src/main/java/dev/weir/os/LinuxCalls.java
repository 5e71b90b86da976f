package dev.weir.os;

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

/**
 * The socket calls of Linux, linked through the Foreign Function and Memory API. The constants are those of the Linux
 * headers, which are equal on all 64-bit machines that Java supports. The manual pages of section 2 describe each call.
 */
@SuppressWarnings("restricted")
public final class LinuxCalls {
    /** Whether this platform has the calls with the types that this class declares. */
    public static final boolean AVAILABLE = Platform.isLinux64();

    public static final int SOCK_DGRAM = 2;
    public static final int SOCK_CLOEXEC = 0x80000;
    public static final int SOL_SOCKET = 1;
    public static final int IPPROTO_IPV6 = 41;
    public static final int IPV6_V6ONLY = 26;
    public static final int SO_REUSEADDR = 2;
    public static final int SO_SNDBUF = 7;
    public static final int SO_RCVBUF = 8;
    public static final int SO_REUSEPORT = 15;
    public static final int SO_RCVTIMEO = 20;
    public static final int SO_SNDBUFFORCE = 32;
    public static final int SO_RCVBUFFORCE = 33;
    public static final int SHUT_RD = 0;
    public static final int MSG_DONTWAIT = 0x40;
    public static final int MSG_WAITFORONE = 0x10000;
    public static final int SOL_UDP = 17;
    public static final int UDP_SEGMENT = 103;
    public static final int EINTR = 4;
    public static final int EIO = 5;
    public static final int EAGAIN = 11;
    public static final int EINVAL = 22;
    public static final int ENOPROTOOPT = 92;
    public static final int EMSGSIZE = 90;
    public static final int ECONNREFUSED = 111;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERROR = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final AddressLayout POINTER = ValueLayout.ADDRESS;

    /** open(2) without a mode: for files that exist. */
    public static final MethodHandle OPEN = call("open", INT, POINTER, INT);
    public static final MethodHandle SOCKET = call("socket", INT, INT, INT, INT);
    public static final MethodHandle SETSOCKOPT = call("setsockopt", INT, INT, INT, INT, POINTER, INT);
    public static final MethodHandle BIND = call("bind", INT, INT, POINTER, INT);
    public static final MethodHandle CONNECT = call("connect", INT, INT, POINTER, INT);
    public static final MethodHandle GETSOCKNAME = call("getsockname", INT, INT, POINTER, POINTER);
    public static final MethodHandle SHUTDOWN = call("shutdown", INT, INT, INT);
    public static final MethodHandle WRITE = call("write", ValueLayout.JAVA_LONG, INT, POINTER, ValueLayout.JAVA_LONG);
    public static final MethodHandle CLOSE = call("close", INT, INT);
    public static final MethodHandle RECVMMSG = call("recvmmsg", INT, INT, POINTER, INT, INT, POINTER);
    public static final MethodHandle SENDMMSG = call("sendmmsg", INT, INT, POINTER, INT, INT);
    private static final MethodHandle STRERROR = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("strerror"), FunctionDescriptor.of(POINTER, INT));

    private LinuxCalls() {}

    private static MethodHandle call(String name, MemoryLayout result, MemoryLayout... arguments) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(result, arguments), ERRNO);
    }

    /** Allocates the memory to which a call writes its error number. Each calling thread needs its own. */
    public static MemorySegment newState(Arena arena) {
        return arena.allocate(STATE);
    }

    /** Returns the error number that the last call wrote. */
    public static int error(MemorySegment state) {
        return (int) ERROR.get(state, 0L);
    }

    /** Returns the text of the system for an error number. */
    public static String describe(int error) {
        try {
            MemorySegment text = (MemorySegment) STRERROR.invokeExact(error);
            return text.reinterpret(1_024).getString(0);
        } catch (Throwable e) {
            return "error " + error;
        }
    }

    /** Wraps an exception that {@code invokeExact} declares but a C function cannot throw. */
    public static IllegalStateException impossible(Throwable e) {
        return new IllegalStateException("a system call threw an exception", e);
    }
}
