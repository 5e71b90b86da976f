package dev.weir.cli.serve;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import dev.weir.storage.server.Bind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class BindConverterTest {
    private final BindConverter converter = new BindConverter();

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 127.0.0.1, 11335", "127.0.0.1:0, 127.0.0.1, 0", "[::1]:7, ::1, 7", "::1, ::1, 11335",
        "0.0.0.0:99, 0.0.0.0, 99"})
    void parsesAddresses(String text, String host, int port) {
        assertThat(converter.convert(text)).isEqualTo(
                new Bind.Inet(new InetSocketAddress(InetAddress.ofLiteral(host), port)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "*:11335"})
    void parsesWildcards(String text) {
        assertThat(converter.convert(text)).isInstanceOfSatisfying(Bind.Inet.class, bind -> {
            assertThat(bind.address().getAddress().isAnyLocalAddress()).isTrue();
            assertThat(bind.address().getPort()).isEqualTo(11335);
        });
    }

    @Test
    void parsesUnixDomainSockets() {
        assertThat(converter.convert("/run/weir/fuzzy.sock"))
                .isEqualTo(new Bind.Unix(Path.of("/run/weir/fuzzy.sock"), Bind.Unix.OWN_USER));
        assertThat(converter.convert("./fuzzy.sock mode=0660")).isEqualTo(
                new Bind.Unix(Path.of("./fuzzy.sock"), PosixFilePermissions.fromString("rw-rw----")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":1", "127.0.0.1:x", "127.0.0.1:70000", "/run/a mode=0999", "/run/a owner=x", "[::1"})
    void rejectsInvalidAddresses(String text) {
        assertThatExceptionOfType(TypeConversionException.class).isThrownBy(() -> converter.convert(text));
    }
}
