package dev.weir.os;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.UUID;

/** The platform that this process runs on. */
public final class Platform {
    /** The lower-case name of the operating system, as Java reports it, such as {@code linux} or {@code mac os x}. */
    public static final String SYSTEM = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);

    private static final Path BOOT_FILE = Path.of("/proc/sys/kernel/random/boot_id");
    private static final UUID BOOT = readBoot();

    private Platform() {}

    /** A family of processors. */
    public enum Architecture {
        /** x86 with 64 bits. */
        AMD64,
        /** ARM with 64 bits. */
        ARM64,
        /** Any other. */
        OTHER
    }

    /** Returns whether the operating system is Linux. */
    public static boolean isLinux() {
        return SYSTEM.contains("linux");
    }

    /** Returns whether the operating system is Linux with 64-bit pointers and little-endian numbers. */
    static boolean isLinux64() {
        return isLinux() && ValueLayout.ADDRESS.byteSize() == Long.BYTES
                && ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    }

    /** Returns the architecture of the processor. */
    public static Architecture architecture() {
        return architecture(System.getProperty("os.arch", ""));
    }

    /**
     * Returns the architecture that has a name.
     *
     * @param name as in the system property {@code os.arch}
     */
    public static Architecture architecture(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> Architecture.AMD64;
            case "aarch64", "arm64" -> Architecture.ARM64;
            default -> Architecture.OTHER;
        };
    }

    /** Returns a sentence fragment for people, such as {@code Linux amd64}. */
    public static String describe() {
        return System.getProperty("os.name") + " " + System.getProperty("os.arch");
    }

    /**
     * Returns the identity of the current boot of the machine. Two processes with the same identity share one page
     * cache. If the system has no such identity, each process gets its own.
     */
    public static UUID boot() {
        return BOOT;
    }

    private static UUID readBoot() {
        try {
            return UUID.fromString(Files.readString(BOOT_FILE).strip());
        } catch (IOException | IllegalArgumentException e) {
            return UUID.randomUUID();
        }
    }
}
