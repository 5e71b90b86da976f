package dev.weir.hash.mime.content;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A reader for the central directory of a zip file; it reads only enough to validate the structure
 * (docs/reference/hashing.md#part-classes).
 */
final class ZipDirectory {
    private static final int END_RECORD = 22;
    private static final int SCANNED_BACK = 1024;
    private static final int RECORD = 46;
    private static final int MOST_NAMES = 100_000;

    private ZipDirectory() {}

    /** Returns the names of the entries, or null if the structure is broken. */
    static @Nullable List<String> names(byte[] data) {
        int end = endRecord(data);
        if (end < 0) {
            return null;
        }
        long size = le32(data, end + 12);
        long offset = le32(data, end + 16);
        if (offset + size > end) {
            return null;
        }
        List<String> names = new ArrayList<>();
        long at = offset;
        long limit = offset + size;
        // The declared size is only a hint: a remainder too small for a record is ignored, and the last record may
        // exceed it.
        while (limit - at >= RECORD) {
            if (le32(data, (int) at) != 0x02014b50L) {
                return null;
            }
            int nameLength = le16(data, (int) at + 28);
            long next = at + RECORD + nameLength + le16(data, (int) at + 30) + le16(data, (int) at + 32);
            if (nameLength == 0 || next > end || names.size() >= MOST_NAMES) {
                return null;
            }
            int name = (int) at + RECORD;
            names.add(new String(data, name, nameLength, StandardCharsets.UTF_8));
            at = next;
        }
        return names;
    }

    private static int endRecord(byte[] data) {
        int last = Math.max(0, data.length - END_RECORD - SCANNED_BACK);
        for (int at = data.length - END_RECORD; at >= last; at--) {
            if (le32(data, at) == 0x06054b50L) {
                return at;
            }
        }
        return -1;
    }

    private static int le16(byte[] data, int at) {
        return (data[at] & 0xff) | (data[at + 1] & 0xff) << 8;
    }

    private static long le32(byte[] data, int at) {
        return (long) le16(data, at + 2) << 16 | le16(data, at);
    }
}
