package dev.weir.net;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class HostPortTest {
    @ParameterizedTest
    @CsvSource({"example.org, example.org, 7, example.org:7", "example.org:0, example.org, 0, example.org:0",
        "192.0.2.1:65535, 192.0.2.1, 65535, 192.0.2.1:65535", "2001:db8::1, 2001:db8::1, 7, [2001:db8::1]:7",
        "[2001:db8::1], 2001:db8::1, 7, [2001:db8::1]:7",
        "[2001:db8::1]:12000, 2001:db8::1, 12000, [2001:db8::1]:12000",
        "*:11335, *, 11335, *:11335"})
    void parsesEveryNotation(String text, String host, int port, String printed) {
        assertThat(HostPort.parse(text, 7)).isEqualTo(new HostPort(host, port)).hasToString(printed);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''          | has no host
            :1          | has no host
            []:1        | has no host
            [::1        | opens a bracket
            [::1]x      | something other than :port
            host:       | not a port number
            host:x      | not a port number
            host:-1     | not a port number
            host:65536  | not a port from 0 to 65535
            """)
    void saysWhatIsWrong(String text, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> HostPort.parse(text, 7)).withMessageContaining(message)
                .withMessageContaining("\"" + text + "\"");
    }

    @Test
    void serverHasAPort() {
        assertThat(HostPort.server("host:1", 7)).isEqualTo(new HostPort("host", 1));
        assertThatIllegalArgumentException().isThrownBy(() -> HostPort.server("host:0", 7))
                .withMessageContaining("\"host:0\" is not a port from 1 to 65535");
    }

    @Test
    void dividesTextsThatHaveMoreThanAPort() {
        assertThat(HostPort.split("[::1]:5:2")).isEqualTo(new HostPort.Parts("::1", ":5:2"));
        assertThat(HostPort.split("host:5:2")).isEqualTo(new HostPort.Parts("host", ":5:2"));
        assertThat(HostPort.split("host")).isEqualTo(new HostPort.Parts("host", ""));
    }
}
