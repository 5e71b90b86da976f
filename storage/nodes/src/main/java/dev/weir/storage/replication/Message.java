package dev.weir.storage.replication;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.RecentPlace;
import dev.weir.storage.log.SentUpdates;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.notes.NodeNotes;

/**
 * The messages between a follower and its leader, in little endian: four bytes {@code WRP3}, the kind, the fields in
 * the order of the components. Every question has one answer, and repeating a question is harmless.
 */
public sealed interface Message {
    /** The most nodes between a node and the leader of all, which bounds the path in an answer. */
    int MAX_PATH = 32;

    /** The most characters of a reason. */
    int MAX_REASON = 512;

    /**
     * The question for the updates after a revision. It also says that the follower has everything up to this revision
     * on its disk.
     *
     * @param node the number of the follower's process
     * @param epoch the epoch of the follower
     * @param revision the last revision of the follower
     * @param checksum the running checksum of the follower up to this revision
     * @param mostBytes the size of the updates in the answer, roughly
     * @param waitMillis how long the leader may wait if there is nothing new
     */
    record Pull(long node, LeaderEpoch epoch, long revision, long checksum, int mostBytes, int waitMillis)
            implements
                Message {}

    /**
     * The answer to {@link Pull} if the leader continues the history of the follower.
     *
     * @param epoch the epoch of the leader
     * @param revision the last revision of the leader
     * @param millis when the leader took its last update, in milliseconds since 1970; 0 if it had none since its start
     * @param now the clock of the leader, in milliseconds since 1970
     * @param session a number of the leader's process that {@link Forward} repeats
     * @param path the numbers of the processes from the leader up to the leader of all
     * @param from the revision before the first update
     * @param before the running checksum up to there
     * @param after the running checksum after the last update
     * @param updates the updates with consecutive revisions
     */
    record Batch(LeaderEpoch epoch, long revision, long millis, long now, long session, List<Long> path, long from,
            long before, long after, List<LoggedUpdate> updates) implements Message {
        /** Copies the lists. */
        public Batch {
            path = List.copyOf(path);
            updates = List.copyOf(updates);
        }
    }

    /**
     * The answer if the leader cannot continue the history of the follower from its log.
     *
     * @param storage the number of the leader's storage
     * @param at the end of the leader's log
     * @param from the last revision of the follower, as in the question
     * @param before the running checksum of the follower up to there, as in the question
     * @param proven whether the leader had exactly these updates, so that the follower has nothing that it lacks
     * @param fork the place where the epoch of the leader began; empty if its checksum is not known any more
     * @param reason why
     */
    record Unfit(long storage, UpdateLog.Tip at, long from, long before, boolean proven, Optional<Fork> fork,
            String reason) implements Message {
        /** Returns the epoch of the leader. */
        public LeaderEpoch epoch() {
            return at.epoch();
        }
    }

    /**
     * A place in a history.
     *
     * @param checksum the running checksum up to the revision
     */
    record Fork(long revision, long checksum) {}

    /**
     * The answer if the leader does not serve the follower now.
     *
     * @param epoch the epoch of the leader
     * @param reason why
     */
    record Refused(LeaderEpoch epoch, String reason) implements Message {}

    /**
     * The question for a part of a checkpoint.
     *
     * @param node the number of the follower's process
     * @param token 0 to begin; afterwards the number that the first part named
     * @param part the number of the part, from 0; the last one may be asked for again
     */
    record Fetch(long node, long token, int part) implements Message {}

    /**
     * A part of a checkpoint. The first parts, if any, have the last updates before it, whose requests clients may
     * still repeat; the others have bytes of a dump (docs/reference/dump.md).
     *
     * @param token identifies the checkpoint
     * @param part its number
     * @param last whether it is the last one
     * @param recent whether it has updates
     * @param storage the number of the leader's storage
     * @param epoch the epoch of the leader
     * @param revision the last update that the checkpoint has
     * @param checksum the running checksum up to there
     * @param start the place after which the updates begin; the end of the checkpoint if there are none
     * @param hashes about how many hashes the checkpoint has; -1 if unknown
     * @param bytes the content
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Part(long token, int part, boolean last, boolean recent, long storage, LeaderEpoch epoch, long revision,
            long checksum, RecentPlace start, long hashes, byte[] bytes) implements Message {
        /** Returns the updates of a part that has some. */
        List<LoggedUpdate> updates() throws MessageException {
            return Message.updates(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
        }
    }

    /**
     * Updates of the follower's clients, for the leader.
     *
     * @param node the number of the follower's process
     * @param session as in {@link Batch}; others are refused, so that old ones cannot be sent again
     * @param number greater than that of every earlier question of this node
     * @param updates the updates with their origins; revisions and times of acceptance do not count
     */
    record Forward(long node, long session, long number, List<LoggedUpdate> updates) implements Message {
        /** Copies the list. */
        public Forward {
            updates = List.copyOf(updates);
        }
    }

