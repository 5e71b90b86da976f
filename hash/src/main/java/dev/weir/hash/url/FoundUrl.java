package dev.weir.hash.url;

/**
 * A URL or address found in running text.
 *
 * @param position position of the first byte
 * @param length length in bytes
 * @param domain registrable domain; the address itself for IP literals, the digits for telephone numbers
 */
public record FoundUrl(int position, int length, String domain) {
    /** Returns the position after the last byte. */
    public int end() {
        return position + length;
    }
}
