package dev.weir.os;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Checks that states arrive at a datagram socket like that of a service manager. */
@EnabledOnOs(OS.LINUX)
@SuppressWarnings("restricted")
class ServiceManagerTest {
    private static final MethodHandle READ = Linker.nativeLinker().downcallHandle(
            Linker.nativeLinker().defaultLookup().findOrThrow("read"),
            FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS,
                    ValueLayout.JAVA_LONG));

    /** Returns the message that a socket with a given name receives. */
    private static String told(byte[] name, String text, String shownAs) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = LinuxCalls.newState(arena);
            int descriptor = (int) LinuxCalls.SOCKET.invokeExact(state, 1, LinuxCalls.SOCK_DGRAM, 0);
            assertThat(descriptor).isNotNegative();
            try {
                MemorySegment address = arena.allocate(110);
                address.set(ValueLayout.JAVA_SHORT, 0, (short) 1);
                MemorySegment.copy(name, 0, address, ValueLayout.JAVA_BYTE, 2, name.length);
                assertThat((int) LinuxCalls.BIND.invokeExact(state, descriptor, address, 2 + name.length)).isZero();
                ServiceManager.at(shownAs).orElseThrow().send(text);
                MemorySegment got = arena.allocate(200);
                long length = (long) READ.invokeExact(descriptor, got, 200L);
                return new String(got.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
            } finally {
                int _ = (int) LinuxCalls.CLOSE.invokeExact(state, descriptor);
            }
        }
    }

    @Test
    void notifiesASocketWithAPath(@TempDir Path folder) throws Throwable {
        String path = folder.resolve("notify").toString();
        assertThat(told(path.getBytes(StandardCharsets.UTF_8), "READY=1", path)).isEqualTo("READY=1");
    }

    @Test
    void notifiesAnAbstractSocket() throws Throwable {
        String name = "weir-test-" + ProcessHandle.current().pid();
        assertThat(told(("\0" + name).getBytes(StandardCharsets.UTF_8), "STOPPING=1\nSTATUS=ü", "@" + name))
                .isEqualTo("STOPPING=1\nSTATUS=ü");
    }

    @Test
    void aMissingVariableMeansNoManagerAndADeadSocketIsAnError(@TempDir Path folder) {
        assertThat(ServiceManager.at(null)).isEmpty();
        assertThat(ServiceManager.at("")).isEmpty();
        assertThat(ServiceManager.at("notify")).isEmpty();
        assertThat(ServiceManager.at("/" + "x".repeat(200))).isEmpty();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> ServiceManager.at(folder.resolve("gone").toString()).orElseThrow().send("READY=1"));
    }

    @Test
    void theManagerWatchesTheProcessThatItNames() {
        assertThat(ServiceManager.watchdog(Map.of("WATCHDOG_USEC", "30000000"), 7)).contains(Duration.ofSeconds(30));
        assertThat(ServiceManager.watchdog(Map.of("WATCHDOG_USEC", "30000000", "WATCHDOG_PID", "7"), 7))
                .contains(Duration.ofSeconds(30));
        assertThat(ServiceManager.watchdog(Map.of("WATCHDOG_USEC", "30000000", "WATCHDOG_PID", "8"), 7)).isEmpty();
        assertThat(ServiceManager.watchdog(Map.of(), 7)).isEmpty();
        assertThat(ServiceManager.watchdog(Map.of("WATCHDOG_USEC", "0"), 7)).isEmpty();
        assertThat(ServiceManager.watchdog(Map.of("WATCHDOG_USEC", "soon"), 7)).isEmpty();
    }
}
