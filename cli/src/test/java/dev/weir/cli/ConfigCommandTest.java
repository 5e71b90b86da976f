package dev.weir.cli;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code weir config}: what is said of configurations that can be used and of ones that cannot. */
class ConfigCommandTest {
    @TempDir
    Path folder;

    private String write(String text) throws Exception {
        return Files.writeString(folder.resolve("weir.conf"), text).toString();
    }

    @Test
    void aSoundConfiguration() throws Exception {
        final String path = write("worker \"fuzzy\" { hash_file = \"/var/lib/weir/fuzzy.db\"; count = 2; }\n");
        final Run run = Run.weir("config", "check", path);
        assertThat(run.status()).isEqualTo(ExitCode.OK);
        assertThat(run.err()).isEmpty();
    }

    @Test
    void everyMistakeWithItsPlace() throws Exception {
        final String path = write("""
                worker "fuzzy" {
                  hash_file = "/var/lib/weir/fuzzy.db";
                  expires = 90d;
                  encrypted_only = maybe;
                }
                """);
        final Run run = Run.weir("config", "check", path);
        assertThat(run.status()).isEqualTo(ExitCode.INPUT);
        assertThat(run.err()).contains("weir.conf:3:3: unknown option \"expires\"", "did you mean \"expire\"?",
                "weir.conf:4:");
    }

    @Test
    void valuesWithTheirOriginAndWithoutSecrets() throws Exception {
        final String path = write("""
                worker "fuzzy" {
                  hash_file = "/var/lib/weir/fuzzy.db";
                  keypair { pubkey = "abc"; privkey = "verysecret"; }
                }
                """);
        final Run run = Run.weir("config", "explain", path);
        assertThat(run.out()).contains("/var/lib/weir/fuzzy.db", "weir.conf:2").doesNotContain("verysecret");
    }

    @Test
    void aFileThatIsNotThere() {
        final Run run = Run.weir("config", "check", folder.resolve("no.conf").toString());
        assertThat(run.status()).isEqualTo(ExitCode.INPUT);
        assertThat(run.err()).contains("no.conf");
    }

    @Test
    void rulesAloneAreAConfigurationForScanners() throws Exception {
        final Path rules = Files.writeString(folder.resolve("fuzzy_check.conf"), """
                rule "one" { servers = "127.0.0.1:11335"; symbol = "UNKNOWN"; fuzzy_map { DENIED { flag = 1; } } }
                """);
        final Run run = Run.weir("config", "check", rules.toString());
        assertThat(run.out() + run.err()).contains("can be used by scanners").doesNotContain("no worker");
        assertThat(run.status()).isEqualTo(ExitCode.OK);
        assertThat(Run.weir("serve", "-c", rules.toString()).err()).contains("no worker \"fuzzy\"");
    }
}
