package dev.weir.storage.replication;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.queue.Role;

/**
 * What a node remembers beyond its configuration, in a file of its data folder: that it was promoted, that another node
 * leads, or that it has a copy of its leader.
 *
 * @param state what happened last
 * @param leader the leader that the configuration named then, as its public key; {@code -} for none
 * @param epoch the number of the highest epoch known
 */
record NodeFile(State state, String leader, int epoch) {
    /** What happened last. */
    enum State {
        /** The node has a copy of its leader, and followed it. */
        FOLLOWED,
        /** The node was promoted. */
        PROMOTED,
        /** The node met a higher epoch. */
        FENCED
    }

    private static final int MAX_SIZE = 256;
    private static final Pattern CONTENT = Pattern
            .compile("weir node 1 (followed|promoted|fenced) (-|[a-z0-9]{40,64}) (\\d{1,9})\n");

    /** Returns the name of a leader in this file. */
    static String nameOf(ReplicationSettings settings) {
        ReplicationSettings.Upstream upstream = settings.upstream();
        return upstream == null ? "-" : upstream.key().base32();
    }

    /**
     * Reads the file of a data folder.
     *
     * @return empty if there is none
     * @throws StorageException if it cannot be read or understood; a node must not guess who leads
     */
    static Optional<NodeFile> read(Path data) throws StorageException {
        Path file = data.resolve(DataFolder.NODE);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            String text = Files.size(file) > MAX_SIZE ? "" : Files.readString(file, StandardCharsets.US_ASCII);
            Matcher content = CONTENT.matcher(text);
            if (!content.matches()) {
                throw new StorageException(file + " cannot be understood: delete it if this node has never been"
                        + " promoted, and no other node leads in its place");
            }
            State state = switch (content.group(1)) {
                case "promoted" -> State.PROMOTED;
                case "fenced" -> State.FENCED;
                default -> State.FOLLOWED;
            };
            return Optional.of(new NodeFile(state, content.group(2), Integer.parseInt(content.group(3))));
        } catch (IOException e) {
            throw new StorageException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** Writes the file durably, in place of the old one. */
    void write(Path data) throws StorageException {
        Path file = data.resolve(DataFolder.NODE);
        String content = "weir node 1 " + state.name().toLowerCase(Locale.ROOT) + " " + leader + " " + epoch + "\n";
        try {
            FolderDisk.replace(file, content.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new StorageException(file + " cannot be written: " + e.getMessage(), e);
        }
    }

    /** Returns the part of a node with this file. A promotion counts while the configuration names the same leader. */
    static Role.Part part(Optional<NodeFile> file, ReplicationSettings settings) {
        boolean promoted = file.filter(
                known -> known.state() == State.PROMOTED && known.leader().equals(nameOf(settings))).isPresent();
        if (settings.upstream() != null) {
            return promoted ? Role.Part.LEADER : Role.Part.FOLLOWER;
        }
        return file.filter(known -> known.state() == State.FENCED).isPresent() ? Role.Part.FENCED : Role.Part.LEADER;
    }
}
