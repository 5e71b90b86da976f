package dev.weir.net;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;

/** Tells whether a host is another machine, so that its clock is another one. */
public final class OtherMachine {
    private OtherMachine() {}

    /**
     * Returns whether none of the addresses of a host belongs to this machine. May look the name up.
     *
     * @param host a name or an address
     * @return false also for a host that cannot be found
     */
    public static boolean is(String host) {
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
