package dev.weir.storage.redis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.weir.model.failure.Reason;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.state.StateFormat;
import org.jspecify.annotations.Nullable;

/**
 * How far a node has come with Redis, in a file of its folder. Without the file, a node does not know which of its
 * updates Redis has: it takes another name and offers what it holds.
 *
 * @param node the random name of the node
 * @param base the revision at which the node joined; Redis has never been sent earlier updates
 * @param place where the hashes are in Redis, see {@code SharedSettings.place}; empty if unknown
 * @param runs random names of the last runs of the node, the newest first
 * @param heard when Redis was last heard of, by its own clock, in seconds since 1970; 0 for never
 * @param shards one for each stream
 */
@SuppressWarnings("ArrayRecordComponent") // handed on within the package, never compared
public record SharedPosition(String node, long base, String place, List<String> runs, long heard, Shard[] shards) {
    private static final StateFormat FORMAT = new StateFormat(DataFolder.SHARED, 2, 1 << 20);
    private static final String OLD_HEAD = "weir shared 1\n";
    private static final Pattern NODE = Pattern.compile("node ([0-9a-f]{16}) ([0-9]{1,18})");
    private static final Pattern PLACE = Pattern.compile("place ([!-~]{0,2000})");
    private static final Pattern RUNS = Pattern.compile("runs ([0-9a-f,]*)");
    private static final Pattern HEARD = Pattern.compile("heard ([0-9]{1,12})");
    private static final Pattern SHARD = Pattern.compile("shard ([0-9a-f]{16}|-) ([0-9]{1,18}) ([0-9a-f]{16}|-) "
            + "(-?[0-9]{1,18}) ([0-9]{1,18})(?: ([0-9a-f=,-]*)(?: ([0-9a-f,]*))?)?");
    private static final Pattern REVISION = Pattern.compile("([0-9a-f]{16})=(-?[0-9]{1,18})");
    private static final Pattern RUN = Pattern.compile("[0-9a-f]{16}");
    private static final int MAX_OLD = 1 << 16;
    private static final int HEAD_LINES = 4;

    /** A Redis that comes back older knows an earlier run of this node. */
    private static final int MAX_RUNS = 100;

    /** The epoch of a shard that was never reached. */
    public static final String NONE = "-";

    /** Copies the runs. */
    public SharedPosition {
        runs = List.copyOf(runs);
    }

    /**
     * The place in a stream.
     *
     * @param epoch the random name that the first node gave the shard; {@link #NONE} before the first contact
     * @param entry the number of the last entry that the store or the log of this node has; 0 before the first
     * @param mark the mark of that entry, by which the stream is recognized
     * @param pushed the last revision of this node that Redis was known to have; -1 for none
     * @param reflected the states up to the entry have all updates of this node up to this revision
     * @param revisions the last revision of each node that the states up to the entry have
     * @param answered the turns of other nodes without an end after which this node has put back what it holds
     */
    public record Shard(String epoch, long entry, String mark, long pushed, long reflected, Map<String, Long> revisions,
            Set<String> answered) {
        /** Copies the collections. */
        public Shard {
            revisions = Map.copyOf(revisions);
            answered = Set.copyOf(answered);
        }

        /** Before the first contact. */
        public static Shard unknown(long base) {
            return new Shard(NONE, 0, NONE, -1, base, Map.of(), Set.of());
        }

        public Shard withPushed(long revision) {
            return new Shard(epoch, entry, mark, revision, reflected, revisions, answered);
        }

        public boolean isKnown() {
            return !epoch.equals(NONE);
        }
    }

    /** Returns the position of a new node. */
    public static SharedPosition begin(String node, long base, String place, int shards) {
        Shard[] all = new Shard[shards];
        Arrays.fill(all, Shard.unknown(base));
        return new SharedPosition(node, base, place, List.of(), 0, all);
    }

    /** Returns a copy for another run of the node. */
    public SharedPosition during(String run, String where) {
        List<String> all = new ArrayList<>(List.of(run));
        all.addAll(runs.subList(0, Math.min(runs.size(), MAX_RUNS - 1)));
        return new SharedPosition(node, base, where, all, heard, shards);
    }

    public SharedPosition withHeard(long seconds) {
        return new SharedPosition(node, base, place, runs, seconds, shards);
    }

    /** Returns the last update of this node that all shards have. */
    public long reflected() {
        return Arrays.stream(shards).mapToLong(Shard::reflected).min().orElse(Long.MAX_VALUE);
    }

    public SharedPosition copy() {
        return new SharedPosition(node, base, place, runs, heard, shards.clone());
    }

