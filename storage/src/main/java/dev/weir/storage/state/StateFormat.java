package dev.weir.storage.state;

/**
 * A kind of state file.
 *
 * @param name the name of the file in the data folder, and of its format: lower-case letters and hyphens
 * @param version the version that this program writes and reads, from 1
 * @param maxBytes the largest content in bytes
 */
public record StateFormat(String name, int version, int maxBytes) {
    public StateFormat {
        if (!name.matches("[a-z][a-z-]{0,30}") || version < 1 || maxBytes < 1) {
            throw new IllegalArgumentException("no format: " + name + " " + version + " " + maxBytes);
        }
    }
}
