package dev.weir.scan;

import java.util.List;
import java.util.Map;

/**
 * The rules with their servers and flags, as {@code /plugins/fuzzy/storages} shows them.
 *
 * @param rules in the order of the configuration
 */
public record StoragesListing(List<Storage> rules) {
    /** Copies the list. */
    public StoragesListing {
        rules = List.copyOf(rules);
    }

    /**
     * A rule.
     *
     * @param rule its name
     * @param readOnly whether it never learns
     * @param readServers servers that are asked, as the configuration writes them
     * @param writeServers servers that are taught
     * @param flags by symbol
     */
    public record Storage(String rule, boolean readOnly, List<String> readServers, List<String> writeServers,
            Map<String, Long> flags) {
        /** Copies the collections. */
        public Storage {
            readServers = List.copyOf(readServers);
            writeServers = List.copyOf(writeServers);
            flags = Map.copyOf(flags);
        }
    }
}