    /**
     * Reads the file of a folder.
     *
     * @param storage the number of the storage; 0 for any
     * @return empty if there is none, or if it was damaged and is kept aside now
     * @throws StorageException if it cannot be read
     */
    public static Optional<SharedPosition> read(StateFiles files, long storage) throws StorageException {
        Optional<SharedPosition> old = readOld(files.place(FORMAT));
        if (old.isPresent()) {
            return old;
        }
        Optional<byte[]> content = files.read(FORMAT, storage);
        if (content.isEmpty()) {
            return Optional.empty();
        }
        Optional<SharedPosition> known = parse(new String(content.get(), StandardCharsets.ISO_8859_1));
        if (known.isEmpty()) {
            files.setAside(FORMAT, "its content is not that of a position");
        }
        return known;
    }

    /** Returns whether a position of the folder was damaged and is kept aside. */
    public static boolean isAside(StateFiles files) throws StorageException {
        Path aside = files.place(FORMAT).resolveSibling(DataFolder.ASIDE);
        if (!Files.isDirectory(aside)) {
            return false;
        }
        try (Stream<Path> kept = Files.list(aside)) {
            return kept.anyMatch(one -> one.getFileName().toString().startsWith(FORMAT.name() + "."));
        } catch (IOException e) {
            throw new StorageException(aside + " cannot be read: " + Reason.of(e), e);
        }
    }

    /** Reads the format before, which had no checksum. */
    private static Optional<SharedPosition> readOld(Path file) throws StorageException {
        try {
            if (Files.size(file) > MAX_OLD) {
                return Optional.empty();
            }
            String text = Files.readString(file, StandardCharsets.ISO_8859_1);
            int line = text.indexOf('\n', OLD_HEAD.length());
            return !text.startsWith(OLD_HEAD) || line < 0
                    ? Optional.empty()
                    : parse(text.substring(OLD_HEAD.length(), line) + "\nplace \nruns \nheard 0"
                            + text.substring(line));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new StorageException(file + " cannot be read: " + Reason.of(e), e);
        }
    }

    /** Reads the content of a file; empty if it is something else. */
    public static Optional<SharedPosition> parse(String text) {
        String[] lines = text.stripTrailing().split("\n", -1);
        if (lines.length <= HEAD_LINES) {
            return Optional.empty();
        }
        Matcher node = NODE.matcher(lines[0]);
        Matcher place = PLACE.matcher(lines[1]);
        Matcher runs = RUNS.matcher(lines[2]);
        Matcher heard = HEARD.matcher(lines[HEAD_LINES - 1]);
        if (!node.matches() || !place.matches() || !runs.matches() || !heard.matches()
                || !items(runs.group(1)).stream().allMatch(run -> RUN.matcher(run).matches())) {
            return Optional.empty();
        }
        Shard[] shards = new Shard[lines.length - HEAD_LINES];
        for (int i = 0; i < shards.length; i++) {
            Matcher shard = SHARD.matcher(lines[i + HEAD_LINES]);
            if (!shard.matches()) {
                return Optional.empty();
            }
            Map<String, Long> revisions = new TreeMap<>();
            for (String pair : items(shard.group(6))) {
                Matcher revision = REVISION.matcher(pair);
                if (!revision.matches()) {
                    return Optional.empty();
                }
                revisions.put(revision.group(1), Long.parseLong(revision.group(2)));
            }
            List<String> answered = items(shard.group(7));
            if (!answered.stream().allMatch(turn -> RUN.matcher(turn).matches())) {
                return Optional.empty();
            }
            shards[i] = new Shard(shard.group(1), Long.parseLong(shard.group(2)), shard.group(3),
                    Long.parseLong(shard.group(4)), Long.parseLong(shard.group(5)), revisions, Set.copyOf(answered));
        }
        return Optional.of(new SharedPosition(node.group(1), Long.parseLong(node.group(2)), place.group(1),
                items(runs.group(1)), Long.parseLong(heard.group(1)), shards));
    }

    private static List<String> items(@Nullable String text) {
        return text == null ? List.of() : Arrays.stream(text.split(",", -1)).filter(one -> !one.isEmpty()).toList();
    }

    /** Replaces the file of a folder. */
    public void write(StateFiles files, long storage) throws StorageException {
        try {
            files.write(FORMAT, storage, text().getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new StorageException(files.place(FORMAT) + " cannot be written: " + Reason.of(e), e);
        }
    }

    /** Returns the content of the file. */
    public String text() {
        StringBuilder text = new StringBuilder("node " + node + " " + base + "\nplace " + place + "\nruns "
                + String.join(",", runs) + "\nheard " + heard + "\n");
        for (Shard shard : shards) {
            text.append("shard ").append(shard.epoch).append(' ').append(shard.entry).append(' ').append(shard.mark)
                    .append(' ').append(shard.pushed).append(' ').append(shard.reflected).append(' ')
                    .append(new TreeMap<>(shard.revisions).entrySet().stream()
                            .map(one -> one.getKey() + "=" + one.getValue()).collect(Collectors.joining(",")))
                    .append(' ').append(String.join(",", new TreeSet<>(shard.answered))).append('\n');
        }
        return text.toString();
    }
}
