package dev.weir.scan.rule;

import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Map;

import dev.weir.config.ConfigurationLoader;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.SourceFiles;
import dev.weir.config.ucl.UclLimits;

/** Settings parsed from a text. */
public final class TestSettings {
    private static final String FILE = "/weir.conf";

    private TestSettings() {}

    /** Returns the settings of a configuration in one file. */
    public static FuzzyCheckSettings of(String text) throws ConfigException {
        SourceFiles files = new SourceFiles() {
            @Override
            public byte[] read(String path, int limit) {
                return text.getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public String realPath(String path) throws NoSuchFileException {
                if (!path.equals(FILE)) {
                    throw new NoSuchFileException(path);
                }
                return path;
            }

            @Override
            public List<String> glob(String pattern, int limit) {
                return List.of();
            }
        };
        return FuzzyCheckSettings.of(
                new ConfigurationLoader(files, "host", Map.of(), Map.of(), UclLimits.DEFAULT).load(FILE), files);
    }
}
