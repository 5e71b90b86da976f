package dev.weir.hash.url;

/**
 * A URL or address found in running text.
 *
 * @param position position of the first byte
 * @param length length in bytes
 * @param domain registrable domain; the address itself for IP literals, the digits for telephone numbers
 * @param repeated whether Rspamd finds it twice, which hides what follows it in raw text
 */
public record FoundUrl(int position, int length, String domain, boolean repeated) {
    FoundUrl(int position, int length, String domain) {
        this(position, length, domain, false);
    }

    /** Returns the position after the last byte. */
    public int end() {
        return position + length;
    }
}
