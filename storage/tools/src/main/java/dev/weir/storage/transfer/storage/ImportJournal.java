package dev.weir.storage.transfer.storage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.model.failure.Reason;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.LogMark;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.state.StateFormat;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.ImportProgress;
import dev.weir.storage.transfer.Merge;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small file with the progress of imports. Each line has the rule of merging, the fingerprint of the source, the
 * position after which the batch in progress begins, and the ends of the log before the first batch and before this
 * one. The file is on disk before the first update of the batch, so what the log has after that update tells which part
 * was done.
 *
 * <p>An entry counts only if the log still has the history in which it was noted. A storage that was restored from an
 * older copy lacks what the entry says.
 */
final class ImportJournal {
    static final StateFormat FORMAT = new StateFormat(DataFolder.IMPORTS, 1, 1 << 20);

    private static final Logger LOG = LoggerFactory.getLogger(ImportJournal.class);
    private static final String LOST = "lost";
    private static final String WAYS = "use --restart to add it (what was added before then counts twice), or --merge "
            + "max";
    private static final Pattern LINE = Pattern
            .compile("((?:add|max|keep) [0-9a-f]{16}) (-?[0-9]{1,19}) (\\S+) (\\S+)");
    private static final Pattern OLD_LINE = Pattern
            .compile("((?:add|max|keep) [0-9a-f]{16}) (0|-?[1-9][0-9]{0,18}) (0|[1-9][0-9]{0,18})");

    private final StateFiles files;
    private final UpdateLog log;
    private final Merge merge;
    private final String name;
    private final Map<String, Entry> entries = new TreeMap<>();
    /** Whether an earlier file was damaged or lost, so that complete imports may be forgotten. */
    private boolean lost;

    /**
     * The beginning of a batch.
     *
     * @param begun the end of the log before the import
     * @param mark the end of the log before the batch, or after a complete import
     * @param old whether an earlier version noted it, which did not note the history of the log
     */
    record Entry(long position, LogMark begun, LogMark mark, boolean old) {}

    private ImportJournal(StateFiles files, UpdateLog log, Merge merge, long fingerprint) {
        this.files = files;
        this.log = log;
        this.merge = merge;
        this.name = ImportProgress.name(merge, fingerprint);
    }

    /**
     * Reads the file, which may be missing. A damaged one is kept aside.
     *
     * @param log the log of the storage into which the import goes
     * @throws StorageException if it cannot be read
     */
    static ImportJournal open(StateFiles files, UpdateLog log, Merge merge, long fingerprint)
            throws StorageException {
        ImportJournal journal = new ImportJournal(files, log, merge, fingerprint);
        boolean there = Files.exists(files.place(FORMAT));
        if (journal.readOld()) {
            return journal;
        }
        Optional<byte[]> content = files.read(FORMAT, log.storageId());
        if (content.isPresent() && !journal.parse(new String(content.get(), StandardCharsets.US_ASCII))) {
            files.setAside(FORMAT, "a line of it cannot be understood");
            content = Optional.empty();
        }
        if (there && content.isEmpty()) {
            journal.entries.clear();
            journal.lost = true;
            journal.save();
        }
        return journal;
    }

    /** Returns whether a folder has no file of imports. */
    static boolean isMissing(StateFiles files) {
        return !Files.exists(files.place(FORMAT));
    }

    /** Notes that the file is lost, although there were imports, so that complete ones may be forgotten. */
    void missing() throws StorageException {
        lost = true;
        save();
    }

    private boolean parse(String text) {
        for (String line : text.lines().toList()) {
            Matcher parts = LINE.matcher(line);
            Optional<LogMark> begun = parts.matches() ? LogMark.parse(parts.group(3)) : Optional.empty();
            Optional<LogMark> mark = parts.matches() ? LogMark.parse(parts.group(4)) : Optional.empty();
            if (line.equals(LOST)) {
                lost = true;
            } else if (begun.isPresent() && mark.isPresent()) {
                entries.put(parts.group(1),
                        new Entry(Long.parseLong(parts.group(2)), begun.get(), mark.get(), false));
            } else {
                return false;
            }
        }
        return true;
    }

    /**
     * Reads the file of an earlier version, which had no checksum. It counts if it is exactly what that version would
     * have written.
     */
    private boolean readOld() throws StorageException {
        Path place = files.place(FORMAT);
        try {
            if (!Files.exists(place) || Files.size(place) > FORMAT.maxBytes()) {
                return false;
            }
            String text = Files.readString(place, StandardCharsets.ISO_8859_1);
            Map<String, Entry> found = new TreeMap<>();
            for (String line : text.lines().toList()) {
                Matcher parts = OLD_LINE.matcher(line);
                if (!parts.matches()) {
                    return false;
                }
                LogMark mark = new LogMark(Long.parseLong(parts.group(3)), 0, 0, 0);
                found.put(parts.group(1), new Entry(Long.parseLong(parts.group(2)), mark, mark, true));
            }
            boolean whole = text.isEmpty() || text.endsWith("\n");
            if (whole) {
                entries.putAll(found);
            }
            return whole;
        } catch (NumberFormatException e) {
            return false;
        } catch (IOException e) {
            throw new StorageException("cannot read " + place + ": " + Reason.of(e, place), e);
        }
    }

