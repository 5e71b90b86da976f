package dev.weir.config.map;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

import dev.weir.config.source.Problem;
import dev.weir.model.Networks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

final class MapTest {
    private final List<Problem> problems = new ArrayList<>();

    @Test
    void readsNetworksFromAFile() {
        NetworkList parsed = NetworkList.parse("allow.map", """
                # comment
                127.0.0.1        # loopback
                10.0.0.0/8       office
                2001:db8::/32
                [::1]

                mail.example.com # a name
                """, problems::add);
        assertThat(problems).isEmpty();
        assertThat(parsed.hosts()).singleElement().satisfies(host -> {
            assertThat(host.text()).isEqualTo("mail.example.com");
            assertThat(host.origin().toString()).isEqualTo("allow.map:7:1");
        });
        Networks networks = Networks.dualStack(parsed.networks());
        assertThat(List.of("127.0.0.1", "10.255.0.1", "2001:db8:1::5", "::1", "::ffff:10.1.1.1"))
                .allMatch(text -> networks.contains(InetAddress.ofLiteral(text)));
        assertThat(List.of("127.0.0.2", "11.0.0.0", "9.255.255.255", "2001:db9::", "::2", "::"))
                .noneMatch(text -> networks.contains(InetAddress.ofLiteral(text)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.1", "10.0.0.0/33", "::1/129", "1.2.3.4.5", "fe80::1%eth0", "300.1.1.1", "a..b", "/24",
        "10.0.0.0/", "10.0.0.0/-1", "::ffff:192.0.2.0/24", "::ffff:0:0/95", "::ffff:192.0.2.0/129", ":::", "2130706433",
        "-x", "10.0.0.0/255.0.0.0", "!10.0.0.1"})
    void rejectsMalformedNetworks(String text) {
        NetworkList parsed = NetworkList.parse("m", "\n" + text + "\n", problems::add);
        assertThat(problems).singleElement()
                .satisfies(problem -> assertThat(problem.toString()).startsWith("m:2:1: expected an address"));
        assertThat(parsed.networks()).isEmpty();
        assertThat(parsed.hosts()).isEmpty();
    }

    @Test
    void readsTextsFromAFile() {
        TextSet set = TextSet.parse("m", "\uFEFF# x\nabc\nabc value # c\n\"two words\" \"v\"\r\n  d#e \n\"open\n",
                problems::add);
        assertThat(set.texts()).containsExactlyInAnyOrder("abc", "two words", "d#e");
        assertThat(problems).singleElement().asString().isEqualTo("m:6:1: expected '\"' at the end of the entry");
        assertThat(TextSet.parse("m", "x".repeat(5000), problems::add).texts()).isEmpty();
        assertThat(problems).hasSize(2);
    }
}
