package dev.weir.net;

/**
 * The options of a socket.
 *
 * @param receiveBuffer the size of the receive buffer in bytes; the system may grant less
 * @param sendBuffer the size of the send buffer in bytes; the system may grant less
 * @param shareAddress whether other sockets of this user may bind the same address
 */
public record UdpOptions(int receiveBuffer, int sendBuffer, boolean shareAddress) {
    /** Checks the sizes. */
    public UdpOptions {
        if (receiveBuffer <= 0 || sendBuffer <= 0) {
            throw new IllegalArgumentException("socket buffers of " + receiveBuffer + " and " + sendBuffer + " bytes");
        }
    }
}