    /**
     * The outcomes of {@link Forward}.
     *
     * @param number that of the question, so that an old answer cannot pass for a new one
     * @param stored for each update whether the leader acknowledged it
     */
    record Outcomes(long number, List<Boolean> stored) implements Message {
        /** Copies the list. */
        public Outcomes {
            stored = List.copyOf(stored);
        }
    }

    /**
     * What nodes tell each other besides updates: the note of a follower as a question, that of the leader as the
     * answer ({@link dev.weir.storage.notes.NodeNotes}).
     *
     * @param node the number of the process that wrote it
     * @param bytes the note
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Note(long node, byte[] bytes) implements Message {}

    /** The version. Each change of a message raises it; a new kind does not, because nodes without it refuse it. */
    char VERSION = '3';

    /** The first three bytes of a message of any version: {@code WRP}. The fourth one is the version. */
    int NAME = 0x505257;

    /** The first bytes of a message. */
    int MAGIC = VERSION << 24 | NAME;

    /** Returns the bytes of a message. */
    static byte[] write(Message message) {
        return switch (message) {
            case Pull(long node, LeaderEpoch epoch, long revision, long checksum, int most, int wait) -> {
                ByteBuffer out = begin(64, 1);
                out.putLong(node);
                put(out, epoch);
                yield end(out.putLong(revision).putLong(checksum).putInt(most).putInt(wait));
            }
            case Batch batch -> {
                byte[] updates = bytes(batch.updates());
                ByteBuffer out = begin(128 + batch.path().size() * Long.BYTES + updates.length, 2);
                put(out, batch.epoch());
                out.putLong(batch.revision()).putLong(batch.millis()).putLong(batch.now()).putLong(batch.session())
                        .putInt(batch.path().size());
                batch.path().forEach(out::putLong);
                yield end(out.putLong(batch.from()).putLong(batch.before()).putLong(batch.after()).put(updates));
            }
            case Unfit unfit -> {
                ByteBuffer out = begin(128 + 4 * MAX_REASON, 3).putLong(unfit.storage());
                put(out, unfit.epoch());
                out.putLong(unfit.at().revision()).putLong(unfit.at().checksum()).putLong(unfit.from())
                        .putLong(unfit.before()).put((byte) (unfit.proven() ? 1 : 0))
                        .put((byte) (unfit.fork().isPresent() ? 1 : 0));
                unfit.fork().ifPresent(fork -> out.putLong(fork.revision()).putLong(fork.checksum()));
                put(out, unfit.reason());
                yield end(out);
            }
            case Refused refused -> {
                ByteBuffer out = begin(64 + 4 * MAX_REASON, 4);
                put(out, refused.epoch());
                put(out, refused.reason());
                yield end(out);
            }
            case Fetch(long node, long token, int part) -> end(
                    begin(32, 5).putLong(node).putLong(token).putInt(part));
            case Part part -> {
                ByteBuffer out = begin(128 + part.bytes().length, 6);
                out.putLong(part.token()).putInt(part.part()).put((byte) (part.last() ? 1 : 0))
                        .put((byte) (part.recent() ? 1 : 0)).putLong(part.storage());
                put(out, part.epoch());
                yield end(out.putLong(part.revision()).putLong(part.checksum()).putLong(part.start().revision())
                        .put((byte) (part.start().checksum().isPresent() ? 1 : 0))
                        .putLong(part.start().checksum().orElse(0)).putLong(part.hashes()).put(part.bytes()));
            }
            case Forward forward -> {
                byte[] updates = bytes(forward.updates());
                yield end(begin(64 + updates.length, 7).putLong(forward.node()).putLong(forward.session())
                        .putLong(forward.number()).put(updates));
            }
            case Outcomes outcomes -> {
                ByteBuffer out = begin(16 + outcomes.stored().size(), 8).putLong(outcomes.number());
                outcomes.stored().forEach(stored -> out.put((byte) (stored ? 1 : 0)));
                yield end(out);
            }
            case Note note -> end(begin(16 + note.bytes().length, 9).putLong(note.node()).put(note.bytes()));
        };
    }

    /** Returns the bytes of updates. */
    static byte[] bytes(List<LoggedUpdate> updates) {
        SentUpdates sent = new SentUpdates();
        updates.forEach(sent::add);
        return sent.toBytes();
    }

    private static ByteBuffer begin(int room, int kind) {
        return ByteBuffer.allocate(room).order(ByteOrder.LITTLE_ENDIAN).putInt(MAGIC).put((byte) kind);
    }

    private static byte[] end(ByteBuffer out) {
        byte[] bytes = new byte[out.position()];
        out.get(0, bytes);
        return bytes;
    }

