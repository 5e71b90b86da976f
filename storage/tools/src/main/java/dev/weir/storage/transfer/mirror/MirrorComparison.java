package dev.weir.storage.transfer.mirror;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.DatabaseDamagedException;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.engine.LogEndFile;
import dev.weir.storage.folder.FolderView;
import dev.weir.storage.log.LogDamage;
import dev.weir.storage.log.LogDamagedException;
import dev.weir.storage.log.LogHistory;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.Omissions;
import dev.weir.storage.transfer.OverlaySource;
import dev.weir.storage.transfer.sqlite.SqliteSource;
import dev.weir.storage.transfer.storage.StorageSource;
import dev.weir.storage.view.StorageView;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A comparison of a store with its mirror, also while a storage runs. It applies the updates that the mirror lacks to
 * what it reads of the mirror. The first pass adds up both sides in buckets of digests; only hashes of buckets that
 * differ are kept in memory, in a second pass.
 */
public final class MirrorComparison {
    private static final Logger LOG = LoggerFactory.getLogger(MirrorComparison.class);

    /** Updates in memory, about 300 MB with complete signatures. */
    private static final int PENDING_LIMIT = 500_000;

    private static final int BUCKETS = 1 << 16;

    /** Buckets whose differences are named. */
    private static final int NAMED_BUCKETS = 20;

    private final StorageSource store;
    private final HashSource mirror;

    private MirrorComparison(StorageSource store, HashSource mirror) {
        this.store = store;
        this.mirror = mirror;
    }

    /**
     * Returns the database in the folder of a storage, if it is the mirror of the store or cannot be read.
     *
     * @throws StorageException if the store cannot be read
     */
    public static Optional<Path> mirrorIn(Path data) throws StorageException {
        Path database = DataFolder.database(data);
        if (!DataFolder.hasStore(data) || !Files.exists(database)) {
            return Optional.empty();
        }
        try (StorageView store = FolderView.of(data); StorageView view = new SqliteFile(database).view()) {
            return view.hasState() && view.storageId() == store.storageId() ? Optional.of(database) : Optional.empty();
        } catch (DatabaseDamagedException e) {
            LOG.debug("{} cannot be read", database, e);
            return Optional.of(database);
        }
    }

    /** Signals that a mirror lacks too many updates for a comparison. */
    public static final class BehindException extends StorageException {
        private static final long serialVersionUID = 1L;

        BehindException(String message) {
            super(message);
        }
    }

    /**
     * Compares.
     *
     * @param data the folder of the storage
     * @return sentences about damage of the mirror, or else about differences; empty if there are none
     * @throws BehindException if the mirror is too far behind
     * @throws StorageException if one of both cannot be read, or the mirror belongs to another storage or has updates
     *         that the store lacks
     */
    public static List<String> run(Path data, Path mirror) throws StorageException {
        long storageId;
        try (StorageView view = new SqliteFile(mirror).view()) {
            storageId = view.storageId();
            List<String> damages = view.damages();
            if (!damages.isEmpty()) {
                return damages;
            }
        }
        // In this order: the store is not older than the mirror then.
        try (SqliteSource rows = SqliteSource.open(mirror); StorageSource store = StorageSource.open(data)) {
            if (storageId != store.storageId()) {
                throw new StorageException(mirror + " is the mirror of another storage");
            }
            List<Update> pending = pending(data, store, rows.revision());
            return new MirrorComparison(store, pending.isEmpty() ? rows : new OverlaySource(rows, pending)).run();
        }
    }

    private static List<Update> pending(Path data, StorageSource store, long reached) throws StorageException {
        if (reached > store.revision()) {
            throw new StorageException("the mirror has update " + reached + ", and the store ends with update "
                    + store.revision() + "; build the mirror again with weir mirror");
        }
        List<Update> pending = new ArrayList<>();
        if (reached == store.revision()) {
            return pending;
        }
        long[] first = {Long.MAX_VALUE};
        try (LogHistory log = LogHistory.open(data.resolve(DataFolder.UPDATES), store.storageId(),
                LogEndFile.readOnly(data, store.storageId()))) {
            List<LogDamage> damages = log.read(reached, logged -> {
                first[0] = Math.min(first[0], logged.revision());
                if (logged.revision() <= store.revision() && pending.size() <= PENDING_LIMIT) {
                    pending.add(logged.update());
                }
            });
            if (!damages.isEmpty()) {
                throw new LogDamagedException(damages);
            }
        }
        if (first[0] != reached + 1 || pending.size() > PENDING_LIMIT) {
            throw new BehindException("the mirror is " + (store.revision() - reached) + " updates behind the store; "
                    + "compare again when it has caught up, or build it again with weir mirror");
        }
        return pending;
    }

