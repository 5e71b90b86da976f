package dev.weir.storage.server;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

import dev.weir.net.UnixSocketFile;

/** An address or a Unix-domain socket to listen on. */
public sealed interface Bind {
    /**
     * An address and port for both UDP and TCP. {@link dev.weir.net.ListenAddress} defines the meaning of
     * {@code 0.0.0.0} and {@code ::}. Port 0 selects a port that is free for both.
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
     * A Unix-domain stream socket with the same framing as TCP.
     *
     * @param path the path of the socket, which exists while the storage runs
     * @param mode the permissions of the socket
     * @param owner the user who owns the socket; empty for the user of the process
     * @param group the group of the socket; empty for that of the process
     */
    record Unix(Path path, Set<PosixFilePermission> mode, String owner, String group) implements Bind {
        /** The default mode of a socket, which admits only the storage's user. */
        public static final Set<PosixFilePermission> OWN_USER = Set
                .copyOf(PosixFilePermissions.fromString("rw-------"));

        /** Copies the mode. */
        public Unix {
            mode = Set.copyOf(mode);
        }

        /** A socket of the user and the group of the process. */
        public Unix(Path path, Set<PosixFilePermission> mode) {
            this(path, mode, "", "");
        }

        /** Returns the file of the socket. */
        public UnixSocketFile file() {
            return new UnixSocketFile(path, mode, owner, group);
        }

        @Override
        public String toString() {
            return path.toString();
        }
    }
}
