package dev.weir.http.settings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.weir.config.Configuration;
import dev.weir.config.option.Problems;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.source.Problem;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.wire.KeyPair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

final class ControllerSettingsTest {
    private final Problems problems = new Problems();

    private Optional<HttpSettings> read(String text) throws ConfigException {
        UclObject root = (UclObject) Ucl.parse("test.conf", text, UclSettings.PLAIN).root();
        return ControllerSettings.read(new Configuration(Configuration.Shape.WHOLE_FILE, "test.conf", root, List.of(),
                List.of()), new DiskFiles(), problems);
    }

    private static InetSocketAddress place(String address, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(address), port);
    }

    @Test
    void whatDebianShips() throws ConfigException {
        HttpSettings settings = read("""
                worker "controller" {
                  bind_socket = "127.0.0.1:11334";
                  count = 1;
                  password = "q1";
                  secure_ip = "127.0.0.1";
                  secure_ip = "::1";
                  static_dir = "/usr/share/rspamd/www";
                }
                """).orElseThrow();
        assertThat(problems.hasErrors()).isFalse();
        assertThat(problems.all()).extracting(Problem::message).anyMatch(message -> message.contains("never accepted"))
                .anyMatch(message -> message.contains("static_dir")).noneMatch(message -> message.contains("q1"));
        assertThat(settings.binds()).containsExactly(place("127.0.0.1", 11334));
        assertThat(settings.access().secure().contains(InetAddress.ofLiteral("::1"))).isTrue();
        assertThat(settings.access().secure().contains(InetAddress.ofLiteral("192.0.2.1"))).isFalse();
    }

    @Test
    void everyOption() throws ConfigException {
        KeyPair pair = KeyPair.generate(new SecureRandom());
        HttpSettings settings = read("""
                worker "controller" {
                  bind_socket = ["*:1234", "[::1]:5", "/run/weir.sock", "127.0.0.2"];
                  password = "$1$thrm4ecjy96ppzqmbz1o4y653u7pk69j$7o4z8pebofhwrnxnm5mfs463197iq3d9jq9fgaxw4fo6x1w55tmb";
                  enable_password = "write"; secure_ip = "10.0.0.0/8, 2001:db8::/32"; max_auth_failures = 3;
                  auth_failure_window = 2min; timeout = 5s; max_message = 1mb; max_connections = 10;
                  %s
                }
                actions { reject = 20; add_header = 7.5; "soft reject" = 9; greylist = null; unknown = 3; }
                """.formatted(pair.toUcl())).orElseThrow();
        assertThat(problems.all()).extracting(Problem::message).hasSize(1).first().asString().contains("not hashed");
        assertThat(settings.binds()).containsExactly(new InetSocketAddress(1234), place("::1", 5),
                UnixDomainSocketAddress.of("/run/weir.sock"), place("127.0.0.2", 11334));
        assertThat(settings.access().password().orElseThrow().isSlow()).isTrue();
        assertThat(settings.access().enablePassword().orElseThrow().isPlain()).isTrue();
        assertThat(settings.access().maxFailures()).isEqualTo(3);
        assertThat(settings.access().window()).isEqualTo(Duration.ofMinutes(2));
        assertThat(settings.limits().receive()).isEqualTo(Duration.ofSeconds(5));
        assertThat(settings.limits().connections()).isEqualTo(10);
        assertThat(settings.limits().request().bodyBytes()).isEqualTo(1 << 20);
        assertThat(settings.keyPairs()).containsExactly(pair);
        assertThat(settings.actions().thresholds()).containsEntry("reject", 20.0).containsEntry("add header", 7.5)
                .containsEntry("soft reject", 9.0).hasSize(3);
        assertThat(settings.actions().of(9.5)).isEqualTo("soft reject");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"ssl = true|TLS is not spoken", "pasword = x|did you mean \"password\"",
        "password = \"$2$abc\"|damaged hash", "bind_socket = \"nowhere:x\"|expected host:port",
        "secure_ip = \"1.2.3.4.5\"|expected an address", "bind_socket = \"*:1\"|everybody could learn",
        "max_auth_failures = many|expected a whole number", "owner = x|runs as whoever started it"})
    void mistakesAreNamedWithTheirPlace(String option, String message) throws ConfigException {
        read("worker \"controller\" {\n  " + option + ";\n}\n");
        assertThat(problems.hasErrors()).isTrue();
        assertThat(problems.all()).extracting(Problem::toString)
                .anyMatch(text -> text.contains(message) && text.startsWith("test.conf:"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "worker \"controller\" { count = -1; }", "worker \"controller\" { enabled = false; }"})
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