    private List<String> run() throws StorageException {
        long[] sums = new long[BUCKETS];
        store.read(HashSource.START, (_, hash) -> sums[bucket(hash)] += print(hash), new Omissions());
        mirror.read(HashSource.START, (_, hash) -> sums[bucket(hash)] -= print(hash), new Omissions());
        boolean[] named = new boolean[BUCKETS];
        int differing = 0;
        for (int i = 0; i < BUCKETS; i++) {
            if (sums[i] != 0) {
                named[i] = differing++ < NAMED_BUCKETS;
            }
        }
        if (differing == 0) {
            return List.of();
        }
        List<String> differences = name(named);
        if (differing > NAMED_BUCKETS) {
            differences.add("at least " + (differing - NAMED_BUCKETS) + " more hashes differ");
        }
        return differences;
    }

    private List<String> name(boolean[] named) throws StorageException {
        Map<Digest, StoredHash> there = new HashMap<>();
        store.read(HashSource.START, (_, hash) -> {
            if (named[bucket(hash)]) {
                there.put(hash.digest(), canonical(hash));
            }
        }, new Omissions());
        List<String> differences = new ArrayList<>();
        mirror.read(HashSource.START, (_, hash) -> {
            if (named[bucket(hash)]) {
                StoredHash mirrored = canonical(hash);
                StoredHash stored = there.remove(hash.digest());
                if (!mirrored.equals(stored)) {
                    differences.add(difference(hash.digest(), stored, mirrored));
                }
            }
        }, new Omissions());
        there.values().forEach(stored -> differences.add(difference(stored.digest(), stored, null)));
        return differences;
    }

    private static String difference(Digest digest, @Nullable StoredHash stored, @Nullable StoredHash mirrored) {
        String name = "the hash " + digest.hex();
        if (stored == null || mirrored == null) {
            return name + (mirrored == null ? " is missing in the mirror" : " is only in the mirror");
        }
        if (!stored.flags().equals(mirrored.flags())) {
            return name + " has the flags " + stored.flags() + " in the store and " + mirrored.flags()
                    + " in the mirror";
        }
        return name + (stored.renewed() == mirrored.renewed()
                ? " has other shingles in the mirror"
                : " was renewed at " + stored.renewed() + " in the store and at " + mirrored.renewed()
                        + " in the mirror");
    }

    private static int bucket(StoredHash hash) {
        return Short.toUnsignedInt((short) hash.digest().hashCode());
    }

    /** Returns the hash with its flags in one order, which the two sides choose in their own way. */
    private static StoredHash canonical(StoredHash hash) {
        return hash.flags().size() == 1
                ? hash
                : new StoredHash(hash.digest(),
                        hash.flags().stream().sorted(Comparator.comparingInt(FlagValue::flag)).toList(),
                        hash.signature(), hash.renewed());
    }

    private static long print(StoredHash hash) {
        StoredHash one = canonical(hash);
        long print = mix(one.digest().word(0), one.renewed());
        for (FlagValue flag : one.flags()) {
            print = mix(mix(mix(print, flag.flag()), flag.value()), flag.time());
        }
        if (one.signature() != null) {
            print = mix(print, one.signature().mask());
            for (int i = 0; i < Signature.SLOTS; i++) {
                print = mix(print, one.signature().value(i));
            }
            print = mix(print, Objects.hashCode(one.signature().sides()));
        }
        return print;
    }

    private static long mix(long print, long next) {
        long mixed = (print ^ next) * 0x9E3779B97F4A7C15L;
        return mixed ^ mixed >>> 32;
    }
}
