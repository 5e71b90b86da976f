package dev.weir.trap.settings;

import java.util.List;
import java.util.Optional;

import dev.weir.config.Configuration;
import dev.weir.config.option.Problems;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;

/** Settings of tests, read from the text of a configuration. */
public final class TrapConfigs {
    private TrapConfigs() {}

    /**
     * Returns the settings of {@code worker "trap"}.
     *
     * @param options what is inside its braces
     */
    public static TrapSettings parse(String options) throws ConfigException {
        Problems problems = new Problems();
        return read(options, problems)
                .filter(_ -> !problems.hasErrors())
                .orElseThrow(() -> new IllegalArgumentException(problems.all().toString()));
    }

    static Optional<TrapSettings> read(String options, Problems problems) throws ConfigException {
        UclObject root = (UclObject) Ucl.parse("test.conf", "worker \"trap\" { " + options + " }", UclSettings.PLAIN)
                .root();
        return TrapReader.read(new Configuration(Configuration.Shape.WHOLE_FILE, "test.conf", root, List.of(),
                List.of()), new DiskFiles(), problems);
    }
}
