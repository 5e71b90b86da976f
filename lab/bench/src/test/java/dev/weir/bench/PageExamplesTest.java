package dev.weir.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/** The measuring programs in the pages, as a reader copies them. */
class PageExamplesTest {
    private static final Pattern COMMAND = Pattern.compile("lab/bench/run\\s+([^`#|]+)");
    private static final Path DOCS = Path.of("..", "..", "docs");

    private static List<String> commands() throws IOException {
        List<String> commands = new ArrayList<>();
        try (Stream<Path> files = Files.walk(DOCS)) {
            for (Path page : files.filter(file -> file.toString().endsWith(".md")).sorted().toList()) {
                for (Matcher command = COMMAND.matcher(Files.readString(page)); command.find();) {
                    commands.add(DOCS.relativize(page) + " " + command.group(1));
                }
            }
        }
        return commands;
    }

    @Test
    void everyProgramHasTheOptionsOfThePages() throws Exception {
        List<String> commands = commands();
        assertThat(commands).hasSizeGreaterThan(80);
        for (String command : commands) {
            // Words in capitals stand for what only the reader knows.
            String[] words = command.replaceAll("[…\\[\\]]", "").replaceAll("\\bN\\b", "1000").strip().split("\\s+",
                    -1);
            try {
                Main.commands().parseArgs(Stream.of(words).skip(1).toArray(String[]::new));
            } catch (MissingParameterException e) {
                // A sentence may name a program without its folders.
            } catch (ParameterException e) {
                fail(command, e);
            }
        }
    }
}
