package dev.weir.net;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Tells whether a host is another machine, so that its clock is another one. */
public final class OtherMachine {
    /** Files that container engines create in each container. */
    private static final List<Path> MARKS = List.of(Path.of("/.dockerenv"), Path.of("/run/.containerenv"));

    private OtherMachine() {}

    /**
     * Returns whether none of the addresses of a host belongs to this machine. May look the name up.
     *
     * @param host a name or an address
     * @return false also for a host that cannot be found, and in a container: others on the same machine have other
     *         addresses
     */
    public static boolean is(String host) {
        return !isContainer() && hasOtherAddress(host);
    }

    private static boolean isContainer() {
        return System.getenv("KUBERNETES_SERVICE_HOST") != null || MARKS.stream().anyMatch(Files::exists);
    }

    static boolean hasOtherAddress(String host) {
        try {
            InetAddress[] addresses = InetAddress.getAllByName(host);
            for (InetAddress address : addresses) {
                if (address.isLoopbackAddress() || address.isAnyLocalAddress()
                        || NetworkInterface.getByInetAddress(address) != null) {
                    return false;
                }
            }
            return addresses.length > 0;
        } catch (UnknownHostException | SocketException e) {
            return false;
        }
    }
}
