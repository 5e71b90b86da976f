package dev.weir.http.access;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The filter for fail2ban on the page about HTTP, on the lines that fail2ban sees without their date. */
class FailureFilterTest {
    private static final Pattern OPTION = Pattern.compile("(?m)^failregex = (.*)$");

    private final Pattern filter = Pattern.compile(documented().replace("<HOST>", "(?<host>\\S+)"));

    private static String documented() {
        try {
            Matcher option = OPTION.matcher(Files.readString(Path.of("../../docs/integrate/http.md")));
            assertThat(option.find()).isTrue();
            return option.group(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a message as standard error, a line of syslog with standard error in it, and the journal have it. */
    private static List<String> forms(String message) {
        return List.of(" WARN  FailureLog: " + message,
                " mx weir[7]: 2026-11-28T02:00:00.000Z WARN  FailureLog: " + message,
                " mx weir[7]: WARN FailureLog: " + message,
                "mx weir[7]: " + message);
    }

    @Test
    void findsTheAddressInEveryForm() {
        for (String message : List.of("failed login from 192.0.2.7: wrong password",
                "failed login from 192.0.2.7 through 127.0.0.1: no password",
                "failed login from 192.0.2.7 through a Unix-domain socket: no password")) {
            for (String line : forms(message)) {
                Matcher found = filter.matcher(line);
                assertThat(found.find()).as(line).isTrue();
                assertThat(found.group("host")).as(line).isEqualTo("192.0.2.7");
            }
        }
        assertThat(filter.matcher("mx weir[7]: failed login from 2001:db8:0:0:0:0:0:7: no password").find()).isTrue();
    }

    @Test
    void ignoresOtherLines() {
        for (String message : List.of("failed login from an unnamed client through 127.0.0.1: no password",
                "too many failed logins: 192.0.2.7 is refused for a while",
                "a mail said: failed login from 192.0.2.7: wrong password")) {
            for (String line : forms(message)) {
                assertThat(filter.matcher(line).find()).as(line).isFalse();
            }
        }
    }
}
