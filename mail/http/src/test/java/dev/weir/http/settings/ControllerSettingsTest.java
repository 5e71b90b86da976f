package dev.weir.http.settings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

import dev.weir.config.Configuration;
import dev.weir.config.option.Problems;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.source.Problem;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.http.controller.Actions;
import dev.weir.net.ListenAddress;
import dev.weir.wire.key.KeyPair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

final class ControllerSettingsTest {
    private final Problems problems = new Problems();
    private UnaryOperator<List<SocketAddress>> listening = UnaryOperator.identity();

    private Optional<HttpSettings> read(String text) throws ConfigException {
        UclObject root = (UclObject) Ucl.parse("test.conf", text, UclSettings.PLAIN).root();
        return ControllerSettings.read(new Configuration(Configuration.Shape.WHOLE_FILE, "test.conf", root, List.of(),
                List.of()), new DiskFiles(), listening, problems);
    }

    private static InetSocketAddress place(String address, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(address), port);
    }

    @Test
    void readsDebiansConfiguration() throws ConfigException {
        HttpSettings settings = read("""
                worker "controller" {
                  bind_socket = "127.0.0.1:11334";
                  count = 1;
                  password = "q1";
                  secure_ip = "127.0.0.1";
                  secure_ip = "::1";
                  static_dir = "/usr/share/rspamd/www";
                  allow_file_and_shm_inputs = true; max_connections = 0; max_connections_per_source = 0;
                }
                """).orElseThrow();
        assertThat(problems.hasErrors()).isFalse();
        assertThat(problems.all()).extracting(Problem::message).anyMatch(message -> message.contains("never accepted"))
                .anyMatch(message -> message.contains("static_dir")).noneMatch(message -> message.contains("q1"));
        assertThat(settings.binds()).containsExactly(place("127.0.0.1", 11334));
        assertThat(settings.limits().connections())
                .isEqualTo(HttpSettings.local(Actions.DEFAULT).limits().connections());
        assertThat(settings.access().secure().orElseThrow().contains(InetAddress.ofLiteral("::1"))).isTrue();
        assertThat(settings.access().secure().orElseThrow().contains(InetAddress.ofLiteral("192.0.2.1"))).isFalse();
    }

    @Test
    void readsEveryOption() throws ConfigException {
        KeyPair pair = KeyPair.generate(new SecureRandom());
        HttpSettings settings = read(
                """
                        worker "controller" {
                          bind_socket = ["*:1234", "[::1]:5", "/run/weir.sock", "127.0.0.2"];
                          password = "$1$thrm4ecjy96ppzqmbz1o4y653u7pk69j$7o4z8pebofhwrnxnm5mfs463197iq3d9jq9fgaxw4fo6x1w55tmb";
                          enable_password = "write"; secure_ip = "10.0.0.0/8, 2001:db8::/32"; max_auth_failures = 3;
                          auth_failure_window = 2min; session_idle = 5min; timeout = 5s; max_message = 1mb; max_connections = 10;
                          max_connections_per_source = 4; word_samples = 7d;
                          %s
                        }
                        actions { reject = 20; add_header = 7.5; "soft reject" = 9; greylist = null; unknown = 3; }
                        """
                        .formatted(pair.toUcl()))
                .orElseThrow();
        assertThat(problems.hasErrors()).isFalse();
        assertThat(problems.all()).extracting(Problem::message).satisfiesExactlyInAnyOrder(
                message -> assertThat(message).contains("not hashed"),
                message -> assertThat(message).startsWith("\"unknown\" of actions has no effect"));
        assertThat(settings.binds()).containsExactly(new InetSocketAddress(ListenAddress.all(), 1234), place("::1", 5),
                UnixDomainSocketAddress.of("/run/weir.sock"), place("127.0.0.2", 11334));
        assertThat(settings.access().password().orElseThrow().isSlow()).isTrue();
        assertThat(settings.access().enablePassword().orElseThrow().isPlain()).isTrue();
        assertThat(settings.access().maxFailures()).isEqualTo(3);
        assertThat(settings.access().window()).isEqualTo(Duration.ofMinutes(2));
        assertThat(settings.access().idle()).isEqualTo(Duration.ofMinutes(5));
        assertThat(settings.limits().receive()).isEqualTo(Duration.ofSeconds(5));
        assertThat(settings.limits().connections()).isEqualTo(10);
        assertThat(settings.limits().perAddress()).isEqualTo(4);
        assertThat(settings.wordSamples()).isEqualTo(Duration.ofDays(7));
        assertThat(settings.limits().request().bodyBytes()).isEqualTo(1 << 20);
        assertThat(settings.keyPairs()).containsExactly(pair);
        assertThat(settings.actions().thresholds()).containsEntry("reject", 20.0).containsEntry("add header", 7.5)
                .containsEntry("soft reject", 9.0).hasSize(3);
        assertThat(settings.actions().of(9.5)).isEqualTo("soft reject");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"ssl = true|expected ssl_cert and ssl_key for an address with TLS",
        "bind_socket = \"127.0.0.1:1 ssl\"|expected ssl_cert and ssl_key for an address with TLS",
        "bind_socket = \"/run/x ssl\"|a Unix-domain socket has no TLS",
        "ssl_cert = \"/nowhere/x\"|expected both ssl_cert and ssl_key",
        "ssl_client_ca = \"/nowhere/x\"|expected ssl_cert and ssl_key beside it",
        "ssl_cert = \"/nowhere/x\"; ssl_key = \"/nowhere/y\"|/nowhere/x: ", "pasword = x|did you mean \"password\"",
        "password = \"$2$abc\"|damaged hash", "bind_socket = \"nowhere:x\"|expected host:port",
        "secure_ip = \"1.2.3.4.5\"|expected an address", "bind_socket = \"*:1\"|say who may learn",
        "max_auth_failures = many|expected a whole number", "password = \"\"|is empty",
        "enable_password = \"\"|is empty", "allowed_hosts = \"a:1\"|without a port",
        "word_samples = 91d|expected a value from 0 to 7776000", "owner = x|runs as the user that started it"})
    void mistakesAreNamedWithTheirPlace(String option, String message) throws ConfigException {
        read("worker \"controller\" {\n  " + option + ";\n}\n");
        assertThat(problems.hasErrors()).isTrue();
        assertThat(problems.all()).extracting(Problem::toString)
                .anyMatch(text -> text.contains(message) && text.startsWith("test.conf:"));
    }

    @Test
    void rulesMustFitTheAddresses() throws ConfigException {
        String open = "worker \"controller\" { bind_socket = \"127.0.0.1:1\"; }";
        listening = _ -> List.of(new InetSocketAddress(2));
        assertThat(read(open)).isPresent();
        assertThat(problems.all()).extracting(Problem::toString).singleElement().asString()
                .startsWith("test.conf:1:").contains("say who may learn and forget");
        read("worker \"controller\" { bind_socket = \"127.0.0.1:1\"; secure_ip = \"192.0.2.1\"; }");
        assertThat(problems.all()).as("nothing more").hasSize(1);
        listening = _ -> List.of(place("127.0.0.1", 2), UnixDomainSocketAddress.of("/run/weir.sock"));
        read("worker \"controller\" { bind_socket = \"*:1\"; }");
        assertThat(problems.all()).as("it does not listen there").hasSize(1);
    }

    @Test
    void trustedNetworksThatAreNoneTrustNoAddress(@TempDir Path folder) throws Exception {
        Path map = Files.writeString(folder.resolve("secure.map"), "# none for now\n");
        for (String none : List.of("\"" + map + "\"", "[]", "\"\"")) {
            HttpSettings settings = read("worker \"controller\" { bind_socket = \"*:1\"; secure_ip = " + none + "; }")
                    .orElseThrow();
            assertThat(problems.hasErrors()).isFalse();
            assertThat(settings.access().isGuarded()).isTrue();
            assertThat(settings.access().secure().orElseThrow().isEmpty()).isTrue();
        }
        assertThat(read("worker \"controller\" { }").orElseThrow().access().isGuarded()).isFalse();
    }

    @Test
    void readsHostNames() throws ConfigException {
        HttpSettings settings = read(
                "worker \"controller\" { bind_socket = [\"LocalHost:1\", \"127.0.0.1:2\", \"[::1]:3\","
                        + " \"*:4\", \"*v4:5\", \"/run/weir.sock\"]; secure_ip = \"127.0.0.1\";"
                        + " allowed_hosts = [\"Mail.example.org\", \"weir\"]; }")
                .orElseThrow();
        assertThat(problems.hasErrors()).isFalse();
        assertThat(settings.access().hosts()).containsExactlyInAnyOrder("localhost", "mail.example.org", "weir");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "worker \"controller\" { count = -1; }", "worker \"controller\" { count = 0; }",
        "worker \"controller\" { enabled = false; }"})
    void switchedOff(String text) throws ConfigException {
        assertThat(read(text)).isEmpty();
        assertThat(problems.hasErrors()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":1", "host:99999", "[::1:5", "/a b", "1.2.3.4:-1", "not a host:1"})
    void addressesThatAreNone(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> BindText.parse(text));
    }
}
