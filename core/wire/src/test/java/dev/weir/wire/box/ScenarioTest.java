package dev.weir.wire.box;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.ReplyLayout;
import dev.weir.wire.Vectors;
import dev.weir.wire.command.Carrier;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.command.Parse;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.ServerKeys;
import dev.weir.wire.reply.Reply;
import dev.weir.wire.reply.ReplyWriter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/** Decodes and encodes every datagram of a recorded session with a real server. */
final class ScenarioTest {
    private final List<Vectors.Exchange> exchanges = Vectors.exchanges();
    private final Box box = new Box(new SecureRandom());

    /**
     * Reads a request like a server that accepts all generations and has the scenario's keys. Returns null to drop it.
     */
    private @Nullable Command read(Vectors.Exchange exchange, byte[] bytes) {
        Command command = new Command(exchange.server().equals("1.9.4")
                ? Set.of(Generation.V2, Generation.V3, Generation.V4)
                : Generation.current());
        int offset = 0;
        int length = bytes.length;
        Carrier carrier = exchange.stream() ? Carrier.FRAME : Carrier.DATAGRAM;
        if (Box.isRequest(bytes, 0, length)) {
            if (box.open(keys(exchange), bytes, 0, length) != Opened.OK) {
                return null;
            }
            offset = box.plainOffset();
            length = box.plainLength();
            carrier = exchange.stream() ? Carrier.BOXED_FRAME : Carrier.BOXED_DATAGRAM;
        }
        return command.wrap(bytes, offset, length, carrier) == Parse.OK ? command : null;
    }

    private static ServerKeys keys(Vectors.Exchange exchange) {
        for (JsonNode scenario : Vectors.ROOT.path("scenarios")) {
            if (scenario.path("name").asString().equals(exchange.scenario())) {
                JsonNode names = scenario.path("config").path("keypairs");
                List<KeyPair> pairs = new ArrayList<>();
                if (names.isObject()) {
                    names.propertyNames().forEach(name -> pairs.add(Vectors.keyPair(name)));
                } else {
                    names.forEach(name -> pairs.add(Vectors.keyPair(name.asString())));
                }
                return ServerKeys.of(pairs);
            }
        }
        throw new IllegalStateException(exchange.label());
    }

    @Test
    void readsTheRepliesOfARealServer() {
        int good = 0;
        for (Vectors.Exchange exchange : exchanges) {
            Command command = read(exchange, exchange.request());
            boolean blocked = exchange.step().path("source_ip").asString("").equals("127.0.0.9");
            if (exchange.answered()) {
                assertThat(command).as(exchange.label()).isNotNull();
            } else if (exchange.server().equals("4.1.6") && !blocked) {
                assertThat(command).as(exchange.label()).isNull();
            }
            good++;
        }
        System.out.println("wire: requests " + good + " of " + exchanges.size());
        assertThat(good).isEqualTo(428);
    }

    @Test
    void opensAndReproducesEveryEncryptedRequest() {
        int encrypted = 0;
        int opened = 0;
        int remade = 0;
        for (Vectors.Exchange exchange : exchanges) {
            if (!exchange.encrypted()) {
                continue;
            }
            encrypted++;
            byte[] request = exchange.request();
            byte[] plain = Vectors.bytes(exchange.encryption().path("plaintext_request").asString());
            Opened outcome = box.open(keys(exchange), request, 0, request.length);
            if (outcome != Opened.OK) {
                assertThat(exchange.answered()).as(exchange.label()).isFalse();
                assertThat(request).as("untouched").isEqualTo(exchange.request());
                continue;
            }
            opened++;
            assertThat(Arrays.copyOfRange(request, box.plainOffset(), box.plainOffset() + box.plainLength()))
                    .as(exchange.label()).isEqualTo(plain);
            KeyPair server = Vectors.keyPair(exchange.encryption().path("server_key").asString());
            KeyPair client = Vectors.keyPair(exchange.encryption().path("client_key").asString());
            assertThat(box.serverKey()).isEqualTo(server);
            byte[] again = new byte[request.length];
            System.arraycopy(plain, 0, again, Protocol.REQUEST_HEADER, plain.length);
            System.arraycopy(Vectors.bytes(exchange.encryption().path("nonce").asString()), 0, again, 44,
                    Protocol.NONCE);
            box.putRequest(ClientSession.of(client, server.publicKey()).orElseThrow(), again, 0, plain.length);
            // The authenticator does not cover the key name, and some requests contain a wrong one on purpose.
            System.arraycopy(exchange.request(), 4, again, 4, Long.BYTES);
            assertThat(again).as(exchange.label()).isEqualTo(exchange.request());
            remade++;
        }
        System.out.println("wire: encrypted requests " + opened + " opened and " + remade + " made again of "
                + encrypted + ", the rest are broken ones");
        assertThat(encrypted).isEqualTo(103);
        assertThat(opened).isEqualTo(remade).isGreaterThan(75);
    }

