package dev.weir.storage.server;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A place to listen on. */
public sealed interface Bind {
    /**
     * An address and port, for UDP and for TCP; what {@code 0.0.0.0} and {@code ::} take,
     * {@link dev.weir.net.ListenAddress} says. Port 0 takes one that is free for both.
     */
    record Inet(InetSocketAddress address) implements Bind {
        @Override
        public String toString() {
            return address.isUnresolved()
                    ? address.getHostString() + " port " + address.getPort()
                    : address.getAddress().getHostAddress() + " port " + address.getPort();
        }
    }

    /**
     * A stream Unix-domain socket, with the frames of TCP.
     *
     * @param path of the socket, which is made at the start and removed at the end
     * @param mode who may open it
     */
    record Unix(Path path, Set<PosixFilePermission> mode) implements Bind {
        /** The default mode of a socket: only the storage's own user. */
        public static final Set<PosixFilePermission> OWN_USER = Set
                .copyOf(PosixFilePermissions.fromString("rw-------"));

        /** Copies the mode. */
        public Unix {
            mode = Set.copyOf(mode);
        }

        @Override
        public String toString() {
            return path.toString();
        }
    }
}
