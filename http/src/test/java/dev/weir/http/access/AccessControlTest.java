package dev.weir.http.access;

import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.weir.config.map.Network;
import dev.weir.config.map.Networks;
import dev.weir.http.message.HttpHeaders;
import dev.weir.http.server.Client;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The order of decisions of spec/http-api.md section 4. */
final class AccessControlTest {
    private static final Client HERE = Client.of(InetAddress.ofLiteral("127.0.0.1"));
    private static final Client AWAY = Client.of(InetAddress.ofLiteral("192.0.2.7"));
    private static final Networks LOOPBACK = Networks.of(List.of(Network.parse("127.0.0.0/8").orElseThrow()));

    private static AccessControl control(Networks secure, Optional<String> password, Optional<String> enable) {
        AccessRules rules = AccessRules.trusting(secure).withPasswords(password.map(StoredPassword::parse),
                enable.map(StoredPassword::parse));
        return new AccessControl(rules, new SecureRandom(), () -> 0);
    }

    private static HttpHeaders headers(String... pairs) {
        List<HttpHeaders.Field> fields = new ArrayList<>();
        for (int i = 0; i < pairs.length; i += 2) {
            fields.add(new HttpHeaders.Field(pairs[i], pairs[i + 1]));
        }
        return new HttpHeaders(fields);
    }

    @Test
    void trustedSourcesNeedNoPassword() throws InterruptedException {
        AccessControl control = control(LOOPBACK, Optional.of("read"), Optional.of("write"));
        assertThat(control.decide(Access.PRIVILEGED, headers(), HERE)).isEqualTo(Verdict.FULL);
        assertThat(control.decide(Access.PRIVILEGED, headers(), Client.UNIX)).isEqualTo(Verdict.FULL);
        assertThat(control.decide(Access.READ, headers(), AWAY)).isEqualTo(Verdict.UNAUTHORIZED);
        assertThat(control.decide(Access.OPEN, headers(), AWAY)).isEqualTo(Verdict.FULL);
    }

    @Test
    void whoForwardsIsTrustedOnlyForTrustedOnes() throws InterruptedException {
        AccessControl control = control(LOOPBACK, Optional.of("read"), Optional.empty());
        assertThat(control.decide(Access.READ, headers("x-forwarded-for", "192.0.2.9, 127.0.0.2"), HERE))
                .isEqualTo(Verdict.FULL);
        assertThat(control.decide(Access.READ, headers("x-forwarded-for", "127.0.0.2, 192.0.2.9"), HERE))
                .isEqualTo(Verdict.UNAUTHORIZED);
        assertThat(control.decide(Access.READ, headers("x-real-ip", "nonsense"), HERE))
                .isEqualTo(Verdict.UNAUTHORIZED);
        assertThat(control.decide(Access.READ, headers("x-real-ip", "192.0.2.9", "password", "read"), HERE))
                .isEqualTo(Verdict.FULL);
        assertThat(control.decide(Access.READ, headers("x-real-ip", "127.0.0.1"), AWAY))
                .as("headers of others mean nothing").isEqualTo(Verdict.UNAUTHORIZED);
    }

    @Test
    void pagesOfOtherSitesNeedAPassword() throws InterruptedException {
        AccessControl control = control(LOOPBACK, Optional.of("read"), Optional.empty());
        assertThat(control.decide(Access.PRIVILEGED, headers("origin", "https://evil.example", "host",
                "127.0.0.1:11334"), HERE)).isEqualTo(Verdict.UNAUTHORIZED);
        assertThat(control.decide(Access.PRIVILEGED, headers("origin", "http://127.0.0.1:11334", "host",
                "127.0.0.1:11334"), HERE)).isEqualTo(Verdict.FULL);
    }

