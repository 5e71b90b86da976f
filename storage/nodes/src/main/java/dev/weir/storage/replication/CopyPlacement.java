package dev.weir.storage.replication;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

import dev.weir.model.failure.Reason;
import dev.weir.os.FolderSync;
import dev.weir.os.OwnerOnly;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.checkpoint.CheckpointView;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.engine.LastRun;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.StoppedLog;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.state.StateFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a complete {@link FreshCopy} in place of what it was made to replace, between two runs of a node. It first
 * verifies that the folder has that storage, at that place of its history. Otherwise the copy goes to the folder
 * {@value DataFolder#ASIDE}, and the content stays.
 *
 * <p>What is replaced goes to {@code kept-aside/replaced-TIME}, with store and log, so that it is a data folder that
 * {@code weir export} and {@code weir import} read. A later copy deletes an earlier one of these only if the leader has
 * shown that it had everything in it; then the last one stays. Others stay until an operator deletes them.
 */
final class CopyPlacement {
    private static final Logger LOG = LoggerFactory.getLogger(CopyPlacement.class);
    private static final String REPLACED = "replaced-";
    /** Ends the name of a folder whose updates the leader had, all of them, or that had none. */
    private static final String CONTAINED = "-contained";
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final List<String> OF_OLD_CONTENT = List.of(DataFolder.INDEX, DataFolder.MIRRORED,
            DataFolder.FOLLOWERS);

    private final DataFolder data;
    private final Path fresh;
    private final Path aside;
    private final InstantSource clock;

    private CopyPlacement(DataFolder data, InstantSource clock) {
        this.data = data;
        this.fresh = data.file(DataFolder.FRESH);
        this.aside = data.file(DataFolder.ASIDE);
        this.clock = clock;
    }

    /** The outcome. */
    sealed interface Outcome {
        /** There was no complete copy. */
        record Nothing() implements Outcome {}

        /** The copy is in place. */
        record Placed(CopyNote note) implements Outcome {}

        /** The copy is kept aside, because the folder is not what it was made to replace. */
        record SetAside(Trouble trouble) implements Outcome {}
    }

    /** Notes elsewhere that a copy is in place, before its own note is deleted. */
    @FunctionalInterface
    interface Placing {
        /** Notes it durably. */
        void placed(CopyNote note) throws StorageException;
    }

    /**
     * Puts a complete copy in place, and removes an incomplete one. An interruption is harmless: the next call goes on.
     *
     * @param folder a data folder that no storage uses
     */
    static Outcome run(Path folder, InstantSource clock, Placing placing) throws StorageException {
        if (!Files.exists(folder.resolve(DataFolder.FRESH))) {
            return new Outcome.Nothing();
        }
        try (DataFolder locked = DataFolder.openAny(folder)) {
            return new CopyPlacement(locked, clock).run(placing);
        } catch (IOException e) {
            throw new StorageException("the copy of the leader cannot be put in place in " + folder + ": "
                    + Reason.of(e), e);
        }
    }

    private Outcome run(Placing placing) throws IOException, StorageException {
        StateFiles files = new StateFiles(fresh, clock);
        if (!CopyNote.exists(files)) {
            FreshCopy.delete(fresh);
            return new Outcome.Nothing();
        }
        Optional<CopyNote> read = CopyNote.read(files);
        if (read.isEmpty()) {
            return setAside("its note is damaged or of another release");
        }
        CopyNote note = read.get();
        Path kept = aside.resolve(REPLACED + STAMP.format(Instant.ofEpochMilli(note.millis()))
                + (isContained(note) ? CONTAINED : ""));
        Path store = data.file(DataFolder.STORE);
        Path updates = data.file(DataFolder.UPDATES);
        Path freshStore = fresh.resolve(DataFolder.STORE);
        Path freshUpdates = fresh.resolve(DataFolder.UPDATES);
        if (!Files.exists(kept)) {
            String difference = difference(note);
            if (!difference.isEmpty()) {
                return setAside(difference);
            }
            OwnerOnly.createFolders(kept);
            FolderSync.force(aside);
        } else if ((Files.exists(freshStore) && Files.exists(store) && Files.exists(kept.resolve(DataFolder.STORE)))
                || (Files.exists(freshUpdates) && Files.exists(updates)
                        && Files.exists(kept.resolve(DataFolder.UPDATES)))) {
            return setAside("another content came into the folder while the copy was put in place");
        }
        if (Files.exists(freshStore)) {
            // The database follows the store, and is written again from the new one.
            new SqliteFile(data.database()).delete();
            for (String file : OF_OLD_CONTENT) {
                Files.deleteIfExists(data.file(file));
            }
            // They tell of the old storage. Beside the new one, a start would take them for damaged.
            keep(data.file(DataFolder.LOG_END), kept);
            keep(data.file(DataFolder.IMPORTS), kept);
            StateFiles staying = new StateFiles(data.file(""), clock);
            LastRun.handOver(staying, note.copied());
            staying.handOver(DataFolder.STAYING, note.copied());
            keep(store, kept);
        }
        if (Files.exists(freshUpdates)) {
            keep(updates, kept);
            Files.move(freshUpdates, updates, StandardCopyOption.ATOMIC_MOVE);
            FolderSync.force(data.file(""));
        }
        if (Files.exists(freshStore)) {
            // The store last: it decides of which storage the folder is.
            Files.move(freshStore, store, StandardCopyOption.ATOMIC_MOVE);
            FolderSync.force(data.file(""));
        }
        report(note, kept);
        placing.placed(note);
        // As long as the note of the copy is there, what it replaced must be there, too: the next call looks for it.
        FreshCopy.delete(fresh);
        FolderSync.force(data.file(""));
        if (note.ground() == Follower.Ground.EMPTY) {
            // It had nothing. A later copy deletes it as well.
            FreshCopy.delete(kept);
        }
        return new Outcome.Placed(note);
    }

    private static boolean isContained(CopyNote note) {
        return note.ground() == Follower.Ground.PROVEN || note.ground() == Follower.Ground.EMPTY;
    }

    private void keep(Path part, Path kept) throws IOException {
        if (Files.exists(part) && !Files.exists(kept.resolve(part.getFileName().toString()))) {
            Files.move(part, kept.resolve(part.getFileName().toString()), StandardCopyOption.ATOMIC_MOVE);
            FolderSync.force(kept);
            FolderSync.force(data.file(""));
        }
    }

    private void report(CopyNote note, Path kept) throws IOException {
        if (note.ground() == Follower.Ground.EMPTY) {
            return;
        }
        if (note.ground() == Follower.Ground.PROVEN) {
            deleteEarlierContained(kept);
            LOG.info("the content before the copy is in {}; the leader had all of its updates", kept);
            return;
        }
        LOG.warn("the content before the copy ended with update {} of epoch {}{}. It is in {}; \"weir import --data"
                + " DIR {}\" at the leader adds its hashes", note.end().revision(), note.end().epoch(),
                note.extra() < 0 ? "" : ", and the leader lacked its last " + note.extra() + " updates", kept, kept);
    }

    private void deleteEarlierContained(Path kept) throws IOException {
        try (Stream<Path> folders = Files.list(aside)) {
            for (Path earlier : folders.filter(path -> path.getFileName().toString().startsWith(REPLACED)
                    && path.getFileName().toString().endsWith(CONTAINED) && !path.equals(kept))
                    .sorted(Comparator.naturalOrder()).toList()) {
                FreshCopy.delete(earlier);
                LOG.info("{} was deleted: a later one is kept, and the leader had everything in it", earlier);
            }
        }
    }

    /** Returns how the folder differs from what the copy was made to replace; empty if it does not. */
    private String difference(CopyNote note) throws StorageException {
        try {
            Path folder = data.file("");
            String copy = copyDifference(note);
            if (!copy.isEmpty()) {
                return copy;
            }
            if (!DataFolder.hasStore(folder)) {
                return "the folder has no store, and the copy was made to replace one";
            }
            long storage;
            long applied;
            try (CheckpointView view = CheckpointView.open(data.file(DataFolder.STORE))) {
                storage = view.storageId();
                applied = view.revision();
            }
            if (storage != note.replaced()) {
                return "the folder has another storage than the one it was made to replace";
            }
            Optional<UpdateLog.Tip> end = StoppedLog.end(FolderDisk.readOnly(data.file(DataFolder.UPDATES)), storage,
                    applied);
            if (end.isEmpty()) {
                return "the end of the update log is unknown";
            }
            boolean same = end.get().revision() == note.end().revision()
                    && end.get().checksum() == note.end().checksum();
            return same
                    ? ""
                    : "the storage now ends with update " + end.get().revision() + " of epoch " + end.get().epoch()
                            + ", and the copy was made to replace one that ended with update " + note.end().revision()
                            + " of epoch " + note.end().epoch();
        } catch (StorageException | UncheckedIOException e) {
            return "the content of the folder cannot be verified: " + Reason.of(e);
        }
    }

    private String copyDifference(CopyNote note) throws StorageException {
        if (!Files.exists(fresh.resolve(DataFolder.UPDATES))
                || !Files.exists(fresh.resolve(DataFolder.STORE).resolve("manifest"))) {
            return "a part of the copy is missing";
        }
        try (CheckpointView view = CheckpointView.open(fresh.resolve(DataFolder.STORE))) {
            return view.storageId() == note.copied() && view.revision() == note.copyEnd().revision()
                    ? ""
                    : "the copy is not the one that its note describes";
        }
    }

    private Outcome setAside(String why) throws IOException {
        OwnerOnly.createFolders(aside);
        Path kept = aside.resolve(DataFolder.FRESH + "-" + STAMP.format(clock.instant()));
        for (int i = 2; Files.exists(kept); i++) {
            kept = aside.resolve(DataFolder.FRESH + "-" + STAMP.format(clock.instant()) + "-" + i);
        }
        Files.move(fresh, kept, StandardCopyOption.ATOMIC_MOVE);
        FolderSync.force(aside);
        FolderSync.force(data.file(""));
        String sentence = "a copy of the leader is not put in place: " + why + ". It is kept as " + kept
                + "; delete it when this node follows";
        LOG.error("{}", sentence);
        return new Outcome.SetAside(new Trouble("a copy of the leader was not put in place", sentence));
    }
}
