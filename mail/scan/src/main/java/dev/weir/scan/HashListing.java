package dev.weir.scan;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

import dev.weir.model.Digest;

/**
 * The hashes of a mail under the rules that have one flag. No server was asked.
 *
 * @param rules the hashes by rule name, in the order of the configuration
 */
public record HashListing(SequencedMap<String, List<Hash>> rules) {
    /** Copies the map. */
    public HashListing {
        SequencedMap<String, List<Hash>> copy = new LinkedHashMap<>();
        for (Map.Entry<String, List<Hash>> rule : rules.entrySet()) {
            copy.put(rule.getKey(), List.copyOf(rule.getValue()));
        }
        rules = Collections.unmodifiableSequencedMap(copy);
    }

    /**
     * A hash.
     *
     * @param type {@code txt}, {@code img}, {@code bin}, {@code content}, {@code html} or {@code htmld}
     * @param digest the digest
     * @param ofText whether it is the hash of a text; Rspamd's listing contains only these
     */
    public record Hash(String type, Digest digest, boolean ofText) {}
}
