package dev.weir.storage.transfer.storage;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Optional;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.state.StateFormat;

/** Whether the hashes of a storage may come from another node, which alone noted its imports. */
public final class LeadersPast {
    /** The format of the file {@code node}, whose content begins with a word for what happened last. */
    public static final StateFormat NODE = new StateFormat(DataFolder.NODE, 2, 256);

    /** The node leads by its configuration, and was never promoted. */
    private static final String LED = "led ";

    private LeadersPast() {}

    /** Returns whether a storage followed another one, was promoted, or cannot exclude it. */
    static boolean isPossible(StateFiles files, UpdateLog log) throws StorageException {
        if (log.tip().epoch().number() > 1) {
            // Only a promotion begins such an epoch.
            return true;
        }
        if (!Files.exists(files.place(NODE))) {
            return false;
        }
        Optional<byte[]> content = files.peek(NODE, log.storageId());
        return content.isEmpty()
                || !new String(content.get(), StandardCharsets.ISO_8859_1).startsWith(LED);
    }
}
