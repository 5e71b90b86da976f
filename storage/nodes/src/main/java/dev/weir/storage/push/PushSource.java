package dev.weir.storage.push;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.log.LogReader;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateLog;
import org.jspecify.annotations.Nullable;

/**
 * The commands for a slave, from the update log. A slave of Rspamd removes a hash with all flags. So where this storage
 * removed one flag, the slave gets the removal and then the flags that are left.
 */
final class PushSource {
    private static final int READ = 1_024;
    private static final long PATIENCE_SECONDS = 30;

    private final StorageEngine engine;
    private final Signatures signatures;

    /** The place of the signatures, which the index does not keep whole. */
    @FunctionalInterface
    interface Signatures {
        /** Returns the signatures of some hashes that have one. */
        Map<Digest, Signature> of(Set<Digest> digests) throws StorageException;
    }

    /**
     * Some commands.
     *
     * @param changing whether there is more than refreshing, which alone counts as no batch in Rspamd
     * @param untold flags that no command can carry
     */
    record Commands(List<PushedUpdates.Element> elements, boolean changing, int untold) {}

    PushSource(StorageEngine engine, Signatures signatures) {
        this.engine = engine;
        this.signatures = signatures;
    }

    /**
     * Returns what a slave must do for the updates after {@code from}, up to {@code end}.
     *
     * @param slaveKey the public key of the slave, which does not get back what came from it
     */
    Commands commands(long from, long end, byte[] slaveKey) throws StorageException, InterruptedException {
        List<LoggedUpdate> updates = read(from, end);
        Set<Digest> reduced = new HashSet<>();
        Map<Digest, Signature> known = new HashMap<>();
        for (LoggedUpdate update : updates) {
            if (cameFrom(update, slaveKey)) {
                continue;
            }
            if (update.update() instanceof Update.Delete delete) {
                reduced.add(delete.digest());
            } else if (update.update() instanceof Update.Write write && write.signature() != null) {
                known.put(write.digest(), write.signature());
            }
        }
        Set<Digest> signed = new HashSet<>();
        Map<Digest, Map<Integer, Long>> left = reduced.isEmpty() ? Map.of() : left(reduced, end, signed);
        signed.removeAll(known.keySet());
        if (!signed.isEmpty()) {
            known.putAll(signatures.of(signed));
        }
        Writing writing = new Writing();
        for (LoggedUpdate update : updates) {
            if (!cameFrom(update, slaveKey)) {
                writing.put(update, reduced, left, known);
            }
        }
        return new Commands(writing.elements, writing.changing, writing.untold);
    }

    /** Returns whether an update came from this slave, which then is a master as well. */
    private static boolean cameFrom(LoggedUpdate update, byte[] slaveKey) {
        byte[] key = update.origin().key();
        if (key == null || update.origin().submission() == null
                || !update.origin().submission().credential().equals(PushedBatch.CREDENTIAL)) {
            return false;
        }
        for (int i = 0; i < key.length; i++) {
            if (key[i] != slaveKey[i]) {
                return false;
            }
        }
        return true;
    }

    private List<LoggedUpdate> read(long from, long end) throws StorageException {
        List<LoggedUpdate> updates = new ArrayList<>();
        try (LogReader reader = engine.log().reader(from + 1)) {
            while (reader.next() <= end) {
                List<LoggedUpdate> read = reader.read((int) Math.min(READ, end + 1 - reader.next()));
                if (read.isEmpty()) {
                    throw new StorageException("the update log ends before update " + end);
                }
                updates.addAll(read);
            }
        } catch (IOException e) {
            throw new StorageException("the update log cannot be closed: " + Reason.of(e), e);
        }
        return updates;
    }

    /** The commands as they grow. */
    private static final class Writing {
        private final List<PushedUpdates.Element> elements = new ArrayList<>();
        private final Set<Digest> rewritten = new HashSet<>();
        private boolean changing;
        private int untold;