    /** Returns the name of the import. */
    String name() {
        return name;
    }

    /**
     * Checks that it is known which part of the content the storage has, before an {@code add}.
     *
     * @param marks what the log has of the import, as far as it goes back
     * @param elsewhere whether the hashes may come from another node, which noted its imports in its own folder
     * @throws StorageException if it is not known
     */
    void requireKnown(ImportMarks marks, boolean elsewhere) throws StorageException {
        if (entries.containsKey(name)) {
            return;
        }
        if (marks.state() == ImportMarks.State.BEGUN) {
            throw new StorageException("an import of this content with --merge add began and did not end, and where it "
                    + "stopped was noted " + (elsewhere ? "at the node where it ran" : "in a file that was lost")
                    + "; " + WAYS);
        }
        if (elsewhere && !lost) {
            throw new StorageException(
                    "this node followed another one or was promoted. An import that ran elsewhere is noted there, "
                            + "and the update log of this node has no end of an import of this content, as far as it "
                            + "goes back; " + WAYS);
        }
    }

    /**
     * Begins an import.
     *
     * @param restart whether to ignore the progress of an earlier run
     * @return the position to continue from
     * @throws StorageException if an {@code add} of other content is incomplete, or if it cannot be known which part of
     *             this content the storage has already
     */
    long begin(boolean restart) throws StorageException {
        boolean changed = dropForeign(restart);
        if (!restart && lost && merge == Merge.ADD && !entries.containsKey(name)) {
            throw new StorageException("the file " + DataFolder.IMPORTS
                    + " was lost or damaged, and it is not known whether this content was added before; " + WAYS);
        }
        Map<String, Long> positions = new HashMap<>();
        entries.forEach((known, entry) -> positions.put(known, entry.position()));
        ImportProgress progress = ImportProgress.of(positions, name, restart);
        changed |= entries.keySet().removeAll(progress.obsolete());
        if (changed) {
            save();
        }
        return progress.position();
    }

    /** Removes the entries of a history that the log does not have. Returns whether there were some. */
    private boolean dropForeign(boolean restart) throws StorageException {
        boolean changed = false;
        for (Map.Entry<String, Entry> known : Map.copyOf(entries).entrySet()) {
            Entry entry = known.getValue();
            boolean own = known.getKey().equals(name);
            if (entry.old() || isHeld(entry.mark()) || (own && restart)) {
                continue;
            }
            boolean add = known.getKey().startsWith(Merge.ADD.key() + " ");
            if (add && !hasNothingOf(entry)) {
                if (own) {
                    throw new StorageException("an import of this content with --merge add was noted at update "
                            + entry.mark().revision()
                            + ", and the storage no longer has its history up to that one: it "
                            + "was restored from another copy, which may have a part of the content. Use --restart to "
                            + "add all of it (that part then counts twice), or --merge max");
                }
                continue;
            }
            LOG.warn("the note of an import ({}) at update {} does not count: the storage was restored from an older "
                    + "copy, which has nothing of it", known.getKey(), entry.mark().revision());
            entries.remove(known.getKey());
            changed = true;
        }
        return changed;
    }

    private boolean isHeld(LogMark mark) throws StorageException {
        return switch (mark.standing(log)) {
            case HELD, RELEASED -> true;
            case GONE, DOUBTFUL -> false;
        };
    }

    /** Returns whether the history of the storage ends, or leaves that of an import, before its first update. */
    private boolean hasNothingOf(Entry entry) throws StorageException {
        return switch (entry.begun().standing(log)) {
            case GONE -> true;
            case HELD -> log.tip().revision() == entry.begun().revision();
            case RELEASED, DOUBTFUL -> false;
        };
    }

    /** Returns the batch that was in progress when an earlier run ended, or null. */
    @Nullable
    Entry interrupted() {
        return entries.get(name);
    }

    /** Records the beginning of a batch at the end of the log. It is on disk when this returns. */
    void put(long position) throws StorageException {
        LogMark mark = LogMark.of(log.tip());
        Entry before = entries.get(name);
        entries.put(name, new Entry(position, before == null || before.old() ? mark : before.begun(), mark, false));
        save();
    }

    /** Records the completion. */
    void done() throws StorageException {
        if (merge == Merge.ADD) {
            put(HashTarget.DONE);
        } else if (entries.remove(name) != null) {
            save();
        }
    }

    private void save() throws StorageException {
        StringBuilder text = new StringBuilder();
        if (lost) {
            text.append(LOST).append('\n');
        }
        entries.forEach((known, entry) -> text.append(known).append(' ').append(entry.position()).append(' ')
                .append(entry.begun()).append(' ').append(entry.mark()).append('\n'));
        try {
            files.write(FORMAT, log.storageId(), text.toString().getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            Path place = files.place(FORMAT);
            throw new StorageException("cannot write " + place + ": " + Reason.of(e, place), e);
        }
    }
}
