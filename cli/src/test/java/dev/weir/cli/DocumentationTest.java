package dev.weir.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The pages of the documentation: what they refer to is there. */
class DocumentationTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]+)(#[^)\\s]*)?\\)");

    private static List<Path> pages() throws IOException {
        try (Stream<Path> top = Files.list(ROOT); Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(top, docs).filter(file -> file.toString().endsWith(".md")).sorted().toList();
        }
    }

    @Test
    void everyLinkToAFileLeadsToOne() throws Exception {
        assertThat(pages()).hasSizeGreaterThan(20).allSatisfy(page -> {
            for (MatchResult link : LINK.matcher(Files.readString(page)).results().toList()) {
                String target = link.group(1);
                if (!target.contains("://")) {
                    assertThat(page.resolveSibling(target)).exists();
                }
            }
        });
    }
}
