package dev.weir.storage.shared;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.storage.StorageException;
import dev.weir.storage.log.FolderDisk;

/**
 * How far a node has come with Redis, in a file of its folder.
 *
 * @param node the random name of the node
 * @param base the revision at which the node joined; Redis has never been sent earlier updates
 * @param shards one for each stream
 */
@SuppressWarnings("ArrayRecordComponent") // handed on within the package, never compared
record SharedPosition(String node, long base, Shard[] shards) {
    private static final String HEAD = "weir shared 1";
    private static final Pattern NODE = Pattern.compile("node ([0-9a-f]{16}) ([0-9]{1,18})");
    private static final Pattern SHARD = Pattern
            .compile("shard ([0-9a-f]{16}|-) ([0-9]{1,18}) ([0-9a-f]{16}|-) (-?[0-9]{1,18}) ([0-9]{1,18})");
    private static final int MAX_SIZE = 1 << 16;

    /** The epoch of a shard that was never reached. */
    static final String NONE = "-";

    /**
     * The place in a stream.
     *
     * @param epoch the random name that the first node gave the shard; {@link #NONE} before the first contact
     * @param entry the number of the last entry that the store or the log of this node has; 0 before the first
     * @param mark the mark of that entry, by which the stream is recognized
     * @param pushed the last revision of this node that Redis was known to have; -1 for none
     * @param reflected the states up to the entry have all updates of this node up to this revision
     */
    record Shard(String epoch, long entry, String mark, long pushed, long reflected) {
        /** Before the first contact. */
        static Shard unknown(long base) {
            return new Shard(NONE, 0, NONE, -1, base);
        }

        Shard withPushed(long revision) {
            return new Shard(epoch, entry, mark, revision, reflected);
        }
    }

    /** Returns the position of a new node. */
    static SharedPosition begin(String node, long base, int shards) {
        Shard[] all = new Shard[shards];
        Arrays.fill(all, Shard.unknown(base));
        return new SharedPosition(node, base, all);
    }

    /** Returns the last update of this node that all shards have. */
    long reflected() {
        return Arrays.stream(shards).mapToLong(Shard::reflected).min().orElse(Long.MAX_VALUE);
    }

    SharedPosition copy() {
        return new SharedPosition(node, base, shards.clone());
    }

    /**
     * Reads a file.
     *
     * @return empty if it does not exist
     * @throws StorageException if it cannot be read or is something else
     */
    static Optional<SharedPosition> read(Path file) throws StorageException {
        String text;
        try {
            if (Files.size(file) > MAX_SIZE) {
                throw malformed(file);
            }
            text = Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new StorageException(file + " cannot be read: " + e.getMessage(), e);
        }
        String[] lines = text.strip().split("\n", -1);
        Matcher node = NODE.matcher(lines.length < 3 ? "" : lines[1]);
        if (!lines[0].equals(HEAD) || !node.matches()) {
            throw malformed(file);
        }
        Shard[] shards = new Shard[lines.length - 2];
        for (int i = 0; i < shards.length; i++) {
            Matcher shard = SHARD.matcher(lines[i + 2]);
            if (!shard.matches()) {
                throw malformed(file);
            }
            shards[i] = new Shard(shard.group(1), Long.parseLong(shard.group(2)), shard.group(3),
                    Long.parseLong(shard.group(4)), Long.parseLong(shard.group(5)));
        }
        return Optional.of(new SharedPosition(node.group(1), Long.parseLong(node.group(2)), shards));
    }

    private static StorageException malformed(Path file) {
        return new StorageException(file + " has another format than this program writes; the node does not know "
                + "which of its updates the shared Redis has");
    }

    /** Replaces a file. */
    void write(Path file) throws StorageException {
        StringBuilder text = new StringBuilder(HEAD + "\nnode " + node + " " + base + "\n");
        for (Shard shard : shards) {
            text.append("shard ").append(shard.epoch).append(' ').append(shard.entry).append(' ').append(shard.mark)
                    .append(' ').append(shard.pushed).append(' ').append(shard.reflected).append('\n');
        }
        try {
            FolderDisk.replace(file, text.toString().getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new StorageException(file + " cannot be written: " + e.getMessage(), e);
        }
    }
}
