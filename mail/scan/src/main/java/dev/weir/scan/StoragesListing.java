package dev.weir.scan;

import java.util.List;
import java.util.Map;

/**
 * The rules with their servers and flags, in the form of {@code /plugins/fuzzy/storages}.
 *
 * @param rules the rules in the order of the configuration
 */
public record StoragesListing(List<Storage> rules) {
    /** Copies the list. */
    public StoragesListing {
        rules = List.copyOf(rules);
    }

    /**
     * A rule.
     *
     * @param rule the name of the rule
     * @param readOnly whether the rule never learns
     * @param readServers the servers for checks as written in the configuration
     * @param writeServers the servers for updates
     * @param flags the flags by symbol
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
