package dev.weir.hash.mime.content;

import org.jspecify.annotations.Nullable;

/**
 * The width and height of an image, read only from its header (docs/reference/hashing.md#images).
 *
 * @param width pixels, unsigned 32 bits
 * @param height pixels, unsigned 32 bits
 */
public record ImageSize(long width, long height) {
    /**
     * Returns the size of an image of the detected type, or null if the type is unsupported or the header is broken.
     */
    public static @Nullable ImageSize read(byte[] data, String type) {
        return switch (type) {
            case "png" -> png(data);
            case "gif" -> data.length < 10 ? null : new ImageSize(le16(data, 6), le16(data, 8));
            case "bmp" -> data.length < 28 ? null : new ImageSize(le32(data, 18), le32(data, 22));
            case "jpg", "jpeg" -> jpeg(data);
            default -> null;
        };
    }

    private static @Nullable ImageSize png(byte[] data) {
        boolean header = data.length >= 24 && data[12] == 'I' && data[13] == 'H' && data[14] == 'D' && data[15] == 'R';
        return header ? new ImageSize(be32(data, 16), be32(data, 20)) : null;
    }

    private static @Nullable ImageSize jpeg(byte[] data) {
        int end = data.length - 8;
        if (data.length < 12) {
            return null;
        }
        int at = 2;
        while (at < end) {
            int marker = data[at + 1] & 0xff;
            if ((data[at] & 0xff) != 0xff || marker == 0xff) {
                at++;
                continue;
            }
            if ((marker >= 0xc0 && marker <= 0xc3) || (marker >= 0xc9 && marker <= 0xcb)) {
                return new ImageSize(be16(data, at + 7), be16(data, at + 5));
            }
            // Rspamd counts the length from the marker byte.
            at += 1 + be16(data, at + 2);
        }
        return null;
    }

    private static int be16(byte[] data, int at) {
        return (data[at] & 0xff) << 8 | (data[at + 1] & 0xff);
    }

    private static int le16(byte[] data, int at) {
        return (data[at] & 0xff) | (data[at + 1] & 0xff) << 8;
    }

    private static long be32(byte[] data, int at) {
        return (long) be16(data, at) << 16 | be16(data, at + 2);
    }

    private static long le32(byte[] data, int at) {
        return (long) le16(data, at + 2) << 16 | le16(data, at);
    }
}
