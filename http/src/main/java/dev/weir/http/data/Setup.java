package dev.weir.http.data;

import java.util.List;
import java.util.function.Supplier;

/**
 * The configuration of the running program, for display.
 *
 * @param sections reads the configuration again and returns its sections; empty without a configuration
 */
public record Setup(Supplier<List<Section>> sections) {
    /** A program without a configuration. */
    public static final Setup NONE = new Setup(List::of);

    /**
     * A section of the configuration.
     *
     * @param text the settings, each with its file and line, without secrets
     */
    public record Section(String name, String text) {}
}
