package dev.weir.storage.access.gate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32;

import dev.weir.model.AddressBits;
import dev.weir.model.Network;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.access.NetworkLimit;
import dev.weir.storage.state.StateFile;
import dev.weir.storage.state.StateFormat;
import dev.weir.wire.key.PublicKey;

/**
 * The file that keeps rate limit buckets while a storage is stopped. It is text, so that operators can see which
 * clients are over a limit.
 *
 * <pre>
 * network 192.0.2.0/24 12.5 1790000000000 1789999990000
 * network 2001:db8::/96 over 1790000000000 1789999990000
 * key og3snn8s37znxz53mr5yyyzktt3d5uczxecsp3kkrs495p4iaxzy 3.25 1790000000000
 * </pre>
 *
 * <p>A {@code network} line contains the level of the bucket and the times of the last and the first request, in
 * milliseconds since the epoch. A {@code key} line contains the level and the time of the last request. Version 1 was
 * no state file: it began with {@code weir limits 1} and ended with the number of entries and a CRC-32. Without the
 * file, all networks and keys start with empty buckets, so no request is refused at first.
 */
final class LimitFile {
    /**
     * The content of a file.
     *
     * @param networks the buckets of networks with their prefix lengths
     * @param keys the buckets by public key
     */
    record Content(List<NetworkEntry> networks, Map<PublicKey, Bucket.State> keys) {
        static final Content EMPTY = new Content(List.of(), Map.of());
    }

    /**
     * The bucket of a network.
     *
     * @param network the network
     * @param bucket its bucket
     */
    record NetworkEntry(Network network, NetworkBuckets.Entry bucket) {}

    /** The format, with room for a million networks and as many keys. */
    static final StateFormat FORMAT = new StateFormat(DataFolder.RATE_LIMITS, 2, 256 << 20);

    private static final String EARLIER_HEAD = "weir limits 1";
    private static final String OVER = "over";

    private LimitFile() {}

    /**
     * Replaces a file atomically: a reader sees either the old or the new content.
     *
     * @throws IOException if the file cannot be written; the old file then still exists
     */
    static void write(StateFile file, Content content) throws IOException {
        file.write(encode(content).getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Reads a file.
     *
     * @return the content, which has no entries if the file does not exist, or was damaged and is kept aside
     * @throws StorageException if it cannot be read
     */
    static Content read(StateFile file) throws StorageException {
        Optional<Content> earlier = file.readEarlier()
                .flatMap(bytes -> decodeEarlier(new String(bytes, StandardCharsets.US_ASCII)));
        if (earlier.isPresent()) {
            return earlier.get();
        }
        Optional<byte[]> bytes = file.read();
        if (bytes.isEmpty()) {
            return Content.EMPTY;
        }
        Optional<Content> content = decode(new String(bytes.get(), StandardCharsets.US_ASCII));
        if (content.isEmpty()) {
            file.setAside("a line of it cannot be understood");
        }
        return content.orElse(Content.EMPTY);
    }

    static String encode(Content content) {
        StringBuilder text = new StringBuilder();
        for (NetworkEntry entry : content.networks()) {
            NetworkBuckets.Entry bucket = entry.bucket();
            text.append("network ").append(entry.network()).append(' ')
                    .append(Double.isNaN(bucket.level()) ? OVER : Double.toString(bucket.level())).append(' ')
                    .append(bucket.last()).append(' ').append(bucket.created()).append('\n');
        }
        content.keys().forEach((key, state) -> text.append("key ").append(key.base32()).append(' ')
                .append(state.level()).append(' ').append(state.last()).append('\n'));
        return text.toString();
    }

    private static String sum(CharSequence text) {
        CRC32 crc = new CRC32();
        crc.update(text.toString().getBytes(StandardCharsets.US_ASCII));
        return Long.toHexString(crc.getValue());
    }

    /** Decodes what an earlier version wrote. Returns empty if it is malformed. */
    static Optional<Content> decodeEarlier(String text) {
        int end = text.lastIndexOf("\nend ") + 1;
        if (end == 0 || !text.startsWith(EARLIER_HEAD + "\n")) {
            return Optional.empty();
        }
        String lines = text.substring(EARLIER_HEAD.length() + 1, end);
        return text.substring(end).equals("end " + lines.lines().count() + " " + sum(text.substring(0, end)) + "\n")
                ? decode(lines)
                : Optional.empty();
    }

    /** Decodes a text. Returns empty if it is malformed. */
    static Optional<Content> decode(String text) {
        List<NetworkEntry> networks = new ArrayList<>();
        Map<PublicKey, Bucket.State> keys = new LinkedHashMap<>();
        try {
            for (String line : text.lines().toList()) {
                String[] words = line.split(" ", -1);
                if (words.length == 5 && words[0].equals("network")) {
                    networks.add(network(words));
                } else if (words.length == 4 && words[0].equals("key")) {
                    keys.put(PublicKey.parse(words[1]).orElseThrow(() -> new IllegalArgumentException("not a key")),
                            new Bucket.State(level(words[2]), moment(words[3])));
                } else {
                    return Optional.empty();
                }
            }
        } catch (IllegalArgumentException damaged) {
            return Optional.empty();
        }
        return Optional.of(new Content(networks, keys));
    }

    private static NetworkEntry network(String[] words) {
        Network network = Network.of(words[1]);
        double level = words[2].equals(OVER) ? Double.NaN : level(words[2]);
        return new NetworkEntry(network, new NetworkBuckets.Entry(network.high(), network.low(), level,
                moment(words[3]), moment(words[4])));
    }

    private static long moment(String word) {
        long millis = Long.parseLong(word);
        if (millis < 0) {
            throw new IllegalArgumentException("a time before 1970");
        }
        return millis;
    }

    private static double level(String word) {
        double level = Double.parseDouble(word);
        if (!(level >= 0 && level <= Double.MAX_VALUE)) {
            throw new IllegalArgumentException("invalid level " + level);
        }
        return level;
    }

    /** Returns a bucket with its network. */
    static NetworkEntry entry(NetworkBuckets.Entry bucket, NetworkLimit limit) {
        int bits = limit.bits(AddressBits.isV4(bucket.high(), bucket.low()));
        return new NetworkEntry(new Network(bucket.high(), bucket.low(), bits), bucket);
    }
}
