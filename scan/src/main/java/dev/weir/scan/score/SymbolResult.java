package dev.weir.scan.score;

import java.util.List;

/**
 * A symbol that a mail has.
 *
 * @param name of the symbol
 * @param group whose caps apply to it
 * @param score its contribution to the total, weight and caps applied
 * @param weight the configured weight of the symbol, what Rspamd calls its metric score
 * @param options one for each hit, in Rspamd's shape: {@code 11:53c3aaf623:1.00:txt}
 * @param description from the configuration, may be empty
 */
public record SymbolResult(String name, String group, double score, double weight, List<String> options,
        String description) {
    /** Copies the list. */
    public SymbolResult {
        options = List.copyOf(options);
    }
}
