package dev.weir.hash.url;

/**
 * A URL or address in running text.
 *
 * @param position first byte, from 0
 * @param length bytes
 * @param domain registrable domain; the address itself for IP literals, the digits for telephone numbers
 */
public record FoundUrl(int position, int length, String domain) {
    /** The byte after the last. */
    public int end() {
        return position + length;
    }
}
