package dev.weir.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Checks of the source texts of all modules. */
class SourceLayoutTest {
    private static final int COLUMNS = 120;
    private static final String TEXT_BLOCK = "\"\"\"";

    /** Tests run in the folder of their module. */
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    /** A caught exception that becomes part of a text as it is, with the name of its class. */
    private static final Pattern CLASS_IN_WORDS = Pattern.compile(
            "\" \\+ e(\\.getCause\\(\\))?(?![.\\w(])|String\\.valueOf\\(e(\\.getCause\\(\\))?\\)|\\be\\.toString\\(\\)"
                    + "|\\be\\.getClass\\(\\)\\.get(Simple)?Name\\(");

    /** A check of one file, which returns the numbers of the lines that fail. */
    private interface Check {
        List<Integer> failing(List<String> lines);
    }

    /** The formatter wraps neither comments nor strings. */
    @Test
    void linesFitInto120Columns() throws IOException {
        assertThat(failing("src", SourceLayoutTest::longLines)).isEmpty();
    }

    /** A person reads the reason of a failure, which {@link dev.weir.model.failure.Reason} has, and not its class. */
    @Test
    void failuresAreInWords() throws IOException {
        assertThat(failing("src/main", lines -> numbers(lines, line -> CLASS_IN_WORDS.matcher(line).find()))).isEmpty();
    }

    /** A failure that another run does not repeat teaches nothing. */
    @Test
    void propertiesHaveSeeds() throws IOException {
        assertThat(failing("src/test", lines -> numbers(lines,
                line -> line.strip().startsWith("@Property") && !line.contains("seed = ")))).isEmpty();
    }

    private static List<String> failing(String part, Check check) throws IOException {
        List<String> failing = new ArrayList<>();
        int sources = 0;
        try (Stream<Path> modules = Files.walk(ROOT, 2)) {
            for (Path module : modules.filter(folder -> Files.exists(folder.resolve("pom.xml"))).toList()) {
                for (Path file : sources(module.resolve(part))) {
                    sources++;
                    check.failing(Files.readAllLines(file))
                            .forEach(number -> failing.add(ROOT.relativize(file) + ":" + number));
                }
            }
        }
        assertThat(sources).as("sources of all modules").isGreaterThan(500);
        return failing;
    }

    private static List<Path> sources(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(path -> path.toString().endsWith(".java")).toList();
        }
    }

    private static List<Integer> numbers(List<String> lines, Predicate<String> fails) {
        return IntStream.range(0, lines.size()).filter(i -> fails.test(lines.get(i)))
                .mapToObj(i -> i + 1).toList();
    }

    private static List<Integer> longLines(List<String> lines) {
        List<Integer> found = new ArrayList<>();
        boolean textBlock = false;
        int number = 0;
        for (String line : lines) {
            number++;
            boolean begins = textBlock;
            if (line.split(TEXT_BLOCK, -1).length % 2 == 0) {
                textBlock = !textBlock;
            }
            if (line.length() > COLUMNS && !begins && !textBlock) {
                found.add(number);
            }
        }
        return found;
    }
}
