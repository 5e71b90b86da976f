package dev.weir.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A check of the length of every line, because the formatter wraps neither comments nor strings. */
class SourceLayoutTest {
    private static final int COLUMNS = 120;
    private static final String TEXT_BLOCK = "\"\"\"";

    /** Tests run in the folder of their module. */
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    @Test
    void linesFitInto120Columns() throws IOException {
        List<String> sources = new ArrayList<>();
        List<String> tooLong = new ArrayList<>();
        try (Stream<Path> modules = Files.walk(ROOT, 2)) {
            for (Path module : modules.filter(folder -> Files.exists(folder.resolve("pom.xml"))).toList()) {
                collect(module.resolve("src"), sources, tooLong);
            }
        }
        assertThat(sources).as("sources of all modules").hasSizeGreaterThan(500);
        assertThat(tooLong).isEmpty();
    }

    private static void collect(Path folder, List<String> sources, List<String> tooLong) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
                sources.add(file.toString());
                tooLong.addAll(longLines(file));
            }
        }
    }

    private static List<String> longLines(Path file) throws IOException {
        List<String> found = new ArrayList<>();
        boolean textBlock = false;
        int number = 0;
        for (String line : Files.readAllLines(file)) {
            number++;
            boolean begins = textBlock;
            if (line.split(TEXT_BLOCK, -1).length % 2 == 0) {
                textBlock = !textBlock;
            }
            if (line.length() > COLUMNS && !begins && !textBlock) {
                found.add(ROOT.relativize(file) + ":" + number);
            }
        }
        return found;
    }
}
