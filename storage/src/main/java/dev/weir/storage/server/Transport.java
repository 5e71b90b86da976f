package dev.weir.storage.server;

/** How a request came in. */
enum Transport {
    /** A datagram; who sent it is not proven. */
    UDP,
    /** A frame of a connection, whose other end has answered from its address. */
    TCP,
    /** A frame of a socket in the file system: whoever may open the file, on this machine. */
    UNIX;

    /** Whether requests are frames, for which the limit of a datagram does not hold (wire.md 7). */
    boolean isStream() {
        return this != UDP;
    }
}
