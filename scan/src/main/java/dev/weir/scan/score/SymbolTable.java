package dev.weir.scan.score;

import java.util.Map;
import java.util.OptionalDouble;

/**
 * The configured symbols with their weights, and the caps of their groups.
 *
 * @param symbols by name
 * @param groups by name
 * @param unknownWeight of symbols without configuration
 */
public record SymbolTable(Map<String, Symbol> symbols, Map<String, Group> groups, double unknownWeight) {
    /** The group that fuzzy symbols belong to. */
    public static final String FUZZY = "fuzzy";

    /** Copies the maps. */
    public SymbolTable {
        symbols = Map.copyOf(symbols);
        groups = Map.copyOf(groups);
    }

    /**
     * A symbol.
     *
     * @param weight its score is multiplied with
     * @param description may be empty
     * @param group whose caps apply
     */
    public record Symbol(double weight, String description, String group) {}

    /**
     * The caps of a group.
     *
     * @param most of the sum of positive contributions
     * @param least of the sum of negative contributions, itself negative
     */
    public record Group(OptionalDouble most, OptionalDouble least) {}

    /** The symbol of a name; one without configuration has the weight for these and belongs to group fuzzy. */
    public Symbol symbol(String name) {
        Symbol symbol = symbols.get(name);
        return symbol == null ? new Symbol(unknownWeight, "", FUZZY) : symbol;
    }
}