    @Test
    void reproducesEveryRequest() {
        int read = 0;
        for (Vectors.Exchange exchange : exchanges) {
            byte[] request = exchange.request();
            Command command = read(exchange, request);
            if (command == null) {
                continue;
            }
            read++;
            byte[] expected = Arrays.copyOfRange(request, command.offset(), command.offset() + command.length());
            if (command.hasShingles()) {
                // Any number except zero announces shingles; the writer always sends 32.
                expected[2] = 32;
            }
            byte[] out = new byte[Protocol.MAX_DATAGRAM];
            CommandWriter writer = new CommandWriter().begin(out, 5, command.version(), command.code())
                    .flag(command.flag()).value(command.value()).tag(command.tag())
                    .digest(command.bytes(), command.digestOffset());
            if (command.hasShingles()) {
                long[] shingles = new long[Protocol.SHINGLES];
                command.copyShingles(shingles, 0);
                writer.shingles(shingles);
            }
            command.extensions().forEach(writer::extension);
            assertThat(Arrays.copyOfRange(out, 5, 5 + writer.end())).as(exchange.label()).isEqualTo(expected);
        }
        System.out.println("wire: requests written again " + read + " of " + read);
        assertThat(read).isEqualTo(328);
    }

    @Test
    void reproducesEveryReply() {
        int good = 0;
        int answered = 0;
        for (Vectors.Exchange exchange : exchanges) {
            if (!exchange.answered()) {
                continue;
            }
            answered++;
            byte[] reply = Objects.requireNonNull(exchange.reply());
            if (exchange.encrypted()) {
                KeyPair server = Vectors.keyPair(exchange.encryption().path("server_key").asString());
                KeyPair client = Vectors.keyPair(exchange.encryption().path("client_key").asString());
                SharedKey shared = ClientSession.of(client, server.publicKey()).orElseThrow().shared();
                assertThat(box.openReply(shared, reply, 0, reply.length)).as(exchange.label()).isEqualTo(Opened.OK);
                reply = Arrays.copyOfRange(reply, box.plainOffset(), box.plainOffset() + box.plainLength());
                assertThat(Vectors.hex(reply)).isEqualTo(exchange.encryption().path("plaintext_reply").asString());
            }
            Reply decoded = Reply.decode(reply, 0, reply.length).orElseThrow();
            fieldsAgree(exchange, decoded);
            writtenAgain(exchange, decoded, reply);
            good++;
        }
        System.out.println("wire: replies " + good + " of " + answered);
        assertThat(good).isEqualTo(answered).isEqualTo(315);
    }

    private static void fieldsAgree(Vectors.Exchange exchange, Reply reply) {
        JsonNode fields = exchange.step().path("reply_fields");
        assertThat(reply.value()).as(exchange.label()).isEqualTo(fields.path("value").asInt());
        assertThat(Integer.toUnsignedLong(reply.flag())).isEqualTo(fields.path("flag").asLong());
        assertThat(Integer.toUnsignedLong(reply.tag())).isEqualTo(fields.path("tag").asLong());
        assertThat(reply.probability()).isEqualTo((float) fields.path("prob").asDouble());
        assertThat(Vectors.hex(reply.digest())).isEqualTo(fields.path("digest").asString(""));
        assertThat(reply.time()).isEqualTo(fields.path("ts").asLong(0));
        String reserved = fields.path("reserved").asString("");
        assertThat(reply.matched()).isEqualTo(reserved.startsWith("01"));
        assertThat(reply.extras()).hasSize(fields.path("n_extra").asInt(0));
        assertThat(reply.isMatch()).isEqualTo(fields.path("prob").asDouble() > 0.5);
    }

    /** Writes the reply to its request from the fields of the decoded reply, and compares the bytes. */
    private void writtenAgain(Vectors.Exchange exchange, Reply reply, byte[] bytes) {
        Command command = Objects.requireNonNull(read(exchange, exchange.request()), exchange.label());
        byte[] out = new byte[3 + Protocol.MAX_REPLY];
        Arrays.fill(out, (byte) 0x55);
        ReplyWriter writer = new ReplyWriter().begin(command, out, 3)
                .result(reply.value(), reply.flag(), reply.probability()).time((int) reply.time());
        if (reply.layout() != ReplyLayout.SHORT) {
            writer.digest(reply.digest(), 0);
        }
        if (reply.matched()) {
            writer.matched();
        }
        reply.extras().forEach(extra -> writer.extra(extra.value(), extra.flag()));
        byte[] expected = bytes.clone();
        if (reply.layout() == ReplyLayout.MULTI_FLAG) {
            // Rspamd leaves arbitrary bytes after the last entry; Weir writes zeros.
            Arrays.fill(expected, 88 + 8 * reply.extras().size(), expected.length, (byte) 0);
        }
        assertThat(Arrays.copyOfRange(out, 3, 3 + writer.end())).as(exchange.label()).isEqualTo(expected);
    }
}