    private static void put(ByteBuffer out, LeaderEpoch epoch) {
        out.putInt(epoch.number()).putInt(epoch.branch()).putLong(epoch.first()).put((byte) (epoch.fresh() ? 1 : 0));
    }

    private static void put(ByteBuffer out, String text) {
        String part = text.length() > MAX_REASON ? text.substring(0, MAX_REASON) : text;
        byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
        out.putShort((short) bytes.length).put(bytes);
    }

    /**
     * Reads a message.
     *
     * @throws MessageException if the bytes are no message that this program knows
     */
    static Message read(byte[] bytes) throws MessageException {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        try {
            int magic = in.getInt();
            int version = magic >>> 24;
            if (magic != MAGIC && (magic & 0xff_ffff) == NAME && version >= '1' && version <= '9') {
                throw new MessageException("it has version " + (char) version + " of the feed, and this node speaks "
                        + "version " + VERSION + ": both nodes need the same release of Weir");
            }
            if (magic != MAGIC) {
                throw new MessageException("it is not a message of this version of replication");
            }
            Message message = read(in, in.get());
            if (in.hasRemaining()) {
                throw new MessageException("something follows the message");
            }
            return message;
        } catch (BufferUnderflowException e) {
            throw new MessageException("it ends too early");
        }
    }

    private static Message read(ByteBuffer in, int kind) throws MessageException {
        return switch (kind) {
            case 1 -> new Pull(in.getLong(), epoch(in), in.getLong(), in.getLong(), in.getInt(), in.getInt());
            case 2 -> new Batch(epoch(in), in.getLong(), in.getLong(), in.getLong(), in.getLong(), path(in),
                    in.getLong(), in.getLong(), in.getLong(), updates(in));
            case 3 -> unfit(in);
            case 4 -> new Refused(epoch(in), text(in));
            case 5 -> new Fetch(in.getLong(), in.getLong(), in.getInt());
            case 6 -> new Part(in.getLong(), in.getInt(), in.get() != 0, in.get() != 0, in.getLong(), epoch(in),
                    in.getLong(), in.getLong(), place(in), in.getLong(), rest(in));
            case 7 -> new Forward(in.getLong(), in.getLong(), in.getLong(), updates(in));
            case 8 -> new Outcomes(in.getLong(), outcomes(rest(in)));
            case 9 -> new Note(in.getLong(), note(in));
            default -> throw new MessageException("it is of the unknown kind " + kind);
        };
    }

    private static Unfit unfit(ByteBuffer in) throws MessageException {
        long storage = in.getLong();
        LeaderEpoch epoch = epoch(in);
        UpdateLog.Tip at = new UpdateLog.Tip(in.getLong(), in.getLong(), epoch);
        long from = in.getLong();
        long before = in.getLong();
        boolean proven = in.get() != 0;
        Optional<Fork> fork = in.get() != 0 ? Optional.of(new Fork(in.getLong(), in.getLong())) : Optional.empty();
        return new Unfit(storage, at, from, before, proven, fork, text(in));
    }

    private static RecentPlace place(ByteBuffer in) {
        long revision = in.getLong();
        boolean known = in.get() != 0;
        long checksum = in.getLong();
        return new RecentPlace(revision, known ? OptionalLong.of(checksum) : OptionalLong.empty());
    }

    private static LeaderEpoch epoch(ByteBuffer in) throws MessageException {
        LeaderEpoch epoch = new LeaderEpoch(in.getInt(), in.getInt(), in.getLong(), in.get() != 0);
        if (epoch.number() < 0 || epoch.first() < 0) {
            throw new MessageException("it has an impossible epoch");
        }
        return epoch;
    }

    private static List<Long> path(ByteBuffer in) throws MessageException {
        int length = in.getInt();
        if (length < 0 || length > MAX_PATH) {
            throw new MessageException("it has a path of " + length + " nodes");
        }
        List<Long> path = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            path.add(in.getLong());
        }
        return path;
    }

    private static List<LoggedUpdate> updates(ByteBuffer in) throws MessageException {
        return SentUpdates.read(in).orElseThrow(() -> new MessageException("an update in it is damaged"));
    }

    private static String text(ByteBuffer in) throws MessageException {
        int length = in.getShort();
        if (length < 0 || length > in.remaining()) {
            throw new MessageException("a text in it is too long");
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] note(ByteBuffer in) throws MessageException {
        if (in.remaining() > NodeNotes.MOST_BYTES) {
            throw new MessageException("it has a note of " + in.remaining() + " bytes");
        }
        return rest(in);
    }

    private static byte[] rest(ByteBuffer in) {
        byte[] bytes = new byte[in.remaining()];
        in.get(bytes);
        return bytes;
    }

    private static List<Boolean> outcomes(byte[] bytes) {
        List<Boolean> stored = new ArrayList<>(bytes.length);
        for (byte each : bytes) {
            stored.add(each != 0);
        }
        return stored;
    }
}
