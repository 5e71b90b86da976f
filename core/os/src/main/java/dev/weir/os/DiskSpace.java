package dev.weir.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * The free space of disks. {@link Files#getFileStore} is not used for it: it looks for the mount point of a file, and
 * fails in a root folder that is not a mount point, such as a chroot.
 */
public final class DiskSpace {
    private DiskSpace() {}

    /**
     * Returns the bytes that this process may still write to the disk of a file or folder.
     *
     * @throws IOException if the file does not exist or cannot be reached
     */
    public static long usable(Path file) throws IOException {
        long bytes = file.toFile().getUsableSpace();
        if (bytes == 0) {
            // The disk is full, or Java hides a failure. If it is a failure, this call names it.
            Files.readAttributes(file, BasicFileAttributes.class);
        }
        return bytes;
    }

    /**
     * Returns whether two files or folders share one disk and so its free space.
     *
     * @throws IOException if one of them does not exist or cannot be reached
     */
    public static boolean areOnOneDisk(Path first, Path second) throws IOException {
        if (first.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return Files.getAttribute(first, "unix:dev").equals(Files.getAttribute(second, "unix:dev"));
        }
        return Files.getFileStore(first).equals(Files.getFileStore(second));
    }
}
