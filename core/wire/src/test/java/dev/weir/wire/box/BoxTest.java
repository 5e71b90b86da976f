package dev.weir.wire.box;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;

import dev.weir.wire.LittleEndian;
import dev.weir.wire.Protocol;
import dev.weir.wire.Vectors;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import dev.weir.wire.key.ServerKeys;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class BoxTest {
    @Test
    void sealsAndOpensTheTestVectors() {
        List<JsonNode> entries = Vectors.list("cryptobox");
        int good = 0;
        for (JsonNode entry : entries) {
            KeyPair server = Vectors.keyPair(entry.path("server_key").asString());
            KeyPair client = Vectors.keyPair(entry.path("client_key").asString());
            byte[] plain = Vectors.bytes(entry.path("plaintext").asString());
            byte[] buffer = new byte[Protocol.REQUEST_HEADER + plain.length];
            System.arraycopy(plain, 0, buffer, Protocol.REQUEST_HEADER, plain.length);
            System.arraycopy(Vectors.bytes(entry.path("nonce").asString()), 0, buffer, 44, Protocol.NONCE);
            Box box = new Box(new SecureRandom());
            ClientSession session = ClientSession.of(client, server.publicKey()).orElseThrow();
            box.putRequest(session, buffer, 0, plain.length);
            assertThat(Vectors.hex(Arrays.copyOfRange(buffer, 84, buffer.length)))
                    .isEqualTo(entry.path("ciphertext").asString());
            assertThat(Vectors.hex(Arrays.copyOfRange(buffer, 68, 84))).isEqualTo(entry.path("mac").asString());
            SharedKey shared = SharedKey.of(server.secret(), client.publicKey()).orElseThrow();
            assertThat(box.decrypt(shared, buffer, 44, 68, 84, plain.length)).isTrue();
            assertThat(Arrays.copyOfRange(buffer, 84, buffer.length)).isEqualTo(plain);
            good++;
        }
        System.out.println("wire: boxes " + good + " of " + entries.size());
        assertThat(good).isEqualTo(entries.size()).isPositive();
    }

    private final SecureRandom random = new SecureRandom();
    private final Box server = new Box(random);
    private final Box client = new Box(random);
    private final KeyPair first = KeyPair.generate(random);
    private final KeyPair last = KeyPair.generate(random);
    private final KeyPair own = KeyPair.generate(random);
    private final ServerKeys keys = ServerKeys.of(List.of(first, last));

    private byte[] request(PublicKey to, int length) {
        byte[] buffer = new byte[Protocol.REQUEST_HEADER + length];
        for (int i = 0; i < length; i++) {
            buffer[Protocol.REQUEST_HEADER + i] = (byte) i;
        }
        ClientSession session = ClientSession.of(own, to).orElseThrow();
        assertThat(client.sealRequest(session, buffer, 0, length)).isEqualTo(buffer.length);
        return buffer;
    }

    @Test
    void exchangesARequestAndItsReply() {
        for (int length : new int[]{76, 100, 128, 332, 940, 5000}) {
            byte[] sent = request(first.publicKey(), length);
            assertThat(Box.isRequest(sent, 0, sent.length)).isTrue();
            byte[] shifted = new byte[sent.length + 9];
            System.arraycopy(sent, 0, shifted, 7, sent.length);
            assertThat(server.open(keys, shifted, 7, sent.length)).isEqualTo(Opened.OK);
            assertThat(server.plainOffset()).isEqualTo(7 + 84);
            assertThat(server.plainLength()).isEqualTo(length);
            assertThat(server.serverKey()).isSameAs(first);
            for (int i = 0; i < length; i++) {
                assertThat(shifted[7 + 84 + i]).isEqualTo((byte) i);
            }
            byte[] reply = new byte[40 + 96 + 5];
            reply[5 + 40] = 42;
            assertThat(server.sealReply(server.sharedKey(), reply, 5, 96)).isEqualTo(136);
            assertThat(Arrays.copyOfRange(reply, 5 + 41, 5 + 136)).as("zeros, encrypted").isNotEqualTo(new byte[95]);
            SharedKey shared = ClientSession.of(own, first.publicKey()).orElseThrow().shared();
            assertThat(client.openReply(shared, reply, 5, 136)).isEqualTo(Opened.OK);
            assertThat(reply[client.plainOffset()]).isEqualTo((byte) 42);
            assertThat(client.plainLength()).isEqualTo(96);
        }
        assertThat(server.cacheMisses()).isEqualTo(1);
        assertThat(server.cacheHits()).isEqualTo(5);
    }

    @Test
    void detectsEveryFlippedBitAndLeavesTheBytesUnchanged() {
        byte[] sent = request(last.publicKey(), 76);
        int refused = 0;
        int total = (sent.length - 12) * 8;
        for (int bit = 12 * 8; bit < sent.length * 8; bit++) {
            byte[] bytes = sent.clone();
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
            byte[] before = bytes.clone();
            if (server.open(keys, bytes, 0, bytes.length) == Opened.OK) {
                // The top bit of a public key is ignored (RFC 7748, 5).
                assertThat(bit).isEqualTo((12 + 32) * 8 - 1);
                continue;
            }
            assertThat(bytes).isEqualTo(before);
            assertThatThrownBy(server::sharedKey).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(server::serverKey).isInstanceOf(IllegalStateException.class);
            refused++;
        }
        assertThat(refused).isEqualTo(total - 1);
    }

    @Test
    void selectsTheKeyByNameOrTheDefault() {
        byte[] unnamed = request(last.publicKey(), 76);
        Arrays.fill(unnamed, 4, 12, (byte) 0);
        assertThat(server.open(keys, unnamed, 0, unnamed.length)).isEqualTo(Opened.OK);
        byte[] toFirst = request(first.publicKey(), 76);
        Arrays.fill(toFirst, 4, 12, (byte) 0);
        assertThat(server.open(keys, toFirst, 0, toFirst.length)).isEqualTo(Opened.BAD_MAC);
        assertThat(server.open(ServerKeys.none(), toFirst, 0, toFirst.length)).isEqualTo(Opened.NO_KEY);
        assertThat(server.open(keys, toFirst, 0, 159)).isEqualTo(Opened.NOT_A_BOX);
        toFirst[0] = 'R';
        assertThat(server.open(keys, toFirst, 0, toFirst.length)).isEqualTo(Opened.NOT_A_BOX);
    }

    @Test
    void configuredKeysPrecedeDynamicKeys() {
        ServerKeys both = ServerKeys.of(List.of(first), List.of(last, new KeyPair(first.publicKey(), last.secret())));
        assertThat(both.size()).isEqualTo(2);
        assertThat(both.find(first.publicKey().wireId())).isSameAs(first);
        assertThat(both.find(last.publicKey().wireId())).isSameAs(last);
        assertThat(both.find(0)).isNull();
        assertThat(both.select(0)).isSameAs(first);
        assertThat(ServerKeys.of(List.of(), List.of(last)).select(0)).isNull();
        assertThatThrownBy(() -> ServerKeys.of(List.of(first, first))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(first.publicKey().statName());
    }

    /** The points of order 1, 2, 4 and 8 and their aliases beyond the field, with and without the top bit. */
    @Test
    void rejectsKeysOfLowOrder() {
        List<String> points = List.of("0000000000000000000000000000000000000000000000000000000000000000",
                "0100000000000000000000000000000000000000000000000000000000000000",
                "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
                "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
                "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");
        int refused = 0;
        for (String point : points) {
            for (int top : new int[]{0, 0x80}) {
                byte[] key = Vectors.bytes(point);
                key[31] |= (byte) top;
                assertThat(SharedKey.of(first.secret(), PublicKey.of(key))).isEmpty();
                assertThat(ClientSession.of(own, PublicKey.of(key))).isEmpty();
                byte[] bytes = request(first.publicKey(), 76);
                System.arraycopy(key, 0, bytes, 12, key.length);
                assertThat(server.open(keys, bytes, 0, bytes.length)).isEqualTo(Opened.WEAK_KEY);
                refused++;
            }
        }
        assertThat(refused).isEqualTo(14);
    }

    @Test
    void noncesDoNotRepeat() {
        Nonces[] boxes = {new Nonces(), new Nonces()};
        // More than one range for each.
        long[] seen = new long[2_200_000];
        byte[] nonce = new byte[Protocol.NONCE];
        boxes[0].request(nonce, 0);
        byte[] request = Arrays.copyOf(nonce, 16);
        boxes[0].reply(nonce, 0);
        byte[] reply = Arrays.copyOf(nonce, 16);
        assertThat(request).isNotEqualTo(reply);
        for (int i = 0; i < seen.length; i++) {
            boolean answers = (i & 2) != 0;
            if (answers) {
                boxes[i & 1].reply(nonce, 0);
            } else {
                boxes[i & 1].request(nonce, 0);
            }
            assertThat(Arrays.equals(nonce, 0, 16, answers ? reply : request, 0, 16)).isTrue();
            seen[i] = LittleEndian.getLong(nonce, 16);
        }
        assertThat(Arrays.stream(seen).distinct().count()).isEqualTo(seen.length);
    }

    /** Both directions use the same key; only the nonce identifies the sender. */
    @Test
    void rejectsItsOwnRequestAsAReply() {
        ClientSession session = ClientSession.of(own, first.publicKey()).orElseThrow();
        for (int length : new int[]{Protocol.COMMAND, 96, 144, Protocol.SHINGLED_COMMAND}) {
            byte[] request = new byte[Protocol.REQUEST_HEADER + length];
            client.sealRequest(session, request, 0, length);
            byte[] echo = Arrays.copyOfRange(request, 44, request.length);
            byte[] before = echo.clone();
            assertThat(new Box(random).openReply(session.shared(), echo, 0, echo.length)).isEqualTo(Opened.ECHO);
            assertThat(echo).as("untouched").isEqualTo(before);
        }
    }

    @Test
    void rejectsItsOwnReplyAsARequest() {
        ClientSession session = ClientSession.of(own, first.publicKey()).orElseThrow();
        byte[] reply = new byte[Protocol.REPLY_HEADER + 96];
        server.sealReply(session.shared(), reply, 0, 96);
        byte[] request = new byte[Protocol.REQUEST_HEADER + 96];
        client.sealRequest(session, request, 0, 96);
        System.arraycopy(reply, 0, request, 44, reply.length);
        assertThat(server.open(keys, request, 0, request.length)).isEqualTo(Opened.ECHO);
    }

    @Test
    void requestsSealedWithACachedSubkeyMatchTheirNonce() {
        ClientSession session = ClientSession.of(own, first.publicKey()).orElseThrow();
        byte[] sealed = new byte[Protocol.REQUEST_HEADER + 76];
        Arrays.fill(sealed, (byte) 7);
        client.sealRequest(session, sealed, 0, 76);
        byte[] again = new byte[sealed.length];
        Arrays.fill(again, (byte) 7);
        System.arraycopy(sealed, 44, again, 44, Protocol.NONCE);
        client.putRequest(session, again, 0, 76);
        assertThat(again).isEqualTo(sealed);
    }

    @Test
    void repliesSealedWithACachedSubkeyMatchTheirNonce() {
        SharedKey shared = SharedKey.of(first.secret(), own.publicKey()).orElseThrow();
        byte[] sealed = new byte[Protocol.REPLY_HEADER + 70];
        Arrays.fill(sealed, (byte) 7);
        int length = client.sealReply(shared, sealed, 0, 70);
        byte[] again = new byte[length];
        Arrays.fill(again, (byte) 7);
        System.arraycopy(sealed, 0, again, 0, Protocol.NONCE);
        client.encrypt(shared, again, 0, 24, Protocol.REPLY_HEADER, 70);
        assertThat(again).isEqualTo(sealed);
    }

    @Test
    void rejectsRepliesShorterThanTheirHeader() {
        SharedKey shared = SharedKey.of(first.secret(), own.publicKey()).orElseThrow();
        assertThat(client.openReply(shared, new byte[39], 0, 39)).isEqualTo(Opened.NOT_A_BOX);
        assertThat(client.openReply(shared, new byte[40], 0, 40)).isEqualTo(Opened.BAD_MAC);
        assertThatThrownBy(() -> client.openReply(shared, new byte[40], 1, 40))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> client.sealReply(shared, new byte[50], 0, 11))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> client.sealReply(shared, new byte[50], 0, Integer.MAX_VALUE))
                .isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> client.sealReply(shared, new byte[50], 0, -1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
