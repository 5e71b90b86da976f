package dev.weir.packages;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.testkit.Installed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The program of docs/integrate/embedding.md, built outside of this build from the repository that the build filled:
 * with {@code weir-bom} and the three libraries, and asking the storage of the tarball.
 */
class EmbeddingTest {
    private static final Path REPOSITORY = Path.of("../target/repository").toAbsolutePath().normalize();

    @TempDir
    private Path folder;

    @Test
    void theProgramOfThePageBuildsAndRuns() throws Exception {
        Installed.require("mvn", "maven");
        assertThat(REPOSITORY.resolve("dev/weir/weir-bom")).isDirectory();
        String page = Files.readString(Path.of("../docs/integrate/embedding.md"));
        Path project = Files.createDirectories(folder.resolve("project/src/main/java")).resolve("../../..").normalize();
        Path build = Files.writeString(project.resolve("pom.xml"), block(page, "xml").replace("VERSION", version())
                .replace("file:///path/to/weir/target/repository", REPOSITORY.toUri().toString()));
        Files.writeString(project.resolve("src/main/java/Known.java"), block(page, "java"));
        Path mail = Files.writeString(folder.resolve("mail.eml"), InstallationTest.MAIL);
        Path settings = Files.writeString(folder.resolve("settings.xml"), settings());

        Tarball tarball = Tarball.unpack(folder);
        Path pair = Files.writeString(folder.resolve("pair.conf"), tarball.weir("", "keypair").succeeded());
        Matcher key = Pattern.compile("pubkey = \"(\\w+)\"").matcher(Files.readString(pair));
        assertThat(key.find()).isTrue();
        try (Service service = tarball.serve(folder.resolve("data"), "--keypair", pair.toString())) {
            List<String> run = List.of("mvn", "--batch-mode", "--no-transfer-progress", "--quiet", "--settings",
                    settings.toString(), "--file", build.toString(), "-Dmaven.repo.local=" + folder.resolve("local"),
                    "compile", "exec:exec", "-Dexec.args=--enable-native-access=ALL-UNNAMED -cp %classpath Known "
                            + service.place() + " " + key.group(1) + " " + mail);
            Map<String, String> environment = Map.of("JAVA_HOME", System.getProperty("java.home"));
            assertThat(Commands.run(run, environment).succeeded()).contains("learned").doesNotContain("known");
            assertThat(Commands.run(run, environment).succeeded())
                    .contains("known: flag 1, value 10, probability 1.00");
        }
    }

    private static String block(String page, String language) {
        Matcher block = Pattern.compile("(?ms)^```" + language + "\\n(.*?)^```$").matcher(page);
        assertThat(block.find()).as(language).isTrue();
        return block.group(1);
    }

    private static String version() throws Exception {
        Matcher version = Pattern.compile("<version>([^<]+)</version>").matcher(Files.readString(Path.of("pom.xml")));
        assertThat(version.find()).isTrue();
        return version.group(1);
    }

    /**
     * Weir comes from the repository of this build. The rest comes from what Maven keeps on this machine, so that
     * little is loaded, and else from the usual place.
     */
    private static String settings() {
        String kept = System.getProperty("localRepository", System.getProperty("user.home") + "/.m2/repository");
        return """
                <settings>
                  <profiles>
                    <profile>
                      <id>test</id>
                      <repositories>
                        <repository>
                          <id>weir</id>
                          <url>%1$s</url>
                        </repository>
                        <repository>
                          <id>kept</id>
                          <url>%2$s</url>
                          <releases><checksumPolicy>ignore</checksumPolicy></releases>
                        </repository>
                      </repositories>
                      <pluginRepositories>
                        <pluginRepository>
                          <id>kept</id>
                          <url>%2$s</url>
                          <releases><checksumPolicy>ignore</checksumPolicy></releases>
                        </pluginRepository>
                      </pluginRepositories>
                    </profile>
                  </profiles>
                  <activeProfiles><activeProfile>test</activeProfile></activeProfiles>
                </settings>
                """.formatted(REPOSITORY.toUri(), Path.of(kept).toUri());
    }
}
