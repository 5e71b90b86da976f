package dev.weir.http.access;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpHeaders;
import dev.weir.http.server.Client;
import dev.weir.model.Networks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The table of docs/integrate/http.md. Trusted networks are 127.0.0.0/8, ::1 and 10.0.0.0/8. */
final class SenderTest {
    private static final AccessRules RULES = AccessRules
            .trusting(Networks.dualStack("127.0.0.0/8", "::1", "10.0.0.0/8"));

    private static Client client(String text) {
        return text.equals("unix") ? Client.UNIX : Client.of(InetAddress.ofLiteral(text));
    }

    private static HttpHeaders headers(String text) {
        List<HttpHeaders.Field> fields = new ArrayList<>();
        for (String line : text.split(" / ", -1)) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                String name = line.substring(0, colon).strip().toLowerCase(Locale.ROOT);
                fields.add(new HttpHeaders.Field(name, line.substring(colon + 1).strip()));
            }
        }
        return new HttpHeaders(fields);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        // peer | headers | trusted | counted
        "127.0.0.1|none|true|127.0.0.1", "unix|none|true|unix", "192.0.2.1|none|false|192.0.2.1",
        // The headers of an untrusted source have no meaning.
        "192.0.2.1|X-Forwarded-For: 127.0.0.1|false|192.0.2.1", "192.0.2.1|X-Real-IP: 192.0.2.9|false|192.0.2.1",
        "192.0.2.1|Forwarded: for=127.0.0.1|false|192.0.2.1",
        // One proxy names its client.
        "127.0.0.1|X-Forwarded-For: 192.0.2.9|false|192.0.2.9", "127.0.0.1|X-Forwarded-For: 10.1.1.1|true|127.0.0.1",
        "unix|X-Forwarded-For: 192.0.2.9|false|192.0.2.9", "unix|X-Real-IP: 10.1.1.1|true|unix",
        "127.0.0.1|X-Real-IP: 192.0.2.9|false|192.0.2.9", "127.0.0.1|X-Forwarded-For: 192.0.2.9:4711|false|192.0.2.9",
        "127.0.0.1|X-Forwarded-For: [2001:db8::1]:4711|false|2001:db8::1",
        "127.0.0.1|X-Forwarded-For: 2001:db8::1|false|2001:db8::1", "127.0.0.1|X-Forwarded-For: ::1|true|127.0.0.1",
        "127.0.0.1|X-Forwarded-For: ::ffff:192.0.2.9|false|192.0.2.9",
        // The client wrote something before: in the same line, in a separate line, through a trusted proxy.
        "127.0.0.1|X-Forwarded-For: 127.0.0.1, 192.0.2.9|false|192.0.2.9",
        "127.0.0.1|X-Forwarded-For: 127.0.0.1 / X-Forwarded-For: 192.0.2.9|false|192.0.2.9",
        "127.0.0.1|X-Forwarded-For: 127.0.0.1, 192.0.2.9, 10.0.0.1|false|192.0.2.9",
        "127.0.0.1|X-Forwarded-For: 192.0.2.7, 192.0.2.9, 10.0.0.1|false|192.0.2.9",
        "127.0.0.1|X-Forwarded-For: 10.1.1.1, 10.0.0.1|true|127.0.0.1",
        // Two kinds of headers, one possibly by the client: both must be trusted.
        "127.0.0.1|X-Forwarded-For: 127.0.0.1 / X-Real-IP: 192.0.2.9|false|192.0.2.9",
        "127.0.0.1|X-Forwarded-For: 192.0.2.9 / X-Real-IP: 127.0.0.1|false|192.0.2.9",
        "127.0.0.1|X-Forwarded-For: 192.0.2.9 / X-Real-IP: 192.0.2.9|false|192.0.2.9",
        "127.0.0.1|X-Forwarded-For: 10.1.1.1 / X-Real-IP: 10.1.1.1|true|127.0.0.1",
        "127.0.0.1|X-Forwarded-For: 192.0.2.7 / X-Real-IP: 192.0.2.9|false|127.0.0.1",
        "127.0.0.1|X-Real-IP: 127.0.0.1 / X-Real-IP: 192.0.2.9|false|192.0.2.9",
        "127.0.0.1|X-Forwarded-For: nonsense / X-Real-IP: 192.0.2.9|false|127.0.0.1",
        // Related headers.
        "127.0.0.1|Forwarded: for=192.0.2.9;proto=https|false|192.0.2.9",
        "127.0.0.1|Forwarded: proto=https; FOR=\"[2001:db8::1]:443\"|false|2001:db8::1",
        "127.0.0.1|Forwarded: for=127.0.0.1, for=192.0.2.9|false|192.0.2.9",
        "127.0.0.1|Forwarded: for=\"127.0.0.1, for=192.0.2.9|false|192.0.2.9",
        "127.0.0.1|Forwarded: for=10.1.1.1|true|127.0.0.1", "127.0.0.1|Forwarded: for=_hidden|false|127.0.0.1",
        "127.0.0.1|Forwarded: proto=https|false|127.0.0.1",
        "127.0.0.1|Forwarded: for=192.0.2.9 / X-Forwarded-For: 127.0.0.1|false|192.0.2.9",
        "127.0.0.1|True-Client-IP: 192.0.2.9|false|192.0.2.9", "127.0.0.1|CF-Connecting-IP: 192.0.2.9|false|192.0.2.9",
        "127.0.0.1|X-Client-IP: 192.0.2.9|false|192.0.2.9",
        // A proxy that names no client, and texts that are not addresses.
        "127.0.0.1|Via: 1.1 squid|false|127.0.0.1", "127.0.0.1|X-Forwarded-Proto: https|false|127.0.0.1",
        "127.0.0.1|X-Forwarded-Proto: https / X-Forwarded-For: 10.1.1.1|true|127.0.0.1",
        "127.0.0.1|X-Forwarded-For:|false|127.0.0.1", "127.0.0.1|X-Forwarded-For: 10.1.1.1,|false|127.0.0.1",
        "127.0.0.1|X-Forwarded-For: unknown|false|127.0.0.1", "127.0.0.1|X-Forwarded-For: 127.1|false|127.0.0.1",
        "127.0.0.1|X-Forwarded-For: 2130706433|false|127.0.0.1", "127.0.0.1|X-Forwarded-For: localhost|false|127.0.0.1",
        "unix|X-Real-IP: nonsense|false|unix"})
    void whoIsMeant(String peer, String text, boolean trusted, String counted) {
        HttpHead head = new HttpHead("GET", "/", HttpHeaders.NONE, headers(text));
        Sender sender = Sender.of(head, client(peer), RULES);
        assertThat(sender.trusted()).isEqualTo(trusted);
        assertThat(sender.counted()).isEqualTo(client(counted));
    }

    @Test
    void argumentsOfTheQueryDoNotCountAsHeaders() {
        HttpHeaders forged = headers("x-forwarded-for: 127.0.0.1 / x-real-ip: 127.0.0.1 / origin: x");
        HttpHead head = new HttpHead("GET", "/", forged, headers("X-Forwarded-For: 192.0.2.9"));
        assertThat(Sender.of(head, client("127.0.0.1"), RULES).counted()).isEqualTo(client("192.0.2.9"));
        HttpHead bare = new HttpHead("GET", "/", headers("x-forwarded-for: 192.0.2.9"), HttpHeaders.NONE);
        assertThat(Sender.of(bare, client("127.0.0.1"), RULES).trusted()).isTrue();
        assertThat(CrossSiteCheck.isForeign(new HttpHead("GET", "/", forged, HttpHeaders.NONE))).isFalse();
    }
}
