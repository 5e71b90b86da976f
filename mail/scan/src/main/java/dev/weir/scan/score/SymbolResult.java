package dev.weir.scan.score;

import java.util.List;

/**
 * A symbol of a mail.
 *
 * @param name the name of the symbol
 * @param group the group whose caps apply
 * @param score the contribution to the total, with weight and caps applied
 * @param kinds the share of a whole hit that kinds beyond those of Rspamd count together, 0 to 1; the score may come
 *            from a hit of Rspamd's kinds that counts more
 * @param weight the configured weight of the symbol, which Rspamd calls its metric score
 * @param options one option per hit in Rspamd's format: {@code 11:53c3aaf623:1.00:txt}
 * @param description the description in the configuration; may be empty
 */
public record SymbolResult(String name, String group, double score, double kinds, double weight, List<String> options,
        String description) {
    /** Copies the list. */
    public SymbolResult {
        options = List.copyOf(options);
    }
}
