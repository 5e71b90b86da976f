package dev.weir.http.access;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpHeaders;
import dev.weir.http.server.Client;
import dev.weir.model.Networks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** The order of decisions of docs/reference/rspamd-http.md#access. */
final class AccessControlTest {
    private static final Client HERE = Client.of(InetAddress.ofLiteral("127.0.0.1"));
    private static final Client AWAY = Client.of(InetAddress.ofLiteral("192.0.2.7"));
    private static final Optional<Networks> LOOPBACK = Optional
            .of(Networks.dualStack("127.0.0.0/8"));

    private static AccessControl control(Optional<Networks> secure, Optional<String> password,
            Optional<String> enable) {
        AccessRules rules = TestRules.of(password, enable, secure);
        return new AccessControl(rules, new SecureRandom(), () -> 0);
    }

    private static HttpHead headers(String... pairs) {
        List<HttpHeaders.Field> fields = new ArrayList<>();
        for (int i = 0; i < pairs.length; i += 2) {
            fields.add(new HttpHeaders.Field(pairs[i], pairs[i + 1]));
        }
        return new HttpHead("GET", "/", HttpHeaders.NONE, new HttpHeaders(fields));
    }

    @Test
    void trustedNetworksNeedNoPassword() throws InterruptedException {
        AccessControl control = control(LOOPBACK, Optional.of("read"), Optional.of("write"));
        assertThat(control.decide(AccessLevel.PRIVILEGED, headers(), HERE)).isEqualTo(AccessDecision.FULL);
        assertThat(control.decide(AccessLevel.PRIVILEGED, headers(), Client.UNIX)).isEqualTo(AccessDecision.FULL);
        assertThat(control.decide(AccessLevel.READ, headers(), AWAY)).isEqualTo(AccessDecision.UNAUTHORIZED);
        assertThat(control.decide(AccessLevel.OPEN, headers(), AWAY)).isEqualTo(AccessDecision.FULL);
    }

    @Test
    void anEmptySecureIpTrustsNoAddress() throws InterruptedException {
        AccessControl control = control(Optional.of(Networks.NONE), Optional.empty(), Optional.empty());
        assertThat(control.decide(AccessLevel.READ, headers(), HERE)).isEqualTo(AccessDecision.UNAUTHORIZED);
        assertThat(control.decide(AccessLevel.READ, headers("password", "x"), HERE))
                .isEqualTo(AccessDecision.UNAUTHORIZED);
        assertThat(control.decide(AccessLevel.PRIVILEGED, headers("password", ""), HERE))
                .isEqualTo(AccessDecision.UNAUTHORIZED);
    }

