package dev.weir.packages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The artifacts for programs that embed Weir. */
class LibrariesTest {
    @ParameterizedTest
    @ValueSource(strings = {"wire", "hash", "scan"})
    void aLibraryHasItsSourcesAndItsJavadoc(String module) throws Exception {
        Set<String> classes = entries(module, "").stream().filter(name -> name.endsWith(".class"))
                .filter(name -> !name.contains("$")).map(name -> name.replaceFirst("\\.class$", ""))
                .collect(Collectors.toSet());
        assertThat(classes).hasSizeGreaterThan(10);
        List<String> sources = entries(module, "-sources");
        assertThat(classes).allSatisfy(name -> assertThat(sources).contains(name + ".java"));
        Set<String> pages = Set.copyOf(entries(module, "-javadoc"));
        assertThat(pages).contains("index.html");
        // Every package that has public classes has a page.
        assertThat(classes).anySatisfy(name -> assertThat(pages).contains(name + ".html"));
    }

    /** The BOM of weir-bom is the parent: what it manages is what ships and was tested together. */
    @Test
    void theBomManagesEveryLibraryThatShips() throws Exception {
        String managed = Files.readString(Path.of("../pom.xml"));
        assertThat(Files.readString(Path.of("bom/pom.xml"))).contains("<artifactId>weir-bom</artifactId>");
        for (String library : List.of("weir-wire", "weir-hash", "weir-scan", "icu4j", "icu4j-charset",
                "lucene-analysis-common", "apache-mime4j-dom", "hash4j")) {
            assertThat(managed).contains("<artifactId>" + library + "</artifactId>");
        }
    }

    private static List<String> entries(String module, String kind) throws IOException {
        Path target = Path.of("..", module.equals("scan") ? "mail" : "core", module, "target");
        try (Stream<Path> files = Files.list(target)) {
            Path jar = files.filter(file -> file.getFileName().toString()
                    .matches("weir-" + module + "-[0-9.]+(-SNAPSHOT)?" + kind + "\\.jar")).findFirst().orElseThrow();
            try (ZipFile zip = new ZipFile(jar.toFile())) {
                return zip.stream().map(ZipEntry::getName).toList();
            }
        }
    }
}