    @Test
    void eachPasswordAllowsItsOwn() throws InterruptedException {
        AccessControl control = control(LOOPBACK, Optional.of("read"), Optional.of("write"));
        assertThat(control.decide(Access.READ, headers("password", "read"), AWAY)).isEqualTo(Verdict.READ_ONLY);
        assertThat(control.decide(Access.READ, headers("password", "write"), AWAY)).isEqualTo(Verdict.FULL);
        assertThat(control.decide(Access.PRIVILEGED, headers("password", "write"), AWAY)).isEqualTo(Verdict.FULL);
        assertThat(control.decide(Access.PRIVILEGED, headers("password", "read"), AWAY))
                .isEqualTo(Verdict.UNAUTHORIZED);
        AccessControl one = control(LOOPBACK, Optional.of("read"), Optional.empty());
        assertThat(one.decide(Access.PRIVILEGED, headers("password", "read"), AWAY)).isEqualTo(Verdict.FULL);
        AccessControl other = control(LOOPBACK, Optional.empty(), Optional.of("write"));
        assertThat(other.decide(Access.READ, headers("password", "write"), AWAY)).isEqualTo(Verdict.FULL);
        assertThat(other.decide(Access.READ, headers("password", "other"), AWAY)).isEqualTo(Verdict.UNAUTHORIZED);
    }

    @Test
    void withoutAnyRuleEverybodyMay() throws InterruptedException {
        AccessControl open = control(Networks.NONE, Optional.empty(), Optional.empty());
        assertThat(open.decide(Access.PRIVILEGED, headers(), AWAY)).isEqualTo(Verdict.FULL);
        AccessControl half = control(Networks.NONE, Optional.empty(), Optional.of("write"));
        assertThat(half.decide(Access.READ, headers(), AWAY)).isEqualTo(Verdict.READ_ONLY);
        assertThat(half.decide(Access.PRIVILEGED, headers(), AWAY)).isEqualTo(Verdict.UNAUTHORIZED);
    }

    @Test
    void theShippedPasswordsNeverFit() throws InterruptedException {
        AccessControl control = control(Networks.NONE, Optional.of("q1"), Optional.of("q2"));
        assertThat(control.decide(Access.READ, headers("password", "q1"), AWAY)).isEqualTo(Verdict.UNAUTHORIZED);
        assertThat(control.decide(Access.PRIVILEGED, headers("password", "q2"), AWAY))
                .isEqualTo(Verdict.UNAUTHORIZED);
    }

    @Test
    void guessersAreRefusedEvenWithTheRightPassword() throws InterruptedException {
        AccessControl control = control(Networks.NONE, Optional.of("right"), Optional.empty());
        for (int i = 0; i < 10; i++) {
            assertThat(control.decide(Access.READ, headers("password", "guess" + i), AWAY))
                    .isEqualTo(Verdict.UNAUTHORIZED);
        }
        assertThat(control.decide(Access.READ, headers("password", "right"), AWAY)).isEqualTo(Verdict.THROTTLED);
        assertThat(control.decide(Access.READ, headers("password", "right"), HERE)).isEqualTo(Verdict.FULL);
        assertThat(control.failures()).isEqualTo(10);
        assertThat(control.throttled()).isEqualTo(1);
    }

    @Test
    void slowHashesAreRememberedAndADamagedOneLetsNobodyIn() throws Exception {
        String hash = StoredPasswordTest.made().get(1).hash();
        AccessControl control = control(Networks.NONE, Optional.of(hash), Optional.empty());
        for (int i = 0; i < 200; i++) {
            // Without the memory this would take half a minute.
            assertThat(control.decide(Access.READ, headers("password", "mypassword"), AWAY)).isEqualTo(Verdict.FULL);
        }
        AccessControl damaged = control(Networks.NONE, Optional.of(hash.substring(0, 40)), Optional.empty());
        assertThat(damaged.decide(Access.READ, headers("password", "mypassword"), AWAY))
                .isEqualTo(Verdict.UNAUTHORIZED);
        assertThat(damaged.decide(Access.READ, headers(), AWAY)).isEqualTo(Verdict.UNAUTHORIZED);
    }
}