        void put(LoggedUpdate logged, Set<Digest> reduced, Map<Digest, Map<Integer, Long>> left,
                Map<Digest, Signature> signatures) {
            Digest digest = logged.update().digest();
            int tag = (int) logged.revision();
            if (reduced.contains(digest)) {
                if (rewritten.add(digest)) {
                    add(PushedUpdates.DELETE, 0, 0, tag, digest, null);
                    left.getOrDefault(digest, Map.of()).forEach((flag, value) -> write(flag, value, tag, digest,
                            signatures.get(digest)));
                }
                return;
            }
            switch (logged.update()) {
                case Update.Write write -> write(write.flag(), write.weight(), tag, digest, write.signature());
                case Update.DeleteAll _ -> add(PushedUpdates.DELETE, 0, 0, tag, digest, null);
                case Update.Refresh _ -> elements.add(
                        new PushedUpdates.Element(PushedUpdates.REFRESH, 0, 0, tag, digest, null));
                case Update.Delete _,Update.Expire _ -> {
                    // Removals of one flag are in reduced; hashes expire on each side by themselves.
                }
            }
        }

        private void write(int flag, long value, int tag, Digest digest, @Nullable Signature signature) {
            if (FlagValue.isOdd(flag)) {
                untold++;
                return;
            }
            long rest = value;
            do {
                int part = Math.clamp(rest, Integer.MIN_VALUE, Integer.MAX_VALUE);
                add(PushedUpdates.ADD, flag, part, tag, digest, signature);
                rest -= part;
            } while (rest != 0 && Math.abs(rest) < 4L * Integer.MAX_VALUE);
        }

        private void add(int command, int flag, int value, int tag, Digest digest, @Nullable Signature signature) {
            changing = true;
            elements.add(new PushedUpdates.Element(command, flag, value, tag, digest, signature));
        }
    }

    /**
     * Returns the flags that some hashes had after an update, by counting back from now.
     *
     * @param signed gets those that have a signature
     */
    private Map<Digest, Map<Integer, Long>> left(Set<Digest> digests, long end, Set<Digest> signed)
            throws StorageException, InterruptedException {
        Map<Digest, Map<Integer, Long>> now = new HashMap<>();
        long[] revision = new long[1];
        wait(engine.writer().change(index -> {
            revision[0] = engine.log().handed();
            digests.forEach(digest -> now.put(digest, flags(index, digest, signed)));
            return List.of();
        }));
        UpdateLog log = engine.log();
        // With acknowledge = "queued", the index is ahead of the disk for up to a second.
        for (long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS); log
                .durable() < revision[0];) {
            if (System.nanoTime() - limit > 0) {
                throw new StorageException("the update log does not reach the disk");
            }
            log.awaitAfter(log.durable(), Duration.ofMillis(100));
        }
        for (LoggedUpdate update : read(end, Math.max(end, revision[0]))) {
            Map<Integer, Long> flags = now.get(update.update().digest());
            if (flags != null) {
                undo(update.update(), flags);
            }
        }
        now.values().forEach(flags -> flags.values().removeIf(value -> value == 0));
        return now;
    }

    private static Map<Integer, Long> flags(HashIndex index, Digest digest, Set<Digest> signed) {
        Map<Integer, Long> flags = new TreeMap<>();
        HashIndex.KnownHash known = index.known(digest, new Lookup());
        if (known != null) {
            if (known.signed()) {
                signed.add(digest);
            }
            known.flags().forEach(flag -> flags.put(flag.flag(), flag.value()));
        }
        return flags;
    }

    private static void undo(Update later, Map<Integer, Long> flags) {
        switch (later) {
            case Update.Write write -> flags.computeIfPresent(write.flag(), (_, value) -> value - write.weight());
            // What was removed later need not be sent now.
            case Update.Delete delete -> flags.remove(delete.flag());
            case Update.Expire expire -> flags.remove(expire.flag());
            case Update.DeleteAll _ -> flags.clear();
            case Update.Refresh _ -> {
                // Values stay.
            }
        }
    }

    private static void wait(Future<Void> done) throws StorageException, InterruptedException {
        try {
            done.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | CancellationException e) {
            throw new StorageException("the storage does not say what flags are left", e);
        }
    }
}
