package dev.weir.storage.state;

/**
 * A kind of state file.
 *
 * @param name the name of the file in the data folder, and of its format: lower-case letters and hyphens
 * @param version the version that this program writes and reads, from 1
 * @param maxBytes the largest content in bytes
 * @param personal whether it has personal data, which must not outlive their time: a damaged one is deleted
 */
public record StateFormat(String name, int version, int maxBytes, boolean personal) {
    /** A kind of file without personal data. */
    public StateFormat(String name, int version, int maxBytes) {
        this(name, version, maxBytes, false);
    }

    public StateFormat {
        if (!name.matches("[a-z][a-z-]{0,30}") || version < 1 || maxBytes < 1) {
            throw new IllegalArgumentException("no format: " + name + " " + version + " " + maxBytes);
        }
    }
}
