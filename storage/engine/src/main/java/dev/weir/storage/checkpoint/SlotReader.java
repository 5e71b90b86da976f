package dev.weir.storage.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.log.Disk;
import dev.weir.storage.log.ReadableFile;

/** A reader of single slots of a running storage, whose index knows the places. For one thread. */
final class SlotReader {
    private static final SlotTable TABLE = SlotTable.SIGNED;

    private final Disk disk;
    private final long storageId;
    private final HashIndex index;
    private final Lookup lookup = new Lookup();
    private final ByteBuffer slot = SlotTable.buffer(TABLE.slotBytes);
    private final long[] digest = new long[Digest.WORDS];
    private final long[] shingles = new long[Signature.SLOTS];

    SlotReader(Disk disk, long storageId, HashIndex index) {
        this.disk = disk;
        this.storageId = storageId;
        this.index = index;
    }

    /**
     * Returns the signatures of the hashes that have a sound slot.
     *
     * @param unread gets the hashes that have a signature, but no sound slot on disk now
     */
    Map<Digest, Signature> signatures(Set<Digest> digests, Set<Digest> unread) throws IOException {
        Map<Digest, Signature> found = new HashMap<>();
        if (!disk.names().contains(TABLE.file)) {
            return found;
        }
        try (ReadableFile file = disk.open(TABLE.file)) {
            for (Digest wanted : digests) {
                HashIndex.KnownHash known = index.known(wanted, lookup);
                if (known == null || !known.signed()) {
                    continue;
                }
                if (read(file, known.id()) && Digest.ofWords(digest, 0).equals(wanted)) {
                    found.put(wanted, Signature.partial(shingles, 0, TABLE.mask(slot, 0)).withSides(known.sides()));
                } else {
                    unread.add(wanted);
                }
            }
        }
        return found;
    }

    /** Reads the slot of an id. Returns false if it is damaged, or another hash gets it just now. */
    private boolean read(ReadableFile file, int id) throws IOException {
        file.readFully(slot.clear(), TABLE.position(id));
        if (slot.hasRemaining() || !TABLE.isSound(slot, 0, id, storageId)) {
            return false;
        }
        TABLE.digest(slot, 0, digest);
        TABLE.shingles(slot, 0, shingles);
        return true;
    }
}
