package dev.weir.config.option;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/** The sections to which options belong, for messages about an option in the wrong section, and the secret ones. */
public final class OptionPlaces {
    private static final SequencedMap<String, OptionTable> TABLES = tables();

    private OptionPlaces() {}

    private static SequencedMap<String, OptionTable> tables() {
        SequencedMap<String, OptionTable> tables = new LinkedHashMap<>();
        tables.put("worker \"fuzzy\"", OptionTable.shipped("worker-fuzzy"));
        tables.put("worker \"controller\"", OptionTable.shipped("worker-controller"));
        tables.put("keypair of worker \"fuzzy\"", OptionTable.shipped("keypair"));
        tables.put("extensions of keypair", OptionTable.shipped("key-extensions"));
        tables.put("replication of worker \"fuzzy\"", OptionTable.shipped("replication"));
        tables.put("a follower of replication", OptionTable.shipped("replication-follower"));
        tables.put("waves of worker \"fuzzy\"", OptionTable.shipped("waves"));
        tables.put("learn of waves", OptionTable.shipped("waves-learn"));
        tables.put("slave of worker \"fuzzy\"", OptionTable.shipped("slave"));
        tables.put("fuzzy_check", OptionTable.shipped("fuzzy_check"));
        tables.put("a rule of fuzzy_check", OptionTable.shipped("fuzzy-rule"));
        tables.put("an entry of fuzzy_map", OptionTable.shipped("fuzzy-map"));
        tables.put("tcp of a rule", OptionTable.shipped("fuzzy-tcp"));
        tables.put("text of checks", OptionTable.shipped("checks-text"));
        tables.put("html of checks", OptionTable.shipped("checks-html"));
        tables.put("image of checks", OptionTable.shipped("checks-image"));
        tables.put("archive of checks", OptionTable.shipped("checks-archive"));
        return tables;
    }

    /** Returns whether an option with this name or alias is secret in any section. */
    public static boolean isSecret(String name) {
        return TABLES.values()
                .stream()
                .anyMatch(table -> table.find(name).filter(option -> option.type() == Option.Type.SECRET).isPresent());
    }

    /** Returns the sections in which an option has an effect. */
    public static List<String> of(String name) {
        return TABLES.sequencedEntrySet()
                .stream()
                .filter(table -> table.getValue()
                        .find(name)
                        .filter(option -> option.status() == Option.Status.HONORED)
                        .isPresent())
                .map(entry -> entry.getKey())
                .toList();
    }
}
