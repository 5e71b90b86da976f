package dev.weir.wire;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

final class BoxTest {
    @Test
    void everyBoxOfTheVectorsIsMadeAndOpened() {
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
}
