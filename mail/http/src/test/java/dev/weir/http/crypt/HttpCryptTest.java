package dev.weir.http.crypt;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.http.access.AccessControl;
import dev.weir.http.access.AccessDecision;
import dev.weir.http.access.AccessLevel;
import dev.weir.http.access.AccessRules;
import dev.weir.http.access.TestRules;
import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpBody;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpLimits;
import dev.weir.http.message.HttpReply;
import dev.weir.http.message.HttpRequest;
import dev.weir.http.message.Requests;
import dev.weir.http.message.Seal;
import dev.weir.http.server.Client;
import dev.weir.http.server.HttpHandler;
import dev.weir.model.KeyedHash;
import dev.weir.model.Networks;
import dev.weir.wire.box.SharedKey;
import dev.weir.wire.key.Base32;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import dev.weir.wire.key.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The vectors of an independent transcription, and exchanges of real clients with a real Rspamd. */
final class HttpCryptTest {
    private static final HexFormat HEX = HexFormat.of();

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(HttpCryptTest.class.getResourceAsStream(name), name)) {
            return in.readAllBytes();
        }
    }

    private static HttpRequest parse(byte[] bytes) throws IOException, HttpException {
        return Requests.read(bytes, HttpLimits.DEFAULT, new BodyBudget(1 << 20).share());
    }

    private static final Client AWAY = Client.of(InetAddress.ofLiteral("192.0.2.1"));

    private static HttpCrypt crypt(KeyPair... pairs) {
        return new HttpCrypt(List.of(pairs), new SecureRandom());
    }

    private static KeyBudget keys() {
        return new KeyBudget(() -> 0, new KeyedHash(1, 2));
    }

    private static CryptHandler handler(HttpCrypt crypt, HttpHandler next) {
        return new CryptHandler(crypt, HttpLimits.DEFAULT,
                new AccessControl(TestRules.UNSET, new SecureRandom(), () -> 0), new BodyBudget(1 << 20), keys(),
                next);
    }

    @Test
    void opensTheVectors() throws IOException {
        JsonNode vectors = JsonMapper.shared().readTree(resource("deterministic.json"));
        assertThat(vectors.size()).isGreaterThanOrEqualTo(4);
        for (JsonNode vector : vectors) {
            KeyPair server = KeyPair.of(Secret.of(HEX.parseHex(vector.get("server_secret").asString())));
            HttpCrypt crypt = crypt(server);
            for (String id : List.of("server_key_id_short", "server_key_id_full")) {
                SharedKey key = crypt.agree(vector.get(id).asString() + "="
                        + vector.get("client_public_zbase32").asString()).orElseThrow();
                byte[] body = HEX.parseHex(vector.get("nonce").asString() + vector.get("mac").asString()
                        + vector.get("ciphertext").asString());
                assertThat(crypt.open(key, body)).get().extracting(HEX::formatHex)
                        .isEqualTo(vector.get("plaintext").asString());
            }
        }
    }

    private static KeyPair captured(String number) throws IOException {
        Matcher secret = Pattern.compile("server privkey \\(zbase32\\) (\\S+)")
                .matcher(new String(resource(number + "-info.txt"), StandardCharsets.UTF_8));
        assertThat(secret.find()).isTrue();
        return KeyPair.of(Secret.of(Base32.decode(secret.group(1)).orElseThrow()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"012", "013", "014", "018"})
    void opensWhatRealClientsSentAndSealsAReply(String number) throws Exception {
        HttpCrypt crypt = crypt(captured(number));
        HttpRequest outer = parse(resource(number + "-request.http"));
        SharedKey key = crypt.agree(outer.headers().first("key").orElseThrow()).orElseThrow();
        AtomicReference<HttpRequest> seen = new AtomicReference<>();
        HttpReply answer = HttpReply.error(404, "No fuzzy rules matched for flag 99");
        CryptHandler handler = handler(crypt, (head, body, _, share) -> {
            seen.set(head.with(body.read(share)));
            return answer;
        });
        HttpReply sealed = handler.handle(outer.head(), _ -> outer.body(), Client.UNIX,
                new BodyBudget(1 << 20).share());

        HttpRequest expected = parse(resource(number + "-request.inner"));
        assertThat(seen.get().head().path()).isEqualTo(expected.head().path());
        assertThat(seen.get().head().method()).isEqualTo(expected.head().method());
        assertThat(seen.get().headers()).isEqualTo(expected.headers());
        assertThat(seen.get().body()).isEqualTo(expected.body());
        assertThat(sealed.status()).isEqualTo(200);
        assertThat(sealed.type()).isEqualTo("application/octet-stream");
        assertThat(crypt.open(key, sealed.body())).get().isEqualTo(answer.toBytes(""));
        assertThat(crypt.open(key, resource(number + "-reply.http"))).as("not a body").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"012", "018"})
    void opensWhatTheRealServerAnswered(String number) throws IOException {
        HttpCrypt crypt = crypt(captured(number));
        byte[] reply = resource(number + "-reply.http");
        String text = new String(reply, StandardCharsets.ISO_8859_1);
        byte[] body = Arrays.copyOfRange(reply, text.indexOf("\r\n\r\n") + 4, reply.length);
        String request = new String(resource(number + "-request.http"), StandardCharsets.ISO_8859_1);
        Matcher header = Pattern.compile("Key: (\\S+)").matcher(request);
        assertThat(header.find()).isTrue();
        assertThat(crypt.open(crypt.agree(header.group(1)).orElseThrow(), body)).get()
                .isEqualTo(resource(number + "-reply.inner"));
    }

    @Test
    void answersInPlainTextIfARequestCannotBeOpened() throws Exception {
        KeyPair server = KeyPair.generate(new SecureRandom());
        KeyPair client = KeyPair.generate(new SecureRandom());
        HttpCrypt crypt = crypt(server);
        CryptHandler handler = handler(crypt, (_, _, _, _) -> HttpReply.ok("x", "reached"));
        String good = server.publicKey().shortId() + "=" + client.publicKey().base32();
        SharedKey key = crypt.agree(good).orElseThrow();
        byte[] sealed = crypt.seal(key, "GET /ping HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(ask(handler, good, sealed.clone()).status()).isEqualTo(200);
        byte[] damaged = sealed.clone();
        damaged[50] ^= 1;
        String hex = server.publicKey().shortId() + "=" + HEX.formatHex(client.publicKey().bytes());
        String wrong = "yyyyyyyy=" + client.publicKey().base32();
        for (HttpReply refused : List.of(ask(handler, good, damaged), ask(handler, good, new byte[39]),
                ask(handler, good, new byte[0]), ask(handler, hex, sealed.clone()), ask(handler, wrong, sealed.clone()),
                ask(handler, "", sealed.clone()), ask(handler, "=", sealed.clone()),
                ask(handler, "x".repeat(300) + "=", sealed.clone()),
                ask(handler, server.publicKey().shortId() + "=" + Base32.encode(new byte[32]), sealed.clone()))) {
            assertThat(refused.status()).isEqualTo(500);
            assertThat(refused.body()).asString()
                    .isEqualTo("HTTP parser internal error: the on_message_complete callback failed");
        }
    }

    @Test
    void aCopyOfAnEncryptedChangeChangesNothing() throws Exception {
        KeyPair server = KeyPair.generate(new SecureRandom());
        HttpCrypt crypt = crypt(server);
        AccessControl access = new AccessControl(
                TestRules.password("write"),
                new SecureRandom(), () -> 0);
        AtomicInteger changes = new AtomicInteger();
        CryptHandler handler = new CryptHandler(crypt, HttpLimits.DEFAULT, access, new BodyBudget(1 << 20), keys(),
                (head, _, client, _) -> {
                    AccessLevel asked = head.path().equals("/fuzzyadd") ? AccessLevel.PRIVILEGED : AccessLevel.READ;
                    AccessDecision decision = access.decide(asked, head, client);
                    if (decision.isGranted()) {
                        changes.incrementAndGet();
                    }
                    return HttpReply.ok("x", decision.name());
                });
        String header = server.publicKey().shortId() + "=" + KeyPair.generate(new SecureRandom()).publicKey().base32();
        SharedKey key = crypt.agree(header).orElseThrow();
        byte[] change = crypt.seal(key, bytes("POST /fuzzyadd HTTP/1.0\r\nPassword: write\r\n\r\n"));
        byte[] wrong = crypt.seal(key, bytes("POST /fuzzyadd HTTP/1.0\r\nPassword: x\r\n\r\n"));
        byte[] read = crypt.seal(key, bytes("POST /checkv2 HTTP/1.0\r\nPassword: write\r\n\r\n"));
        assertThat(opened(crypt, key, ask(handler, header, change.clone(), AWAY))).endsWith("FULL");
        // The full identifier names the same key, so a copy may differ outside what is encrypted.
        String other = Base32.encode(server.publicKey().id()) + header.substring(header.indexOf('='));
        for (String copied : List.of(header, other)) {
            assertThat(opened(crypt, key, ask(handler, copied, change.clone(), AWAY))).endsWith("REPEATED");
        }
        for (int i = 0; i < 3; i++) {
            assertThat(opened(crypt, key, ask(handler, header, read.clone(), AWAY))).endsWith("FULL");
            assertThat(opened(crypt, key, ask(handler, header, wrong.clone(), AWAY))).endsWith("UNAUTHORIZED");
        }
        assertThat(opened(crypt, key, ask(handler, header, crypt.seal(key,
                bytes("POST /fuzzyadd HTTP/1.0\r\nPassword: write\r\n\r\n")), AWAY))).as("the same, sealed again")
                .endsWith("FULL");
        assertThat(changes).hasValue(5);
        assertThat(access.repeated()).isEqualTo(2);
        assertThat(access.with(TestRules.password("write")).decide(AccessLevel.PRIVILEGED,
                parse(bytes(
                        "POST / HTTP/1.0\r\nPassword: write\r\n\r\n")).head().inside(parse(
                                bytes(
                                        "POST / HTTP/1.0\r\n\r\n"))
                                .head(), Seal.of(change)),
                AWAY))
                .as("after a reload").isEqualTo(AccessDecision.REPEATED);
    }

    @Test
    void anEncryptedHeadHasAReplyWithoutABody() throws Exception {
        KeyPair server = KeyPair.generate(new SecureRandom());
        HttpCrypt crypt = crypt(server);
        CryptHandler handler = handler(crypt, (_, _, _, _) -> HttpReply.ok("x", "reached"));
        String header = server.publicKey().shortId() + "=" + KeyPair.generate(new SecureRandom()).publicKey().base32();
        SharedKey key = crypt.agree(header).orElseThrow();
        String get = opened(crypt, key, ask(handler, header, crypt.seal(key, bytes("GET /ping HTTP/1.0\r\n\r\n"))));
        assertThat(get).endsWith("\r\n\r\nreached");
        assertThat(opened(crypt, key, ask(handler, header, crypt.seal(key, bytes("HEAD /ping HTTP/1.0\r\n\r\n")))))
                .isEqualTo(get.substring(0, get.length() - 7));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String opened(HttpCrypt crypt, SharedKey key, HttpReply reply) {
        return new String(crypt.open(key, reply.body()).orElseThrow(), StandardCharsets.UTF_8);
    }

    @Test
    void cachesOnlyKeysThatAClientProved() throws Exception {
        KeyPair server = KeyPair.generate(new SecureRandom());
        HttpCrypt crypt = crypt(server);
        String header = server.publicKey().shortId() + "=" + KeyPair.generate(new SecureRandom()).publicKey().base32();
        CryptHandler handler = handler(crypt, (_, _, _, _) -> HttpReply.ok("x", "reached"));
        assertThat(ask(handler, header, new byte[100]).status()).isEqualTo(500);
        assertThat(crypt.remembered()).isZero();
        byte[] request = "GET /ping HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        SharedKey key = crypt.agree(header).orElseThrow();
        assertThat(ask(handler, header, crypt.seal(key, request)).status()).isEqualTo(200);
        assertThat(crypt.remembered()).isOne();
        assertThat(crypt.agree(header).orElseThrow()).isSameAs(crypt.agree(header).orElseThrow());
    }

    @Test
    void answersAnInvalidInnerRequestInsideTheBox() throws Exception {
        KeyPair server = KeyPair.generate(new SecureRandom());
        HttpCrypt crypt = crypt(server);
        String header = server.publicKey().shortId() + "=" + KeyPair.generate(new SecureRandom()).publicKey().base32();
        SharedKey key = crypt.agree(header).orElseThrow();
        CryptHandler handler = handler(crypt, (_, _, _, _) -> HttpReply.ok("x", "reached"));
        HttpReply reply = ask(handler, header, crypt.seal(key, "nonsense".getBytes(StandardCharsets.US_ASCII)));
        assertThat(reply.status()).isEqualTo(200);
        assertThat(crypt.open(key, reply.body())).get().extracting(HttpCryptTest::asString).asString()
                .startsWith("HTTP/1.1 400 ");
    }

    private static String asString(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void ignoresTheHeaderWithoutAKeyPair() throws Exception {
        CryptHandler handler = handler(crypt(), (head, _, _, _) -> HttpReply.ok("x", head.path()));
        assertThat(asString(ask(handler, "abc=def", new byte[3]).body())).isEqualTo("/post");
    }

    /** Returns the decision on a sealed request from a trusted address, with headers around and inside. */
    private static AccessDecision sealedVerdict(String around, String inside) throws Exception {
        KeyPair server = KeyPair.generate(new SecureRandom());
        HttpCrypt crypt = crypt(server);
        String key = server.publicKey().shortId() + "=" + KeyPair.generate(new SecureRandom()).publicKey().base32();
        byte[] sealed = crypt.seal(crypt.agree(key).orElseThrow(),
                ("GET /stat HTTP/1.0\r\n" + inside + "\r\n").getBytes(StandardCharsets.US_ASCII));
        AccessControl access = new AccessControl(AccessRules.trusting(Networks.dualStack("127.0.0.0/8")),
                new SecureRandom(), () -> 0);
        AtomicReference<AccessDecision> decision = new AtomicReference<>();
        HttpHead head = parse(("POST /post HTTP/1.1\r\nKey: " + key + "\r\n" + around + "\r\n")
                .getBytes(StandardCharsets.US_ASCII)).head();
        Client proxy = Client.of(InetAddress.ofLiteral("127.0.0.1"));
        HttpReply reply = new CryptHandler(crypt, HttpLimits.DEFAULT, access, new BodyBudget(1 << 20), keys(),
                (inner, _, client, _) -> {
                    decision.set(access.decide(AccessLevel.READ, inner, client));
                    return HttpReply.ok("x", "");
                }).handle(head, _ -> sealed, proxy, new BodyBudget(1 << 20).share());
        assertThat(reply.status()).isEqualTo(200);
        return decision.get();
    }

    @Test
    void proxyHeadersAroundTheBoxCount() throws Exception {
        assertThat(sealedVerdict("", "")).isEqualTo(AccessDecision.FULL);
        assertThat(sealedVerdict("X-Forwarded-For: 192.0.2.1\r\n", "")).isEqualTo(AccessDecision.UNAUTHORIZED);
        assertThat(sealedVerdict("X-Real-IP: 192.0.2.1\r\n", "X-Real-IP: 127.0.0.1\r\n"))
                .isEqualTo(AccessDecision.UNAUTHORIZED);
        assertThat(sealedVerdict("X-Real-IP: 127.0.0.1\r\n", "X-Real-IP: 192.0.2.1\r\n"))
                .as("its sender may say less of itself").isEqualTo(AccessDecision.UNAUTHORIZED);
        assertThat(sealedVerdict("Origin: http://evil.example\r\nHost: 127.0.0.1\r\n", ""))
                .isEqualTo(AccessDecision.FOREIGN_PAGE);
        assertThat(sealedVerdict("Sec-Fetch-Site: cross-site\r\n", "Sec-Fetch-Site: none\r\n"))
                .isEqualTo(AccessDecision.FOREIGN_PAGE);
        assertThat(sealedVerdict("Host: evil.example\r\n", "Host: localhost\r\n"))
                .isEqualTo(AccessDecision.UNKNOWN_HOST);
        assertThat(sealedVerdict("Host: localhost:11334\r\n", "")).isEqualTo(AccessDecision.FULL);
    }

    @Test
    void boundsTheMemoryOfStrangersAndRefusesGuessers() throws Exception {
        KeyPair server = KeyPair.generate(new SecureRandom());
        HttpCrypt crypt = crypt(server);
        String key = server.publicKey().shortId() + "=" + KeyPair.generate(new SecureRandom()).publicKey().base32();
        SharedKey shared = crypt.agree(key).orElseThrow();
        AccessControl access = new AccessControl(TestRules.password("right"), new SecureRandom(),
                () -> 0);
        BodyBudget all = new BodyBudget(1000);
        BodyBudget strangers = all.half();
        CryptHandler handler = new CryptHandler(crypt, HttpLimits.DEFAULT, access, strangers, keys(),
                (inner, _, client, _) -> {
                    assertThat(strangers.used()).isEqualTo(2 * 87);
                    return HttpReply.error(
                            access.decide(AccessLevel.READ, inner, client) == AccessDecision.THROTTLED ? 429 : 401,
                            "no");
                });
        HttpHead head = parse(("POST / HTTP/1.0\r\nKey: " + key + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII))
                .head();
        byte[] guess = "GET /stat HTTP/1.0\r\nPassword: wrong\r\nX: abc\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        byte[] sealed = crypt.seal(shared, Arrays.copyOf(guess, 47));
        HttpBody body = share -> {
            share.take(sealed.length);
            return sealed.clone();
        };
        Client away = Client.of(InetAddress.ofLiteral("192.0.2.1"));
        try (BodyBudget.Share rest = all.share()) {
            for (int i = 0; i < 10; i++) {
                handler.handle(head, body, away, rest);
            }
            HttpReply refused = handler.handle(head, _ -> {
                throw new AssertionError("the body of a guesser is not read");
            }, away, rest);
            assertThat(crypt.open(shared, refused.body())).get().extracting(HttpCryptTest::asString).asString()
                    .startsWith("HTTP/1.1 429 ");
        }
        assertThat(strangers.used()).isZero();
        assertThat(all.used()).isZero();
        try (BodyBudget.Share share = strangers.share()) {
            share.take(500);
            assertThat(all.used()).isEqualTo(500);
            assertThatExceptionOfType(HttpException.class).isThrownBy(() -> share.take(1));
            try (BodyBudget.Share rest = all.share()) {
                rest.take(500);
                assertThatExceptionOfType(HttpException.class).isThrownBy(() -> rest.take(1));
            }
        }
        assertThat(all.used()).isZero();
    }

    @Test
    void newKeysOfStrangersHaveABudget() throws Exception {
        KeyPair server = KeyPair.generate(new SecureRandom());
        KeyBudget keys = keys();
        AtomicInteger reached = new AtomicInteger();
        AccessControl access = new AccessControl(AccessRules.trusting(Networks.dualStack("192.0.2.1/32")),
                new SecureRandom(), () -> 0);
        HttpCrypt crypt = crypt(server);
        CryptHandler handler = new CryptHandler(crypt, HttpLimits.DEFAULT, access, new BodyBudget(1 << 20), keys,
                (_, _, _, _) -> {
                    reached.incrementAndGet();
                    return HttpReply.ok("x", "reached");
                });
        Client away = Client.of(InetAddress.ofLiteral("198.51.100.7"));
        List<Integer> seen = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            seen.add(ask(handler, crypt, server, away).status());
        }
        assertThat(seen).startsWith(200, 200, 200, 200).endsWith(503).contains(503);
        assertThat(reached.get()).isLessThan(40);
        assertThat(keys.refused()).isEqualTo(100 - reached.get());
        assertThat(ask(handler, crypt, server, Client.of(InetAddress.ofLiteral("203.0.113.1"))).status())
                .as("another network").isEqualTo(200);
        assertThat(ask(handler, crypt, server, Client.of(InetAddress.ofLiteral("192.0.2.1"))).status())
                .as("a trusted client").isEqualTo(200);
    }

    @Test
    void aGuesserWithANewKeyCostsNoAgreement() throws Exception {
        KeyPair server = KeyPair.generate(new SecureRandom());
        HttpCrypt crypt = crypt(server);
        AccessControl access = new AccessControl(TestRules.password("right"), new SecureRandom(),
                () -> 0);
        Client away = Client.of(InetAddress.ofLiteral("192.0.2.1"));
        HttpHead guess = parse("GET /stat HTTP/1.0\r\nPassword: wrong\r\n\r\n".getBytes(StandardCharsets.US_ASCII))
                .head();
        for (int i = 0; i < 20; i++) {
            access.decide(AccessLevel.READ, guess, away);
        }
        HttpReply reply = ask(handler(crypt, access), crypt, server, away);
        assertThat(reply.status()).as("not sealed, because that needs the key").isEqualTo(429);
    }

    private static CryptHandler handler(HttpCrypt crypt, AccessControl access) {
        return new CryptHandler(crypt, HttpLimits.DEFAULT, access, new BodyBudget(1 << 20), keys(),
                (_, _, _, _) -> HttpReply.ok("x", "reached"));
    }

    /** Sends a sealed request with a new key. */
    private static HttpReply ask(CryptHandler handler, HttpCrypt crypt, KeyPair server, Client client)
            throws Exception {
        String key = server.publicKey().shortId() + "=" + KeyPair.generate(new SecureRandom()).publicKey().base32();
        byte[] sealed = crypt.seal(crypt.agree(key).orElseThrow(),
                "GET /ping HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        HttpHead head = parse(("POST / HTTP/1.0\r\nKey: " + key + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII))
                .head();
        try (BodyBudget.Share share = new BodyBudget(1 << 20).share()) {
            return handler.handle(head, _ -> sealed.clone(), client, share);
        }
    }

    @Test
    void onlyTrustedSendersKeepAPlaceWhileTheySendABody() throws Exception {
        KeyPair server = KeyPair.generate(new SecureRandom());
        HttpCrypt crypt = crypt(server);
        AccessControl access = new AccessControl(
                AccessRules.trusting(Networks.dualStack("192.0.2.1/32")), new SecureRandom(), () -> 0);
        CryptHandler handler = new CryptHandler(crypt, HttpLimits.DEFAULT, access, new BodyBudget(1 << 20), keys(),
                (_, _, _, _) -> HttpReply.ok("x", "reached"));
        String key = server.publicKey().shortId() + "=" + KeyPair.generate(new SecureRandom()).publicKey().base32();
        HttpHead head = parse(("POST / HTTP/1.0\r\nKey: " + key + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII))
                .head();
        List<String> reads = new ArrayList<>();
        HttpBody body = new HttpBody() {
            @Override
            public byte[] read(BodyBudget.Share share) {
                reads.add("kept");
                return new byte[0];
            }

            @Override
            public byte[] readOfStranger(BodyBudget.Share share) {
                reads.add("stranger");
                return new byte[0];
            }
        };
        try (BodyBudget.Share share = new BodyBudget(1 << 20).share()) {
            handler.handle(head, body, Client.of(InetAddress.ofLiteral("192.0.2.1")), share);
            handler.handle(head, body, Client.of(InetAddress.ofLiteral("192.0.2.2")), share);
        }
        assertThat(reads).containsExactly("kept", "stranger");
    }

    @Test
    void cachesSharedKeysPerKeyPair() {
        KeyPair one = KeyPair.generate(new SecureRandom());
        KeyPair two = KeyPair.generate(new SecureRandom());
        HttpCrypt crypt = crypt(one, two);
        PublicKey client = KeyPair.generate(new SecureRandom()).publicKey();
        Optional<SharedKey> first = crypt.agree(one.publicKey().shortId() + "=" + client.base32());
        Optional<SharedKey> second = crypt.agree(two.publicKey().shortId() + "=" + client.base32());
        byte[] sealed = crypt.seal(first.orElseThrow(), new byte[]{1, 2, 3});
        assertThat(crypt.open(second.orElseThrow(), sealed)).isEmpty();
        assertThat(crypt.open(first.orElseThrow(), sealed)).contains(new byte[]{1, 2, 3});
    }

    private static HttpReply ask(CryptHandler handler, String header, byte[] body) throws Exception {
        return ask(handler, header, body, Client.UNIX);
    }

    private static HttpReply ask(CryptHandler handler, String header, byte[] body, Client client) throws Exception {
        HttpHead head = parse(("POST /post HTTP/1.0\r\nKey: " + header + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII)).head();
        return handler.handle(head, _ -> body, client, new BodyBudget(1 << 20).share());
    }
}
