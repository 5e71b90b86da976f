package dev.weir.net;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

import dev.weir.model.failure.Reason;

/**
 * The file of a listening Unix-domain socket. A killed process leaves its file behind. The next process replaces the
 * file unless another process listens on it.
 */
public final class UnixSocketFile {
    /** The bits of a file's mode that hold its type, and the type of a socket (inode(7)). */
    private static final int FILE_TYPE = 0170000;
    private static final int SOCKET = 0140000;
    /** The users of this machine, and the field of a line with the number of the user's first group (passwd(5)). */
    private static final Path USERS = Path.of("/etc/passwd");
    private static final int GROUP_FIELD = 3;

    private final Path path;
    private final Set<PosixFilePermission> mode;
    private final String owner;
    private final String group;

    /** Creates no file yet. */
    public UnixSocketFile(Path path, Set<PosixFilePermission> mode) {
        this(path, mode, "", "");
    }

    /**
     * Creates no file yet.
     *
     * @param owner the user who shall own the file; empty for the user of the process
     * @param group the group of the file; empty for the first group of the owner, or that of the process
     */
    public UnixSocketFile(Path path, Set<PosixFilePermission> mode, String owner, String group) {
        this.path = path;
        this.mode = Set.copyOf(mode);
        this.owner = owner;
        this.group = group;
    }

    /**
     * Opens an unbound channel.
     *
     * @throws IOException if the system has no more sockets
     */
    public ServerSocketChannel open() throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    }

    /**
     * Binds a channel and creates the file. The socket gets its mode inside a folder that only the owner can enter, and
     * then moves to its name, so no other user can connect before the mode is set.
     *
     * @throws IOException if the system refuses, another file has the name, or a process listens on the socket
     */
    public void bind(ServerSocketChannel channel, int backlog) throws IOException {
        removeStale();
        Path folder = privateFolder();
        // A short name, because the path of a socket has at most 107 bytes.
        Path fresh = folder.resolve("s");
        try {
            channel.bind(UnixDomainSocketAddress.of(fresh), backlog);
            Files.setPosixFilePermissions(fresh, mode);
            giveAway(fresh);
            Files.move(fresh, path);
        } finally {
            Files.deleteIfExists(fresh);
            Files.delete(folder);
        }
    }

    private void giveAway(Path fresh) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(fresh, PosixFileAttributeView.class);
        UserPrincipalLookupService names = fresh.getFileSystem().getUserPrincipalLookupService();
        try {
            if (!group.isEmpty()) {
                view.setGroup(names.lookupPrincipalByGroupName(group));
            } else if (!owner.isEmpty()) {
                firstGroup(fresh);
            }
            if (!owner.isEmpty()) {
                view.setOwner(names.lookupPrincipalByName(owner));
            }
        } catch (UserPrincipalNotFoundException e) {
            throw new IOException("this machine has no user or group \"" + e.getName() + "\"", e);
        } catch (FileSystemException e) {
            throw new IOException("this process may not give the socket to " + (owner.isEmpty() ? "" : owner)
                    + (group.isEmpty() ? "" : ":" + group) + ": only root may, or a member of the group", e);
        }
    }

    /** Gives the file the first group of its owner, as Rspamd does, if the users of this machine are in a file. */
    private void firstGroup(Path fresh) throws IOException {
        for (String line : Files.readAllLines(USERS, StandardCharsets.ISO_8859_1)) {
            String[] fields = line.split(":", -1);
            if (fields.length > GROUP_FIELD && fields[0].equals(owner) && fields[GROUP_FIELD].matches("[0-9]{1,9}")) {
                Files.setAttribute(fresh, "unix:gid", Integer.valueOf(fields[GROUP_FIELD]));
            }
        }
    }

    private Path privateFolder() throws IOException {
        Path parent = Objects.requireNonNullElse(path.toAbsolutePath().getParent(), Path.of("/"));
        while (true) {
            Path folder = parent.resolve(".w" + Integer.toString(ThreadLocalRandom.current().nextInt(1 << 24), 36));
            try {
                return Files.createDirectory(folder,
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            } catch (FileAlreadyExistsException e) {
                // Another process chose the same name.
            }
        }
    }

    private void removeStale() throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        int type = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & FILE_TYPE;
        if (type != SOCKET) {
            throw new BindException("a file of that name exists and is not a socket");
        }
        try (SocketChannel probe = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            throw new BindException("another process listens there: " + probe.getRemoteAddress());
        } catch (ConnectException stale) {
            Files.deleteIfExists(path);
        } catch (BindException e) {
            throw e;
        } catch (IOException e) {
            // Such as a socket of another user. Its process may be alive.
            throw new BindException("a socket of that name exists, and a connection to it failed (" + Reason.of(e)
                    + "); if no process uses it, remove it");
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
