package dev.weir.storage.server;

import java.io.IOException;
import java.net.BindException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/** A socket in the file system: it stays behind when a program is killed, and must not be taken from one that runs. */
public final class UnixSocketFile {
    /** The bits of a file's mode that say what it is, and those of a socket (inode(7)). */
    private static final int FILE_TYPE = 0170000;
    private static final int SOCKET = 0140000;

    private final Path path;
    private final Set<PosixFilePermission> mode;

    /** The file for a place; nothing is made yet. */
    public UnixSocketFile(Bind.Unix bind) {
        this.path = bind.path();
        this.mode = bind.mode();
    }

    /**
     * A channel that is not bound.
     *
     * @throws IOException if the system has none left
     */
    public ServerSocketChannel open() throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    }

    /**
     * Makes the file. It is bound under another name and moved to its own when it has its mode, so that nobody connects to it
     * before who may not.
     *
     * @throws IOException if the system refuses, there is another file, or somebody listens there
     */
    public void bind(ServerSocketChannel channel, int backlog) throws IOException {
        removeStale();
        Path parent = path.toAbsolutePath().getParent();
        Path fresh = (parent == null ? Path.of("/") : parent).resolve(".weir" + ProcessHandle.current().pid());
        Files.deleteIfExists(fresh);
        boolean done = false;
        try {
            channel.bind(UnixDomainSocketAddress.of(fresh), backlog);
            Files.setPosixFilePermissions(fresh, mode);
            Files.move(fresh, path);
            done = true;
        } finally {
            if (!done) {
                Files.deleteIfExists(fresh);
            }
        }
    }

    private void removeStale() throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        int type = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & FILE_TYPE;
        if (type != SOCKET) {
            throw new BindException("there is a file of that name that is no socket");
        }
        try (SocketChannel probe = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            throw new BindException("somebody listens there: " + probe.getRemoteAddress());
        } catch (BindException e) {
            throw e;
        } catch (IOException nobodyListens) {
            Files.deleteIfExists(path);
        }
    }

    /**
     * Removes the file.
     *
     * @throws IOException if the system refuses
     */
    public void delete() throws IOException {
        Files.deleteIfExists(path);
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