    @Test
    void anEmptyPasswordMatchesNothing() throws InterruptedException {
        AccessControl control = control(Optional.empty(), Optional.of(""), Optional.of(""));
        assertThat(control.decide(AccessLevel.READ, headers("password", ""), AWAY))
                .isEqualTo(AccessDecision.UNAUTHORIZED);
        assertThat(control.decide(AccessLevel.PRIVILEGED, headers("password", ""), AWAY))
                .isEqualTo(AccessDecision.UNAUTHORIZED);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", value = {"-|-|-|FULL", "-|127.0.0.1:11334|-|FULL",
        "-|[::1]:11334|-|FULL", "-|LocalHost.|-|FULL", "-|weir.example.org:11334|-|FULL", "-|192.0.2.1|-|FULL",
        "-|evil.example|-|UNKNOWN_HOST", "-|evil.example:11334|-|UNKNOWN_HOST",
        "-|127.0.0.1.evil.example|-|UNKNOWN_HOST",
        "-|localhost.evil.example|-|UNKNOWN_HOST", "-|''|-|UNKNOWN_HOST", "-|evil.example|read|FULL",
        "-|evil.example|wrong|UNAUTHORIZED", "same-origin|127.0.0.1|-|FULL", "none|127.0.0.1|-|FULL",
        "same-origin|evil.example|-|UNKNOWN_HOST", "cross-site|127.0.0.1|-|FOREIGN_PAGE",
        "same-site|127.0.0.1|-|FOREIGN_PAGE", "cross-site|127.0.0.1|read|FOREIGN_PAGE", "''|127.0.0.1|-|FOREIGN_PAGE"})
    void browsersMayAskForPagesOfThisServerOnly(String site, String host, String password, AccessDecision expected)
            throws InterruptedException {
        AccessControl control = control(LOOPBACK, Optional.of("read"), Optional.empty());
        AccessControl named = control.with(TestRules.of(Optional.of(StoredPassword.parse("read")),
                Optional.empty(), LOOPBACK, Set.of("weir.example.org")));
        List<String> pairs = new ArrayList<>();
        Map.of("sec-fetch-site", Optional.ofNullable(site), "host", Optional.ofNullable(host), "password",
                Optional.ofNullable(password)).forEach(
                        (name, value) -> value.ifPresent(text -> pairs.addAll(List.of(
                                name, text))));
        assertThat(named.decide(AccessLevel.READ, headers(pairs.toArray(String[]::new)), HERE)).isEqualTo(expected);
        long refused = expected == AccessDecision.UNKNOWN_HOST || expected == AccessDecision.FOREIGN_PAGE ? 1 : 0;
        assertThat(control.pages()).isEqualTo(refused);
    }

    @Test
    void refusesPagesEvenWithoutPasswords() throws InterruptedException {
        AccessControl open = control(Optional.empty(), Optional.empty(), Optional.empty());
        assertThat(open.decide(AccessLevel.READ, headers("host", "evil.example", "password", "x"), HERE))
                .isEqualTo(AccessDecision.UNKNOWN_HOST);
        AccessControl half = control(Optional.empty(), Optional.empty(), Optional.of("write"));
        assertThat(half.decide(AccessLevel.READ, headers("host", "evil.example"), HERE))
                .isEqualTo(AccessDecision.UNAUTHORIZED);
        assertThat(half.decide(AccessLevel.READ, headers("host", "evil.example", "password", "write"), HERE))
                .isEqualTo(AccessDecision.FULL);
    }

    @Test
    void recognizesPagesOfOtherSitesByTheirOrigin() throws InterruptedException {
        AccessControl control = control(LOOPBACK, Optional.of("read"), Optional.empty());
        for (String origin : List.of("https://evil.example", "null", "http://127.0.0.1:80")) {
            assertThat(
                    control.decide(AccessLevel.PRIVILEGED, headers("origin", origin, "host", "127.0.0.1:11334"), HERE))
                    .isEqualTo(AccessDecision.FOREIGN_PAGE);
        }
        assertThat(control.decide(AccessLevel.READ, headers("origin", "http://127.0.0.1:11334", "host",
                "127.0.0.1:11334"), HERE)).isEqualTo(AccessDecision.FULL);
        assertThat(control.decide(AccessLevel.PRIVILEGED, headers("origin", "http://127.0.0.1:11334", "host",
                "127.0.0.1:11334"), HERE)).isEqualTo(AccessDecision.NO_TOKEN);
        assertThat(control.decide(AccessLevel.PRIVILEGED, headers("origin", "https://evil.example"), HERE))
                .isEqualTo(AccessDecision.FOREIGN_PAGE);
    }

    @Test
    void eachPasswordGrantsItsLevel() throws InterruptedException {
        AccessControl control = control(LOOPBACK, Optional.of("read"), Optional.of("write"));
        assertThat(control.decide(AccessLevel.READ, headers("password", "read"), AWAY))
                .isEqualTo(AccessDecision.READ_ONLY);
        assertThat(control.decide(AccessLevel.READ, headers("password", "write"), AWAY)).isEqualTo(AccessDecision.FULL);
        assertThat(control.decide(AccessLevel.PRIVILEGED, headers("password", "write"), AWAY))
                .isEqualTo(AccessDecision.FULL);
        assertThat(control.decide(AccessLevel.PRIVILEGED, headers("password", "read"), AWAY))
                .isEqualTo(AccessDecision.UNAUTHORIZED);
        AccessControl one = control(LOOPBACK, Optional.of("read"), Optional.empty());
        assertThat(one.decide(AccessLevel.PRIVILEGED, headers("password", "read"), AWAY))
                .isEqualTo(AccessDecision.FULL);
        AccessControl other = control(LOOPBACK, Optional.empty(), Optional.of("write"));
        assertThat(other.decide(AccessLevel.READ, headers("password", "write"), AWAY)).isEqualTo(AccessDecision.FULL);
        assertThat(other.decide(AccessLevel.READ, headers("password", "other"), AWAY))
                .isEqualTo(AccessDecision.UNAUTHORIZED);
    }

    @Test
    void aMissingOptionOpensNothing() throws InterruptedException {
        AccessControl unset = control(Optional.empty(), Optional.empty(), Optional.empty());
        assertThat(unset.decide(AccessLevel.PRIVILEGED, headers(), HERE)).isEqualTo(AccessDecision.FULL);
        assertThat(unset.decide(AccessLevel.READ, headers(), AWAY)).isEqualTo(AccessDecision.UNAUTHORIZED);
        assertThat(unset.decide(AccessLevel.READ, headers("x-forwarded-for", "192.0.2.9"), HERE))
                .as("behind a proxy of this machine").isEqualTo(AccessDecision.UNAUTHORIZED);
        AccessControl half = control(Optional.empty(), Optional.empty(), Optional.of("write"));
        for (Client client : List.of(HERE, AWAY)) {
            assertThat(half.decide(AccessLevel.READ, headers(), client)).isEqualTo(AccessDecision.UNAUTHORIZED);
            assertThat(half.decide(AccessLevel.PRIVILEGED, headers(), client)).isEqualTo(AccessDecision.UNAUTHORIZED);
            assertThat(half.withoutPassword(headers(), client)).isEqualTo(AccessDecision.UNAUTHORIZED);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", value = {"any.name|-|FULL", "-|-|FULL",
        "any.name|X-Forwarded-For: 127.0.0.1|UNKNOWN_HOST", "127.0.0.1|X-Forwarded-For: 127.0.0.1|FULL",
        "any.name|Origin: http://any.name|UNKNOWN_HOST", "any.name|Sec-Fetch-Site: same-origin|UNKNOWN_HOST",
        "any.name|Sec-Fetch-Site: cross-site|FOREIGN_PAGE", "any.name|X-Forwarded-For: 192.0.2.9|UNAUTHORIZED"})
    void onAUnixSocketTheHostMattersOnlyBehindAProxy(String host, String field, AccessDecision expected)
            throws InterruptedException {
        List<String> pairs = new ArrayList<>();
        if (host != null) {
            pairs.addAll(List.of("host", host));
        }
        if (field != null) {
            pairs.addAll(List.of(field.replaceFirst(":.*", "").toLowerCase(Locale.ROOT),
                    field.replaceFirst("[^:]*: ", "")));
        }
        AccessControl control = control(LOOPBACK, Optional.of("read"), Optional.empty());
        assertThat(control.decide(AccessLevel.READ, headers(pairs.toArray(String[]::new)), Client.UNIX))
                .isEqualTo(expected);
    }

    @Test
    void logsOnceAMinuteWhichNameIsRefusedAndTheOptionThatAllowsIt() throws InterruptedException {
        AtomicLong now = new AtomicLong();
        AccessControl control = new AccessControl(AccessRules.trusting(LOOPBACK.orElseThrow()), new SecureRandom(),
                now::get);
        try (LogLines lines = LogLines.of(HostLog.class)) {
            for (int i = 0; i < 3; i++) {
                control.decide(AccessLevel.READ, headers("host", "mail\u202e.example:11334"), HERE);
            }
            control.decide(AccessLevel.READ, headers("host", "localhost"), HERE);
            now.addAndGet(TimeUnit.SECONDS.toNanos(61));
            control.decide(AccessLevel.READ, headers("host", "other.example"), HERE);
            assertThat(lines.messages()).containsExactly(
                    "a request from 127.0.0.1 is refused: \"mail\ufffd.example:11334\" is not a known name of this"
                            + " server; if it is one, add it to allowed_hosts of worker \"controller\"",
                    "a request from 127.0.0.1 is refused: \"other.example\" is not a known name of this server; if it"
                            + " is one, add it to allowed_hosts of worker \"controller\" (2 more since the last"
                            + " message)");
        }
    }

    @Test
    void aPictureInAPageDoesNotLockOutItsReader() throws InterruptedException {
        AccessControl control = control(Optional.empty(), Optional.of("read"), Optional.of("write"));
        HttpHead picture = new HttpHead("GET", "/stat",
                new HttpHeaders(List.of(new HttpHeaders.Field("password", "x"))),
                headers("host", "127.0.0.1:11334").headers());
        for (int i = 0; i < 20; i++) {
            assertThat(control.decide(AccessLevel.READ, picture, AWAY)).isEqualTo(i < 10
                    ? AccessDecision.UNAUTHORIZED
                    : AccessDecision.THROTTLED);
        }
        assertThat(control.decide(AccessLevel.READ, headers("password", "read"), AWAY))
                .isEqualTo(AccessDecision.READ_ONLY);
        for (int i = 0; i < 10; i++) {
            control.decide(AccessLevel.READ, headers("password", "guess" + i), AWAY);
        }
        assertThat(control.decide(AccessLevel.READ, headers("password", "read"), AWAY))
                .as("guesses that no page can send count").isEqualTo(AccessDecision.THROTTLED);
        AccessControl other = control(Optional.empty(), Optional.of("read"), Optional.of("write"));
        for (int i = 0; i < 10; i++) {
            other.decide(AccessLevel.READ, headers("password", "guess" + i), AWAY);
        }
        assertThat(other.decide(AccessLevel.READ, picture, AWAY)).as("they count for the others as well")
                .isEqualTo(AccessDecision.THROTTLED);
    }

    @Test
    void theShippedPasswordsNeverMatch() throws InterruptedException {
        AccessControl control = control(Optional.empty(), Optional.of("q1"), Optional.of("q2"));
        assertThat(control.decide(AccessLevel.READ, headers("password", "q1"), AWAY))
                .isEqualTo(AccessDecision.UNAUTHORIZED);
        assertThat(control.decide(AccessLevel.PRIVILEGED, headers("password", "q2"), AWAY))
                .isEqualTo(AccessDecision.UNAUTHORIZED);
    }

    @Test
    void refusesGuessersEvenWithTheRightPassword() throws InterruptedException {
        AccessControl control = control(Optional.empty(), Optional.of("right"), Optional.empty());
        for (int i = 0; i < 10; i++) {
            assertThat(control.decide(AccessLevel.READ, headers("password", "guess" + i), AWAY))
                    .isEqualTo(AccessDecision.UNAUTHORIZED);
        }
        assertThat(control.decide(AccessLevel.READ, headers("password", "right"), AWAY))
                .isEqualTo(AccessDecision.THROTTLED);
        assertThat(control.decide(AccessLevel.READ, headers("password", "right"), HERE)).isEqualTo(AccessDecision.FULL);
        assertThat(control.failures()).isEqualTo(10);
        assertThat(control.throttled()).isEqualTo(1);
    }

    @Test
    void cachesSlowHashesAndADamagedOneGrantsNothing() throws Exception {
        String hash = StoredPasswordTest.made().get(1).hash();
        AccessControl control = control(Optional.empty(), Optional.of(hash), Optional.empty());
        for (int i = 0; i < 200; i++) {
            // Without the cache this would take half a minute.
            assertThat(control.decide(AccessLevel.READ, headers("password", "mypassword"), AWAY))
                    .isEqualTo(AccessDecision.FULL);
        }
        AccessControl damaged = control(Optional.empty(), Optional.of(hash.substring(0, 40)), Optional.empty());
        assertThat(damaged.decide(AccessLevel.READ, headers("password", "mypassword"), AWAY))
                .isEqualTo(AccessDecision.UNAUTHORIZED);
        assertThat(damaged.decide(AccessLevel.READ, headers(), AWAY)).isEqualTo(AccessDecision.UNAUTHORIZED);
    }

    /** Sends all passwords before the first reply, as a guesser would. */
    private static List<AccessDecision> atOnce(AccessControl control, List<String> passwords, Client client)
            throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<AccessDecision>> decisions = passwords.stream().map(password -> threads.submit(() -> {
                go.await();
                return control.decide(AccessLevel.READ, headers("password", password), client);
            })).toList();
            go.countDown();
            List<AccessDecision> all = new ArrayList<>();
            for (Future<AccessDecision> decision : decisions) {
                all.add(decision.get());
            }
            return all;
        }
    }

    private static List<String> guesses(int count) {
        return IntStream.range(0, count).mapToObj(i -> "guess" + i).toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void ofGuessesSentAtOnceNoMoreAreComparedThanOfThoseSentOneByOne(boolean slow) throws Exception {
        String stored = slow ? StoredPasswordTest.made().get(1).hash() : "right";
        AccessControl control = control(Optional.empty(), Optional.of(stored), Optional.empty());
        List<AccessDecision> decisions = atOnce(control, guesses(60), AWAY);
        assertThat(Collections.frequency(decisions, AccessDecision.UNAUTHORIZED)).isEqualTo(10);
        assertThat(Collections.frequency(decisions, AccessDecision.THROTTLED)).isEqualTo(50);
        assertThat(control.failures()).isEqualTo(10);
        assertThat(control.throttled()).isEqualTo(50);
        assertThat(control.decide(AccessLevel.READ, headers("password", slow ? "mypassword" : "right"), AWAY))
                .isEqualTo(AccessDecision.THROTTLED);
    }

    @Test
    void acceptsManyClientsWithThePasswordAtOnce() throws Exception {
        AccessControl control = control(Optional.empty(), Optional.of(StoredPasswordTest.made().get(1).hash()),
                Optional.empty());
        assertThat(atOnce(control, Collections.nCopies(200, "mypassword"), AWAY)).containsOnly(AccessDecision.FULL);
    }

    @Test
    void theReadPasswordDoesNotClearFailures() throws InterruptedException {
        AccessControl control = control(Optional.empty(), Optional.of("read"), Optional.of("write"));
        for (int i = 0; i < 10; i++) {
            assertThat(control.decide(AccessLevel.PRIVILEGED, headers("password", "guess" + i), AWAY))
                    .isEqualTo(AccessDecision.UNAUTHORIZED);
            control.decide(AccessLevel.READ, headers("password", "read"), AWAY);
        }
        assertThat(control.decide(AccessLevel.PRIVILEGED, headers("password", "write"), AWAY))
                .isEqualTo(AccessDecision.THROTTLED);
    }

    @Test
    void remembersASlowPasswordAcrossAChangeOfTheRules() throws Exception {
        AtomicInteger random = new AtomicInteger();
        SecureRandom counted = new SecureRandom() {
            private static final long serialVersionUID = 1;

            @Override
            public void nextBytes(byte[] bytes) {
                random.incrementAndGet();
                super.nextBytes(bytes);
            }
        };
        StoredPassword slow = StoredPassword.parse(StoredPasswordTest.made().get(1).hash());
        StoredPassword other = StoredPassword.parse(StoredPassword.make(StoredPassword.Type.CATENA,
                "write".getBytes(StandardCharsets.UTF_8), new SecureRandom()));
        AccessControl control = new AccessControl(
                TestRules.of(Optional.of(slow), Optional.of(other), Optional.empty(), Set.of()), counted, () -> 0);
        for (int i = 0; i < 200; i++) {
            // Compared with both each time this would take a minute.
            assertThat(control.decide(AccessLevel.READ, headers("password", "mypassword"), AWAY))
                    .isEqualTo(AccessDecision.READ_ONLY);
        }
        control.with(TestRules.of(Optional.of(slow), Optional.of(other), Optional.empty(), Set.of("a")));
        assertThat(random).as("made once, so what is known stays").hasValue(1);
        control.with(TestRules.of(Optional.of(slow), Optional.empty(), Optional.empty(), Set.of()));
        assertThat(random).hasValue(2);
    }

    @Test
    void logsOneLinePerFailureWithTheAddressAndWithoutThePassword() throws InterruptedException {
        Logger logger = (Logger) LoggerFactory.getLogger(FailureLog.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            AccessControl control = control(LOOPBACK, Optional.of("right"), Optional.empty());
            control.decide(AccessLevel.READ, headers("password", "secret-guess\n"), AWAY);
            control.decide(AccessLevel.READ, headers(), AWAY);
            control.decide(AccessLevel.READ, headers("x-forwarded-for", "2001:db8::7", "password", "secret-guess"),
                    HERE);
            control.decide(AccessLevel.READ, headers("x-forwarded-for", "10.1.1.1", "x-real-ip", "10.1.1.2"), HERE);
            assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage).containsExactly(
                    "failed login from 192.0.2.7: wrong password", "failed login from 192.0.2.7: no password",
                    "failed login from 2001:db8:0:0:0:0:0:7 through 127.0.0.1: wrong password",
                    "failed login from an unnamed client through 127.0.0.1: no password");
            for (int i = 0; i < 5000; i++) {
                control.decide(AccessLevel.READ, headers(),
                        Client.of(InetAddress.ofLiteral("10.0." + i / 250 + "." + i % 250)));
            }
            assertThat(lines.list).hasSize(1000);
            lines.list.clear();
            AccessControl once = control(Optional.empty(), Optional.of("right"), Optional.empty());
            for (int i = 0; i < 30; i++) {
                once.decide(AccessLevel.READ, headers(), AWAY);
            }
            assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage).hasSize(11).last()
                    .isEqualTo("too many failed logins: 192.0.2.7 is refused for a while");
        } finally {
            logger.detachAppender(lines);
        }
    }

    @Test
    void aSessionStandsForItsPasswordAndChangesNeedItsToken() throws InterruptedException {
        AccessControl control = control(Optional.empty(), Optional.of("read"), Optional.of("write"));
        Sessions.Session full = control.begin(AccessDecision.FULL, "enable_password");
        String cookie = Sessions.COOKIE + "=" + full.id();
        assertThat(control.decide(AccessLevel.READ, headers("cookie", cookie), HERE)).isEqualTo(AccessDecision.FULL);
        assertThat(control.decide(AccessLevel.PRIVILEGED, headers("cookie", cookie), HERE))
                .isEqualTo(AccessDecision.NO_TOKEN);
        assertThat(control.decide(AccessLevel.PRIVILEGED, headers("cookie", cookie, "x-weir-token", "guess"), HERE))
                .isEqualTo(AccessDecision.NO_TOKEN);
        assertThat(control.decide(AccessLevel.PRIVILEGED,
                headers("cookie", cookie, "x-weir-token", full.token()), HERE)).isEqualTo(AccessDecision.FULL);
        Sessions.Session reader = control.begin(AccessDecision.READ_ONLY, "password");
        assertThat(control.decide(AccessLevel.PRIVILEGED,
                headers("cookie", Sessions.COOKIE + "=" + reader.id(), "x-weir-token", reader.token()), HERE))
                .isEqualTo(AccessDecision.NOT_ENOUGH);
        Sessions.Session none = control.begin(null, "");
        assertThat(control.decide(AccessLevel.READ, headers("cookie", Sessions.COOKIE + "=" + none.id()), HERE))
                .as("a session without a password gives no rights").isEqualTo(AccessDecision.UNAUTHORIZED);
        assertThat(control.decide(AccessLevel.READ,
                headers("cookie", cookie, "sec-fetch-site", "cross-site"), HERE))
                .isEqualTo(AccessDecision.FOREIGN_PAGE);
    }
}
