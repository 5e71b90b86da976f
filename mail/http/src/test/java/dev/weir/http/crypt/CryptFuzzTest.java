package dev.weir.http.crypt;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import dev.weir.http.access.AccessControl;
import dev.weir.http.access.TestRules;
import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpHeaders;
import dev.weir.http.message.HttpLimits;
import dev.weir.http.message.HttpReply;
import dev.weir.http.message.Requests;
import dev.weir.http.server.Client;
import dev.weir.model.KeyedHash;
import dev.weir.wire.box.SharedKey;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.Secret;

import static org.assertj.core.api.Assertions.assertThat;

/** Any header and any body, sealed or not: an answer, and nothing reaches the endpoints that was not sealed. */
final class CryptFuzzTest {
    private static final HttpLimits LIMITS = new HttpLimits(4096, 32, 65_536);
    private static final AccessControl ACCESS = new AccessControl(TestRules.UNSET, new SecureRandom(), () -> 0);
    private final KeyPair server = KeyPair.of(Secret.of(new byte[32]));
    private final HttpCrypt crypt = new HttpCrypt(List.of(server), new SecureRandom());
    private final String header = server.publicKey().shortId() + "="
            + KeyPair.of(Secret.of(fill((byte) 3))).publicKey().base32();

    private static byte[] fill(byte value) {
        byte[] bytes = new byte[32];
        Arrays.fill(bytes, value);
        return bytes;
    }

    private HttpReply ask(String key, byte[] body) throws HttpException, IOException, InterruptedException {
        HttpHeaders headers = new HttpHeaders(List.of(new HttpHeaders.Field("key", key)));
        try (BodyBudget.Share share = new BodyBudget(1 << 24).share()) {
            return new CryptHandler(crypt, LIMITS, ACCESS, new BodyBudget(1 << 24),
                    new KeyBudget(System::nanoTime, new KeyedHash(1, 2)), (_, _, _, _) -> HttpReply.ok("x", "reached"))
                    .handle(new HttpHead("POST", "/post", HttpHeaders.NONE, headers), _ -> body, Client.UNIX, share);
        }
    }

    /** Whole requests, and the header alone. */
    @FuzzTest
    void anyRequest(byte @NotNull [] bytes) throws IOException, HttpException, InterruptedException {
        assertThat(ask(header, bytes.clone()).status()).isEqualTo(500);
        assertThat(ask(new String(bytes, StandardCharsets.ISO_8859_1), new byte[64]).status())
                .isEqualTo(500);
        try (BodyBudget.Share share = new BodyBudget(1 << 20).share()) {
            var outer = Requests.read(bytes, LIMITS, share);
            if (outer.headers().has("key")) {
                assertThat(ask(outer.headers().first("key").orElseThrow(), outer.body()).status())
                        .isEqualTo(500);
            }
        } catch (HttpException refused) {
            assertThat(refused.status()).isBetween(400, 599);
        }
    }

    /** What a client with the right key may put into the box. */
    @FuzzTest
    void anyInnerRequest(byte @NotNull [] bytes) throws HttpException, IOException, InterruptedException {
        SharedKey key = crypt.agree(header).orElseThrow();
        HttpReply reply = ask(header, crypt.seal(key, bytes));
        assertThat(reply.status()).isEqualTo(200);
        assertThat(crypt.open(key, reply.body())).isPresent();
    }
}
