package dev.weir.storage.replication;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.queue.Role;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.state.StateFormat;
import dev.weir.storage.transfer.storage.LeadersPast;

/**
 * What a node remembers beyond its configuration, in a state file of its data folder: that it leads or was promoted,
 * that another node leads, or that it has a copy of its leader.
 *
 * @param state what happened last
 * @param leader the leader that the configuration named then, as its public key; {@code -} for none
 * @param epoch the number of the highest epoch known
 * @param branch the branch of the epoch that a promotion begins; otherwise 0
 */
record NodeFile(State state, String leader, int epoch, int branch) {
    /** What happened last. */
    enum State {
        /** The node leads by its configuration, and was never promoted. */
        LED,
        /** The node has a copy of its leader, and followed it. */
        FOLLOWED,
        /** The node was promoted. */
        PROMOTED,
        /** The node is being promoted. The log tells whether it has begun the epoch. */
        PROMOTING,
        /** The node met a higher epoch. */
        FENCED,
        /** The file was lost, so nothing tells who leads. */
        UNKNOWN
    }

    private static final StateFormat FORMAT = LeadersPast.NODE;
    private static final Pattern CONTENT = Pattern
            .compile("(led|followed|promoted|promoting|fenced|unknown) (-|[a-z0-9]{40,64}) (\\d{1,9}) ([0-9a-f]{8})\n");
    private static final Pattern FIRST_VERSION = Pattern
            .compile("weir node 1 (followed|promoted|fenced) (-|[a-z0-9]{40,64}) (\\d{1,9})\n");

    NodeFile(State state, String leader, int epoch) {
        this(state, leader, epoch, 0);
    }

    /** Returns the name of a leader in this file. */
    static String nameOf(ReplicationSettings settings) {
        ReplicationSettings.Upstream upstream = settings.upstream();
        return upstream == null ? "-" : upstream.key().base32();
    }

    /**
     * Reads the file of a data folder. A file that was lost or is damaged becomes one of the state {@link
     * State#UNKNOWN}: a node must not guess who leads.
     *
     * @param storage the number of the storage; 0 if the folder has none yet
     * @param log the epoch of the log, which may be of a promotion whose end was not noted
     * @return empty for a folder in which no node has run
     * @throws StorageException if the file cannot be read or written
     */
    static Optional<NodeFile> read(StateFiles files, ReplicationSettings settings, long storage, LeaderEpoch log)
            throws StorageException {
        Path file = files.place(FORMAT);
        boolean there = Files.exists(file);
        Optional<NodeFile> old = there ? firstVersion(file) : Optional.empty();
        if (old.isPresent()) {
            old.get().write(files, storage);
            return old;
        }
        Optional<NodeFile> read = files.read(FORMAT, storage).flatMap(content -> parse(content, CONTENT));
        if (read.isEmpty() && Files.exists(file)) {
            var _ = files.setAside(FORMAT, "it cannot be understood");
        }
        if (read.isEmpty() && (there || FollowerPositions.exist(files))) {
            NodeFile unknown = new NodeFile(State.UNKNOWN, nameOf(settings), log.number());
            unknown.write(files, storage);
            return Optional.of(unknown);
        }
        if (read.isPresent() && read.get().state() == State.PROMOTING) {
            NodeFile begun = read.get();
            boolean promoted = log.branch() == begun.branch() && log.number() > 0 && !log.fresh();
            NodeFile settled = promoted
                    ? new NodeFile(State.PROMOTED, begun.leader(), Math.max(begun.epoch(), log.number()))
                    : new NodeFile(begun.leader().equals("-") ? State.FENCED : State.FOLLOWED, begun.leader(),
                            begun.epoch());
            settled.write(files, storage);
            return Optional.of(settled);
        }
        return read;
    }

    private static Optional<NodeFile> firstVersion(Path file) throws StorageException {
        try {
            return Files.size(file) > FORMAT.maxBytes()
                    ? Optional.empty()
                    : parse(Files.readAllBytes(file), FIRST_VERSION);
        } catch (IOException e) {
            throw new StorageException(file + " cannot be read (" + Reason.of(e, file) + ")", e);
        }
    }

    private static Optional<NodeFile> parse(byte[] bytes, Pattern pattern) {
        Matcher content = pattern.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
        return content.matches()
                ? Optional.of(new NodeFile(State.valueOf(content.group(1).toUpperCase(Locale.ROOT)), content.group(2),
                        Integer.parseInt(content.group(3)),
                        content.groupCount() > 3 ? Integer.parseUnsignedInt(content.group(4), 16) : 0))
                : Optional.empty();
    }

    /** Writes the file durably, in place of the old one. */
    void write(StateFiles files, long storage) throws StorageException {
        String content = String.format(Locale.ROOT, "%s %s %d %08x\n", state.name().toLowerCase(Locale.ROOT), leader,
                epoch, branch);
        try {
            files.write(FORMAT, storage, content.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new StorageException(files.place(FORMAT) + " cannot be written: " + Reason.of(e), e);
        }
    }

    /** Returns the part of a node with this file. A promotion counts while the configuration names the same leader. */
    static Role.Part part(Optional<NodeFile> file, ReplicationSettings settings) {
        boolean promoted = file.filter(
                known -> known.state() == State.PROMOTED && known.leader().equals(nameOf(settings))).isPresent();
        if (settings.upstream() != null) {
            return promoted ? Role.Part.LEADER : Role.Part.FOLLOWER;
        }
        return file.filter(known -> known.state() == State.FENCED || known.state() == State.UNKNOWN).isPresent()
                ? Role.Part.FENCED
                : Role.Part.LEADER;
    }
}
