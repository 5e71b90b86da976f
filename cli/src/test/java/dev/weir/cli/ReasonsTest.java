package dev.weir.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A message for a person gives the reason of a failure, and not the name of a file alone, which Java's exceptions do.
 */
class ReasonsTest {
    private static final Pattern CATCH = Pattern.compile("catch \\(([^()]*?)\\b(\\w+)\\)\\s*\\{");
    private static final Pattern BARE = Pattern
            .compile("\\b(IOException|FileSystemException|UnknownHostException|SocketException|ConnectException)\\b");
    /** Modules whose messages no user reads, and one that stands below the class with the reasons. */
    private static final List<String> OTHERS = List.of("bench", "load", "testkit", "interop", "lua");

    @Test
    void noMessageIsThatOfAnExceptionOfTheSystem() throws IOException {
        List<String> wrong = new ArrayList<>();
        try (Stream<Path> modules = Files.walk(Path.of("..").toRealPath(), 2)) {
            for (Path module : modules.filter(found -> Files.isDirectory(found.resolve("src/main/java"))
                    && !OTHERS.contains(found.getFileName().toString())).toList()) {
                try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
                    for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
                        find(file, wrong);
                    }
                }
            }
        }
        assertThat(wrong).as("write Reason.of(e)").isEmpty();
    }

    private static void find(Path file, List<String> wrong) throws IOException {
        String source = Files.readString(file);
        Matcher caught = CATCH.matcher(source);
        while (caught.find()) {
            // The end of the block is the brace with the indentation of its line.
            int line = source.lastIndexOf('\n', caught.start()) + 1;
            String indent = source.substring(line).replaceFirst("(?s)\\S.*", "");
            int end = source.indexOf("\n" + indent + "}", caught.end());
            String block = source.substring(caught.end(), end < 0 ? source.length() : end);
            if (BARE.matcher(caught.group(1)).find() && block.contains(caught.group(2) + ".getMessage()")) {
                wrong.add(file.getFileName() + ": " + caught.group());
            }
        }
    }
}
