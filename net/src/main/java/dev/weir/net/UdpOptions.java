package dev.weir.net;

/**
 * What a socket is opened with.
 *
 * @param receiveBuffer bytes that the system keeps until they are received; it may grant less
 * @param sendBuffer bytes that the system keeps while the network is busy; it may grant less
 * @param shareAddress whether other sockets of this user may be bound to the same address
 */
public record UdpOptions(int receiveBuffer, int sendBuffer, boolean shareAddress) {
    /** Checks the sizes. */
    public UdpOptions {
        if (receiveBuffer <= 0 || sendBuffer <= 0) {
            throw new IllegalArgumentException("socket buffers of " + receiveBuffer + " and " + sendBuffer + " bytes");
        }
    }
}
