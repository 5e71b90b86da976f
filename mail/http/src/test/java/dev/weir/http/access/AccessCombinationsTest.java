package dev.weir.http.access;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpHeaders;
import dev.weir.http.server.Client;
import dev.weir.model.Networks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every combination of options, source, credential and class of path, against the rules of docs/integrate/http.md, and
 * against what the controller of Rspamd 3.4 answered.
 */
final class AccessCombinationsTest {
    /** The value of {@code secure_ip}. */
    enum Secure {
        ABSENT, EMPTY, LOOPBACK
    }

    /** The origin of a request. */
    enum From {
        HERE("127.0.0.1", false),
        AWAY("192.0.2.7", false),
        UNIX("", false),
        HERE_PROXIED("127.0.0.1", true),
        UNIX_PROXIED("", true),
        AWAY_PROXIED("192.0.2.7", true);

        final String address;
        final boolean proxied;

        From(String address, boolean proxied) {
            this.address = address;
            this.proxied = proxied;
        }

        Client client() {
            return address.isEmpty() ? Client.UNIX : Client.of(InetAddress.ofLiteral(address));
        }
    }

    /** The password of a request. */
    enum Given {
        NOTHING, READ, WRITE, OTHER
    }

    record Options(boolean password, boolean enable, Secure secure) {
        AccessRules rules() {
            return TestRules.of(password ? Optional.of("READ") : Optional.empty(),
                    enable ? Optional.of("WRITE") : Optional.empty(), switch (secure) {
                        case ABSENT -> Optional.empty();
                        case EMPTY -> Optional.of(Networks.NONE);
                        case LOOPBACK -> Optional.of(Networks.dualStack("127.0.0.0/8"));
                    });
        }
    }

    static List<Options> combinations() {
        List<Options> all = new ArrayList<>();
        for (boolean password : new boolean[]{false, true}) {
            for (boolean enable : new boolean[]{false, true}) {
                for (Secure secure : Secure.values()) {
                    all.add(new Options(password, enable, secure));
                }
            }
        }
        return all;
    }

    private static boolean isGranted(Options options, AccessLevel level, From from, Given given)
            throws InterruptedException {
        List<HttpHeaders.Field> fields = new ArrayList<>();
        if (given != Given.NOTHING) {
            fields.add(new HttpHeaders.Field("password", given.name()));
        }
        if (from.proxied) {
            fields.add(new HttpHeaders.Field("x-forwarded-for", "192.0.2.9"));
        }
        HttpHead head = new HttpHead("POST", "/", HttpHeaders.NONE, new HttpHeaders(fields));
        return new AccessControl(options.rules(), new SecureRandom(), () -> 0).decide(level, head, from.client())
                .isGranted();
    }

    /** The rules of docs/integrate/http.md: who is trusted, then which password. */
    private static boolean expected(Options options, AccessLevel level, From from, Given given) {
        if (level == AccessLevel.OPEN) {
            return true;
        }
        boolean nothingSet = !options.password && !options.enable && options.secure == Secure.ABSENT;
        boolean trusted = !from.proxied && switch (from) {
            case UNIX -> true;
            case HERE -> options.secure == Secure.LOOPBACK || nothingSet;
            default -> false;
        };
        boolean privileged = options.enable ? given == Given.WRITE : options.password && given == Given.READ;
        boolean reads = options.password && given == Given.READ;
        return trusted || privileged || (level == AccessLevel.READ && reads);
    }

    @ParameterizedTest
    @MethodSource("combinations")
    void followsTheDocumentedRules(Options options) throws InterruptedException {
        for (AccessLevel level : AccessLevel.values()) {
            for (From from : From.values()) {
                for (Given given : Given.values()) {
                    assertThat(isGranted(options, level, from, given)).as("%s %s %s", level, from, given)
                            .isEqualTo(expected(options, level, from, given));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("combinations")
    void aStrangerWithoutAPasswordSeesAndChangesNothing(Options options) throws InterruptedException {
        for (AccessLevel level : List.of(AccessLevel.READ, AccessLevel.PRIVILEGED)) {
            for (From from : List.of(From.AWAY, From.HERE_PROXIED, From.UNIX_PROXIED, From.AWAY_PROXIED)) {
                assertThat(isGranted(options, level, from, Given.NOTHING)).as("%s %s", level, from).isFalse();
            }
        }
    }

    @Test
    void differsFromRspamdOnlyWhereAMissingOptionOpens() throws IOException, InterruptedException {
        List<String> differences = new ArrayList<>();
        for (String line : recorded()) {
            String[] words = line.split(" +", -1);
            Options options = new Options(words[0].equals("p"), words[1].equals("e"),
                    words[2].equals("s") ? Secure.LOOPBACK : Secure.ABSENT);
            From from = switch (words[3]) {
                case "in" -> From.HERE;
                case "out" -> From.AWAY;
                case "unix" -> From.UNIX;
                case "in-proxied" -> From.HERE_PROXIED;
                default -> From.UNIX_PROXIED;
            };
            for (int kind = 0; kind < 2; kind++) {
                AccessLevel level = kind == 0 ? AccessLevel.READ : AccessLevel.PRIVILEGED;
                String[] statuses = words[4 + kind].split(",", -1);
                int column = 0;
                for (Given given : Given.values()) {
                    boolean there = statuses[column].equals("200");
                    column++;
                    if (isGranted(options, level, from, given) != there) {
                        differences.add(String.join(" ", words[0], words[1], words[2], words[3], level.name(),
                                given.name()));
                    }
                }
            }
        }
        assertThat(differences).containsExactlyInAnyOrder(
                // Without any option, Rspamd grants everything to everyone who sends no password.
                "- - - in READ READ", "- - - in READ WRITE", "- - - in READ OTHER", "- - - in PRIVILEGED READ",
                "- - - in PRIVILEGED WRITE", "- - - in PRIVILEGED OTHER", "- - - out READ NOTHING",
                "- - - out PRIVILEGED NOTHING", "- - - in-proxied READ NOTHING", "- - - in-proxied PRIVILEGED NOTHING",
                "- - - unix-proxied READ NOTHING", "- - - unix-proxied PRIVILEGED NOTHING",
                // With enable_password alone, it lets everyone read.
                "- e - in READ NOTHING", "- e - out READ NOTHING", "- e - in-proxied READ NOTHING",
                "- e - unix-proxied READ NOTHING");
    }

    private static List<String> recorded() throws IOException {
        try (InputStream in = AccessCombinationsTest.class.getResourceAsStream("rspamd-3.4.txt")) {
            assertThat(in).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines()
                    .filter(line -> !line.startsWith("#")).toList();
        }
    }
}
