package dev.weir.storage.admin;

import java.util.List;
import java.util.function.Supplier;

import dev.weir.config.map.MapAddress;

/**
 * The configuration of the running program: what it says, and the lists that may be edited while it is in force.
 *
 * @param sections reads the configuration again and returns its sections; empty without a configuration
 * @param keyFiles returns the places of the lists of dynamic keys
 * @param refresh puts changed lists in force and returns the reasons if that failed; empty if they are in force
 */
public record Setup(Supplier<List<Section>> sections, Supplier<List<MapAddress>> keyFiles,
        Supplier<List<String>> refresh) {
    /** A program without a configuration. */
    public static final Setup NONE = new Setup(List::of, List::of, List::of);

    /**
     * A section of the configuration.
     *
     * @param text the settings, each with its file and line, without secrets
     */
    public record Section(String name, String text) {}
}
