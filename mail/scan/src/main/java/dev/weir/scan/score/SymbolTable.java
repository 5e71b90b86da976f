package dev.weir.scan.score;

import java.util.Map;
import java.util.OptionalDouble;

/**
 * The configured symbols with their weights, and the caps of their groups.
 *
 * @param symbols the symbols by name
 * @param groups the groups by name
 * @param unknownWeight the weight of symbols that are not configured
 */
public record SymbolTable(Map<String, Symbol> symbols, Map<String, Group> groups, double unknownWeight) {
    /** The group of fuzzy symbols. */
    public static final String FUZZY = "fuzzy";

    /** Copies the maps. */
    public SymbolTable {
        symbols = Map.copyOf(symbols);
        groups = Map.copyOf(groups);
    }

    /**
     * A symbol.
     *
     * @param weight the factor for its score
     * @param description the description; may be empty
     * @param group the group whose caps apply
     */
    public record Symbol(double weight, String description, String group) {}

    /**
     * The caps of a group.
     *
     * @param most the cap on the sum of positive contributions
     * @param least the cap on the sum of negative contributions, a negative number
     */
    public record Group(OptionalDouble most, OptionalDouble least) {}

    /**
     * Returns the symbol with a name. A symbol that is not configured has {@code unknownWeight} and belongs to group
     * fuzzy.
     */
    public Symbol symbol(String name) {
        Symbol symbol = symbols.get(name);
        return symbol == null ? new Symbol(unknownWeight, "", FUZZY) : symbol;
    }
}
