package dev.weir.packages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** The commands in docs/start/installing.md. */
final class Guide {
    private static final Path PAGE = Path.of("../docs/start/installing.md");

    private Guide() {}

    /** Returns the lines of all shell blocks in a section, without their comments. */
    static List<String> commands(String section) throws IOException {
        List<String> commands = new ArrayList<>();
        boolean inSection = false;
        boolean inBlock = false;
        for (String line : Files.readAllLines(PAGE)) {
            if (!inBlock && line.startsWith("## ")) {
                inSection = line.equals("## " + section);
            } else if (inSection && line.startsWith("```")) {
                inBlock = line.equals("```sh");
            } else if (inSection && inBlock) {
                commands.add(line.replaceFirst("\\s+#.*", ""));
            }
        }
        assertThat(commands).as(section).isNotEmpty();
        return commands;
    }
}
