package dev.weir.milter.settings;

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
public final class MilterConfigs {
    private MilterConfigs() {}

    /** Returns the settings of a configuration that has {@code worker "milter"} and no errors. */
    public static MilterSettings parse(String text) throws ConfigException {
        Problems problems = new Problems();
        return read(text, problems)
                .filter(_ -> !problems.hasErrors())
                .orElseThrow(() -> new IllegalArgumentException(problems.all().toString()));
    }

    static Optional<MilterSettings> read(String text, Problems problems) throws ConfigException {
        UclObject root = (UclObject) Ucl.parse("test.conf", text, UclSettings.PLAIN).root();
        return MilterReader.read(new Configuration(Configuration.Shape.WHOLE_FILE, "test.conf", root, List.of(),
                List.of()), new DiskFiles(), problems);
    }
}
