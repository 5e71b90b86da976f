package dev.weir.os;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Makes the names in a folder durable: a file that was created, renamed or deleted stays so after a power failure. */
public final class FolderSync {
    private FolderSync() {}

    /** Waits until the names in a folder are on disk. */
    public static void force(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
