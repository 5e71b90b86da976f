package dev.weir.hash.mime.content;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/** A structure check for content that was detected as an archive (docs/reference/hashing.md#part-classes). */
public final class ArchiveCheck {
    private static final byte[] RAR4 = {'R', 'a', 'r', '!', 0x1a, 7, 0};
    private static final byte[] RAR5 = {'R', 'a', 'r', '!', 0x1a, 7, 1, 0};
    private static final int MOST_RECORDS = 100_000;

    private ArchiveCheck() {}

    /**
     * Whether the part counts as an archive.
     *
     * @param type detected type
     * @param dispositionName file name from Content-Disposition
     */
    public static boolean passes(byte[] data, String type, @Nullable String dispositionName) {
        return switch (type) {
            case "zip", "docx", "xlsx", "pptx", "jar", "apk", "odt", "ods", "odp", "epub", "asice", "asics" ->
                ZipDirectory.names(data) != null;
            case "rar" -> startsWith(data, RAR5) ? rar5(data) : startsWith(data, RAR4) && rar4(data);
            case "7z" -> sevenZip(data);
            case "gz" -> gzip(data, dispositionName);
            default -> false;
        };
    }

    private static boolean startsWith(byte[] data, byte[] prefix) {
        return data.length >= prefix.length && Arrays.equals(data, 0, prefix.length, prefix, 0, prefix.length);
    }

    private static boolean rar4(byte[] data) {
        if (data.length == RAR4.length) {
            return false;
        }
        int at = RAR4.length;
        for (int count = 0; at < data.length && count < MOST_RECORDS; count++) {
            if (data.length - at < 7) {
                return false;
            }
            int type = data[at + 2] & 0xff;
            int flags = le16(data, at + 3);
            long size = le16(data, at + 5);
            if (type == 0x73 && (flags & 0x80) != 0) {
                // The rest is encrypted.
                return true;
            }
            if ((flags & 0x8000) != 0) {
                if (data.length - at < 11) {
                    return false;
                }
                size += le32(data, at + 7);
            }
            if (size == 0 || size > data.length - at) {
                return false;
            }
            at += (int) size;
        }
        return true;
    }

    private static boolean rar5(byte[] data) {
        if (data.length == RAR5.length) {
            return false;
        }
        int[] at = {RAR5.length};
        for (int count = 0; at[0] < data.length && count < MOST_RECORDS; count++) {
            at[0] += 4;
            long headerSize = variable(data, at);
            int headerStart = at[0];
            long type = variable(data, at);
            long flags = variable(data, at);
            if (headerSize <= 0 || type < 0 || flags < 0) {
                return false;
            }
            if (type == 4) {
                // The rest is encrypted.
                return true;
            }
            if (count == 0 && type != 1) {
                return false;
            }
            long dataSize = 0;
            if ((flags & 1) != 0 && variable(data, at) < 0) {
                return false;
            }
            if ((flags & 2) != 0) {
                dataSize = variable(data, at);
            }
            if (dataSize < 0 || headerSize > data.length || dataSize > data.length
                    || headerStart + headerSize + dataSize > data.length) {
                return false;
            }
            at[0] = (int) (headerStart + headerSize + dataSize);
        }
        return true;
    }

    /** Reads a number with 7 bits per byte; returns -1 if it is truncated or longer than 9 bytes. */
    private static long variable(byte[] data, int[] at) {
        long value = 0;
        for (int shift = 0; shift < 63 && at[0] < data.length; shift += 7) {
            byte b = data[at[0]++];
            value |= (b & 0x7fL) << shift;
            if (b >= 0) {
                return value;
            }
        }
        return -1;
    }

    private static boolean sevenZip(byte[] data) {
        if (data.length < 32) {
            return false;
        }
        long offset = le32(data, 12) | le32(data, 16) << 32;
        return offset >= 0 && offset < data.length - 32;
    }

    private static boolean gzip(byte[] data, @Nullable String dispositionName) {
        if (data.length <= 10 || (data[0] & 0xff) != 0x1f || (data[1] & 0xff) != 0x8b) {
            return false;
        }
        if ((data[3] & 8) != 0) {
            int at = 10;
            if ((data[3] & 4) != 0) {
                at = data.length < 12 ? data.length : 12 + le16(data, 10);
            }
            for (; at < data.length; at++) {
                if (data[at] == 0) {
                    return true;
                }
            }
            return false;
        }
        return dispositionName != null && dispositionName.indexOf('.') >= 0;
    }

    private static int le16(byte[] data, int at) {
        return (data[at] & 0xff) | (data[at + 1] & 0xff) << 8;
    }

    private static long le32(byte[] data, int at) {
        return (long) le16(data, at + 2) << 16 | le16(data, at);
    }
}
