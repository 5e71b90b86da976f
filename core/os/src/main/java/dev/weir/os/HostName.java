package dev.weir.os;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The name of this machine. Java's own way asks the name servers for its address first, which can take half a minute
 * when none answers, and fails if none knows the name.
 */
public final class HostName {
    private static final Path LINUX = Path.of("/proc/sys/kernel/hostname");
    private static final String NAMELESS = "localhost";

    private HostName() {}

    /**
     * Returns the name as the administrator has set it, with or without a domain; "localhost" if there is none. On
     * Linux, it asks no name server (proc_sys_kernel(5)).
     */
    public static String get() {
        String name;
        try {
            name = Files.readString(LINUX).strip();
        } catch (IOException e) {
            name = ofAddress();
        }
        return name.isEmpty() ? NAMELESS : name;
    }

    private static String ofAddress() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return NAMELESS;
        }
    }
}
