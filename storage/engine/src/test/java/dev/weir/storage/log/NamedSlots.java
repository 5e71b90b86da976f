package dev.weir.storage.log;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * A reader of manifests and images that knows only docs/internals/store.md: which slots does a checkpoint name? No
 * process may overwrite these.
 */
final class NamedSlots {
    static final String MANIFEST = "manifest";
    static final int MANIFEST_COPY = 2_048;
    static final int MANIFEST_COPIES = 3;
    static final List<String> FILES = List.of("plain.slots", "signed.slots");

    private static final int CRC_AT = MANIFEST_COPY - Integer.BYTES;
    private static final int NUMBER_AT = 16;
    private static final int BOUNDS_AT = 40;
    private static final int PAGE_RECORDS_AT = 48;
    private static final int PAGE_HEADER = 32;
    private static final int RECORD = 12;
    private static final int VOTE_AT = 8;
    private static final int FREE = -2_147_483_647;

    private NamedSlots() {}

    /** A slot of a file. */
    record Slot(String file, int id) {}

    /** Returns the bytes of a slot. */
    static int bytes(String file) {
        return FILES.getFirst().equals(file) ? 76 : 336;
    }

    /** Returns the slot at a byte of a file. */
    static Slot at(String file, long position) {
        return new Slot(file, (int) (position / bytes(file)));
    }

    /** Returns the name of the image of the manifest that a process sees. */
    static String image(SimulatedDisk disk) {
        return image(manifest(disk.content(MANIFEST)));
    }

    private static String image(ByteBuffer manifest) {
        return "image-" + manifest.getLong(NUMBER_AT);
    }

    private static ByteBuffer manifest(byte[] content) {
        return ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Returns the slots that the manifest names which a process sees. */
    static Set<Slot> visible(SimulatedDisk disk) {
        ByteBuffer manifest = manifest(disk.content(MANIFEST));
        Set<Slot> slots = new HashSet<>();
        if (disk.fileNames().contains(image(manifest))) {
            read(manifest, disk.content(image(manifest)), slots);
        }
        return slots;
    }

    /** Returns the slots that any manifest names which a later process may see. */
    static Set<Slot> possible(SimulatedDisk disk) {
        Set<Slot> slots = new HashSet<>();
        for (byte[] content : disk.outcomes(MANIFEST)) {
            if (isSound(content)) {
                ByteBuffer manifest = manifest(content);
                disk.outcomes(image(manifest)).forEach(image -> read(manifest, image, slots));
            }
        }
        return slots;
    }

    private static boolean isSound(byte[] manifest) {
        if (manifest.length < MANIFEST_COPY) {
            return false;
        }
        CRC32C crc = new CRC32C();
        crc.update(manifest, 0, CRC_AT);
        return manifest(manifest).getInt(CRC_AT) == (int) crc.getValue();
    }

    /** Reads the pages of an image, up to its end or to one that was not written completely. */
    private static void read(ByteBuffer manifest, byte[] content, Set<Slot> slots) {
        ByteBuffer image = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        int pageRecords = manifest.getInt(PAGE_RECORDS_AT);
        int page = 0;
        while (page + PAGE_HEADER <= content.length) {
            int length = image.getInt(page + 4);
            int table = image.getInt(page + 24);
            int first = image.getInt(page + 28);
            if (length <= 0 || page + PAGE_HEADER + length > content.length || table < 0 || table > 1) {
                return;
            }
            int count = Math.min(pageRecords, manifest.getInt(BOUNDS_AT + table * Integer.BYTES) - first);
            for (int i = 0; i < count; i++) {
                if (image.getInt(page + PAGE_HEADER + i * RECORD + VOTE_AT) != FREE) {
                    slots.add(new Slot(FILES.get(table), first + i));
                }
            }
            page += PAGE_HEADER + length;
        }
    }
}
