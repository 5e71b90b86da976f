package dev.weir.os;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

import dev.weir.os.RegularFile.Refusal;
import dev.weir.os.RegularFile.RefusedException;

/**
 * A path without links, and who made the links that led to it.
 *
 * @param real the path without links
 * @param makers the owners of links, except this process and the system's administrator
 */
record NamedPath(Path real, Set<UserPrincipal> makers) {
    /** As many as Linux follows. */
    private static final int MOST_LINKS = 40;

    /** Follows the links of a path. What does not exist is left as it is. */
    static NamedPath of(Path file) throws IOException {
        Path absolute = file.toAbsolutePath();
        boolean hasOwners = absolute.getFileSystem().supportedFileAttributeViews().contains("posix");
        Set<UserPrincipal> makers = new HashSet<>();
        Deque<Path> names = new ArrayDeque<>();
        Path at = begin(absolute, names, absolute);
        int links = 0;
        while (!names.isEmpty()) {
            String name = names.pop().toString();
            if (name.equals("..")) {
                Path parent = at.getParent();
                at = parent == null ? at : parent;
            } else if (!name.isEmpty() && !name.equals(".")) {
                Path next = at.resolve(name);
                if (Files.isSymbolicLink(next)) {
                    if (++links > MOST_LINKS) {
                        throw new FileSystemLoopException(file.toString());
                    }
                    if (hasOwners && !ProcessUser.owns(next, LinkOption.NOFOLLOW_LINKS)) {
                        makers.add(Files.getOwner(next, LinkOption.NOFOLLOW_LINKS));
                    }
                    at = begin(Files.readSymbolicLink(next), names, at);
                } else {
                    at = next;
                }
            }
        }
        return new NamedPath(at, makers);
    }

    /** Puts the names of a path before others. Returns where they begin. */
    private static Path begin(Path path, Deque<Path> names, Path at) {
        for (int i = path.getNameCount() - 1; i >= 0; i--) {
            names.push(path.getName(i));
        }
        Path root = path.getRoot();
        return root == null ? at : root;
    }

    /**
     * Checks the owner of the file.
     *
     * @param file the name for people
     * @param opened the file
     * @throws RefusedException if a link of another user leads to a file that is not that user's
     */
    void requireOwner(Path file, Path opened) throws IOException {
        if (makers.isEmpty()) {
            return;
        }
        UserPrincipal owner = Files.getOwner(opened);
        for (UserPrincipal maker : makers) {
            if (!maker.equals(owner)) {
                throw new RefusedException(file, Refusal.LINK, "a symbolic link of the user " + maker.getName()
                        + " leads to it, and it belongs to " + owner.getName());
            }
        }
    }
}
