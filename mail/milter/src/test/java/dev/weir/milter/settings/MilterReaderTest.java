package dev.weir.milter.settings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.weir.config.option.Problems;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Problem;
import dev.weir.http.controller.Actions;
import dev.weir.model.Networks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

final class MilterReaderTest {
    private final Problems problems = new Problems();

    private Optional<MilterSettings> read(String text) throws ConfigException {
        return MilterConfigs.read(text, problems);
    }

    @Test
    void emptySectionHasTheDefaults() throws ConfigException {
        assertThat(read("worker \"milter\" {}")).contains(new MilterSettings(
                List.of(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 11_332)), Optional.empty(),
                MilterSettings.OnFailure.ACCEPT, MilterSettings.OnReject.REJECT, "Spam message rejected",
                "*** SPAM *** %s", "X-Weir-Spam", false, 50 << 20, 4096, Duration.ofHours(2), Duration.ofSeconds(30),
                Actions.DEFAULT));
        assertThat(problems.all()).isEmpty();
    }

    @Test
    void everyOptionCounts() throws ConfigException {
        assertThat(read("""
                worker "milter" {
                  bind_socket = ["192.0.2.1", "/run/weir/milter.sock"];
                  allow_ip = ["192.0.2.0/24", "2001:db8::/32"];
                  on_failure = "defer"; reject_message = "No spam"; quarantine_on_reject = true;
                  subject = "[spam] %s"; spam_header = "X-Spam"; spamd_result = true;
                  max_message = 1mb; max_connections = 10; timeout = 10min; scan_timeout = 5s;
                }
                actions { reject = 10; rewrite_subject = 5; }
                """)).contains(new MilterSettings(
                List.of(new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), MilterSettings.DEFAULT_PORT),
                        UnixDomainSocketAddress.of("/run/weir/milter.sock")),
                Optional.of(Networks.dualStack("192.0.2.0/24", "2001:db8::/32")),
                MilterSettings.OnFailure.DEFER, MilterSettings.OnReject.QUARANTINE, "No spam", "[spam] %s", "X-Spam",
                true, 1 << 20, 10, Duration.ofMinutes(10), Duration.ofSeconds(5),
                Actions.of(Map.of("reject", 10.0, "rewrite subject", 5.0))));
        assertThat(problems.all()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "worker \"milter\" { count = 0; }", "worker \"milter\" { enabled = false; }"})
    void switchedOff(String text) throws ConfigException {
        assertThat(read(text)).isEmpty();
        assertThat(problems.hasErrors()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"bind_socket = \"*:11332\" | has no allow_ip",
        "bind_socket = \"nowhere:x\" | expected host:port", "on_failure = \"perhaps\" | expected one of accept, defer",
        "reject_message = \"Grüße\" | one line of ASCII", "subject = \"\" | one line of ASCII",
        "spam_header = \"X Spam\" | the name of a header field", "allow_ip = \"1.2.3.4.5\" | expected an address",
        "discard_on_reject = true; quarantine_on_reject = true | both discarded and quarantined",
        "max_connections = 0 | max_connections", "owner = x | runs as the user that started it",
        "subjekt = x | subjekt"})
    void reportsErrors(String option, String message) throws ConfigException {
        read("worker \"milter\" { " + option + "; }");
        assertThat(problems.all()).extracting(Problem::message).anySatisfy(text -> assertThat(text).contains(message));
    }

    @Test
    void oneWorkerIsEnough() throws ConfigException {
        read("worker \"milter\" {}\nworker \"milter\" {}");
        assertThat(problems.hasErrors()).isTrue();
    }
}
