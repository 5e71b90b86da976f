package dev.weir.storage.log;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;

import dev.weir.storage.StorageException;
import dev.weir.storage.index.HashIndex;
import org.jspecify.annotations.Nullable;

/**
 * A test that changes one to three bits in one byte of a copy of a store, and starts a storage there. A slot costs its
 * own hash, and is named if it had one. An image of the current checkpoint is refused, and named. One copy of the
 * manifest costs nothing, all of them are refused. Everything else has no effect.
 */
final class StoreFlips {
    private final SplittableRandom random;
    private final Faults faults;

    StoreFlips(SplittableRandom random, Map<Fault, Long> counts) {
        this.random = random;
        this.faults = new Faults(random, counts);
    }

    /** A start of a storage on copies of its disks. */
    @FunctionalInterface
    interface Start {
        /**
         * Starts.
         *
         * @throws StorageException if it does not start
         */
        Started on(SimulatedDisk log, SimulatedDisk store) throws StorageException;
    }

    /**
     * What a start made.
     *
     * @param hashes what is known of each digest of the simulation; null for an unknown one
     * @param size the number of hashes
     * @param damage what the start says about damage; empty for none
     */
    record Started(List<HashIndex.@Nullable KnownHash> hashes, long size, String damage) {
        long differences(Started other) {
            long differences = 0;
            for (int i = 0; i < hashes.size(); i++) {
                differences += Objects.equals(hashes.get(i), other.hashes.get(i)) ? 0 : 1;
            }
            return differences;
        }
    }

    /** Runs with a certain probability. */
    void tryOn(SimulatedDisk log, SimulatedDisk store, Start start) {
        if (random.nextInt(3) > 0 || !store.fileNames().contains(NamedSlots.MANIFEST)) {
            return;
        }
        Started sound;
        try {
            sound = start.on(log.copy(faults), store.copy(faults));
        } catch (StorageException e) {
            throw new AssertionError("a sound store does not start", e);
        }
        Ledger.check(sound.damage().isEmpty(), "a sound store is called damaged: %s", sound.damage());
        SimulatedDisk flipped = store.copy(faults);
        List<String> files = flipped.fileNames().stream().filter(name -> flipped.size(name) > 0).toList();
        String file = files.get(random.nextInt(files.size()));
        int position = random.nextInt(flipped.size(file));
        int bits = 0;
        for (int i = 0; i < 3; i++) {
            bits |= 1 << random.nextInt(8);
        }
        flipped.flip(file, position, bits);
        boolean both = NamedSlots.MANIFEST.equals(file) && random.nextBoolean();
        if (both) {
            for (int copy = 1; copy < NamedSlots.MANIFEST_COPIES; copy++) {
                flipped.flip(file, (position + copy * NamedSlots.MANIFEST_COPY)
                        % (NamedSlots.MANIFEST_COPIES * NamedSlots.MANIFEST_COPY), bits);
            }
        }
        Set<NamedSlots.Slot> named = NamedSlots.visible(store);
        String image = NamedSlots.image(store);
        @Nullable
        Started now = null;
        String refusal = "";
        try {
            now = start.on(log.copy(faults), flipped);
        } catch (StorageException e) {
            refusal = String.valueOf(e.getMessage());
        }
        String where = "byte " + position + " of " + file;
        if (both) {
            faults.note(Fault.FLIP_IN_BOTH_MANIFESTS);
            Ledger.check(refusal.contains("manifest is damaged"), "%s and its copy: %s %s", where, refusal, now);
        } else if (file.equals(image)) {
            faults.note(Fault.FLIP_IN_IMAGE);
            Ledger.check(refusal.contains(file + " is damaged at byte "), "%s: %s %s", where, refusal, now);
        } else {
            Ledger.check(now != null, "%s is refused: %s", where, refusal);
            check(file, position, named, sound, Objects.requireNonNull(now));
        }
    }

    private void check(String file, int position, Set<NamedSlots.Slot> named, Started sound, Started now) {
        boolean inSlot = NamedSlots.FILES.contains(file);
        boolean costs = inSlot && named.contains(NamedSlots.at(file, position));
        faults.note(costs ? Fault.FLIP_IN_SLOT : inSlot ? Fault.FLIP_IN_FREE_SLOT : Fault.FLIP_BESIDE_SLOTS);
        if (costs) {
            int at = NamedSlots.at(file, position).id() * NamedSlots.bytes(file);
            Ledger.check(now.damage().contains(file + " is damaged at byte " + at + ": "), "byte %d of %s: %s",
                    position,
                    file, now.damage());
            Ledger.check(now.differences(sound) <= 1 && sound.size() - now.size() <= 1,
                    "byte %d of %s makes %s of %s", position, file, now, sound);
        } else {
            Ledger.check(now.equals(sound), "byte %d of %s makes %s of %s", position, file, now, sound);
        }
    }
}
