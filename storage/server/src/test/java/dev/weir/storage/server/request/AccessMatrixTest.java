package dev.weir.storage.server.request;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;

import dev.weir.model.Networks;
import dev.weir.storage.Samples;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.Delay;
import dev.weir.storage.access.DigestSet;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.KeyRules;
import dev.weir.storage.access.Limits;
import dev.weir.storage.access.NetworkLimit;
import dev.weir.storage.access.Operation;
import dev.weir.storage.access.RateLimit;
import dev.weir.storage.access.ReplyRules;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.access.WriteRules;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.server.stats.Counter;
import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.key.Base32;
import dev.weir.wire.reply.Reply;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the answers to all combinations of options, commands, encryption, sources, and transports with the reviewed
 * table in {@code access-matrix.txt}. Each answer comes from a fresh storage. To change the table, review
 * {@code target/access-matrix.txt}, then copy it.
 */
class AccessMatrixTest {
    private static final String LISTED = "192.0.2.1";
    private static final String OTHER = "198.51.100.1";
    private static final Networks LISTED_NETWORK = Networks.perFamily("192.0.2.0/24");
    private static final Networks OTHER_NETWORK = Networks.perFamily("198.51.100.0/24");

    /** The time of the requests. The fixture's hash was learned at second 100. */
    private static final Instant NOW = Instant.ofEpochSecond(86_400);
    private static final RateLimit ONE = new RateLimit(1, 1e-9);
    private static final NetworkLimit NETWORK_LIMIT = NetworkLimit.of(ONE);

    /**
     * A set of rules, with the setup of the request.
     *
     * @param access the rules
     * @param generation the protocol generation of the requests
     * @param before whether to send a check from the same source first
     */
    private record Option(Access access, Generation generation, boolean before) {}

    private static final Map<String, Integer> COMMANDS = commands();

    private final HashIndex index = HandlerFixture.sampleIndex();
    private final Map<String, Option> options = new LinkedHashMap<>();

    private static Map<String, Integer> commands() {
        Map<String, Integer> commands = new LinkedHashMap<>();
        commands.put("check", CommandCode.CHECK);
        commands.put("write", CommandCode.WRITE);
        commands.put("delete", CommandCode.DEL);
        commands.put("stat", CommandCode.STAT);
        commands.put("ping", CommandCode.PING);
        commands.put("code 9", 9);
        return commands;
    }

    private static Access key(Access access, UnaryOperator<KeyRules> change) {
        return access.withKeys(List.of(new ServerKey(HandlerFixture.SERVER, change.apply(KeyRules.DEFAULT))));
    }

    private static KeyRules all(KeyRules rules) {
        return rules.withAllowed(Operation.values());
    }

    private void option(String name, Access access) {
        options.put(name, new Option(access, Generation.MULTI_FLAG, false));
    }

    private void secondRequest(String name, Access access) {
        options.put(name + "; the second request", new Option(access, Generation.MULTI_FLAG, true));
    }

    private void options() {
        Access none = key(Access.DEFAULT, rules -> rules);
        Access allow = none.withUpdateSources(LISTED_NETWORK);
        option("nothing configured", none);
        option("allow_update", allow);
        option("empty allow_update", none.withUpdateSources(Networks.NONE));
        option("read_only, allow_update", allow.withUpdates(allow.updates().withReadOnly(true)));
        option("blocked (the other), allow_update of both", none
                .withUpdateSources(Networks.perFamily("192.0.2.0/24", "198.51.100.0/24")).withBlocked(OTHER_NETWORK));
        option("encrypted_only, allow_update", allow.withEncryptedOnly(true));
        option("encrypted_only, blocked (the other)", none.withEncryptedOnly(true).withBlocked(OTHER_NETWORK));
        WriteRules byId = WriteRules.BY_KEY
                .withKeyIds(Set.of(Base32.encode(HandlerFixture.SERVER.publicKey().id())));
        option("allow_update_keys", none.withUpdates(byId));
        option("allow_update_keys, allow_update", none.withUpdates(byId.withSources(LISTED_NETWORK)));
        option("key: read, write", key(none, rules -> rules.withAllowed(Operation.READ, Operation.WRITE)));
        option("key: read, delete", key(none, rules -> rules.withAllowed(Operation.READ, Operation.DELETE)));
        option("key: read, write, delete", key(none, AccessMatrixTest::all));
        option("key: write", key(none, rules -> rules.withAllowed(Operation.WRITE)));
        option("key: read, write, delete; allow_update", key(allow, AccessMatrixTest::all));
        option("key: read, write, delete; read_only",
                key(none.withUpdates(WriteRules.BY_KEY.withReadOnly(true)), AccessMatrixTest::all));
        option("key: read, write, delete, expired", key(none, rules -> all(rules).withExpires(NOW)));
        option("key: read, write, delete, expires in a second",
                key(none, rules -> all(rules).withExpires(NOW.plusSeconds(1))));
        ReplyRules no3 = ReplyRules.ALL.withForbidden(FlagSet.of(3));
        option("forbidden_ids 3, allow_update", allow.withAnswers(no3));
        options.put("forbidden_ids 3, allow_update; 96-byte replies",
                new Option(allow.withAnswers(no3), Generation.V4, false));
        options.put("forbidden_ids 3, allow_update; 16-byte replies",
                new Option(allow.withAnswers(no3), Generation.V3, false));
        option("forbidden_ids 3, key: none forbidden; allow_update",
                key(allow.withAnswers(no3), rules -> rules.withForbidden(FlagSet.none())));
        option("forbidden_ids 3, key: 4 forbidden; allow_update",
                key(allow.withAnswers(no3), rules -> rules.withForbidden(FlagSet.of(4))));
        option("forbidden_ids 3 and 4, allow_update",
                allow.withAnswers(ReplyRules.ALL.withForbidden(FlagSet.of(3, 4))));
        option("forbidden_ids 3, encrypted_only", none.withAnswers(no3).withEncryptedOnly(true));
        option("weak_ids 3, allow_update", allow.withAnswers(ReplyRules.ALL.withWeak(FlagSet.of(3))));
        ReplyRules skip = ReplyRules.ALL.withSkipped(DigestSet.of(List.of(Samples.digest(1))));
        option("skip_hashes, allow_update", allow.withAnswers(skip));
        option("skip_hashes, forbidden_ids 3, allow_update", allow.withAnswers(skip.withForbidden(FlagSet.of(3))));
        Delay delay = new Delay(Duration.ofDays(1), LISTED_NETWORK);
        option("delay, delay_whitelist", none.withAnswers(ReplyRules.ALL.withDelay(delay)));
        option("delay, delay_whitelist, forbidden_ids 3", none.withAnswers(no3.withDelay(delay)));
        Access limited = allow.withLimits(new Limits(NETWORK_LIMIT, false));
        option("ratelimit 1, allow_update; the first request", limited);
        secondRequest("ratelimit 1, allow_update", limited);
        secondRequest("ratelimit 1, ratelimit_log_only, allow_update",
                allow.withLimits(new Limits(NETWORK_LIMIT, true)));
        secondRequest("ratelimit 1, ratelimit_whitelist, allow_update",
                allow.withLimits(new Limits(NETWORK_LIMIT.withExempt(LISTED_NETWORK), false)));
        secondRequest("ratelimit 1, forbidden_ids 3", limited.withAnswers(no3));
        secondRequest("ratelimit 1, encrypted_only", limited.withEncryptedOnly(true));
        secondRequest("key: ratelimit 1; allow_update", key(allow, rules -> rules.withLimit(ONE)));
        secondRequest("key: ratelimit 1; ratelimit_log_only, allow_update",
                key(allow.withLimits(new Limits(null, true)), rules -> rules.withLimit(ONE)));
        secondRequest("key: ratelimit 1, expired; ratelimit 1",
                key(limited, rules -> rules.withLimit(ONE).withExpires(NOW)));
        option("no_amplification, allow_update", allow.withNoAmplification(true));
        option("no_amplification, encrypted_only", none.withNoAmplification(true).withEncryptedOnly(true));
    }

    private static byte[] request(Generation generation, int code) {
        byte[] bytes = new byte[Protocol.COMMAND];
        new CommandWriter().begin(bytes, 0, generation, code).flag(3).value(2).tag(77)
                .digest(Samples.digest(1).toBytes(), 0).end();
        return bytes;
    }

    private String answer(Option option, int code, boolean encrypted, String source, boolean stream) {
        HandlerFixture fixture = new HandlerFixture(8, () -> NOW, option.access(), index).from(source, stream);
        if (option.before()) {
            fixture.exchange(request(option.generation(), CommandCode.CHECK), encrypted);
        }
        String text = fixture.exchange(request(option.generation(), code), encrypted)
                .map(bytes -> text(code, Reply.decode(bytes, 0, bytes.length).orElseThrow())).orElse("-");
        boolean changed = fixture.count(Counter.WRITES) + fixture.count(Counter.DELETES) > 0;
        return changed ? text + "!" : text;
    }

    private static String text(int code, Reply reply) {
        assertThat(reply.tag()).isEqualTo(77);
        if (reply.probability() > 0.5f) {
            return switch (code) {
                case CommandCode.CHECK -> {
                    StringBuilder flags = new StringBuilder("flag ").append(reply.flag());
                    reply.extras().forEach(extra -> flags.append('+').append(extra.flag()));
                    yield flags.toString();
                }
                case CommandCode.STAT -> "count";
                default -> {
                    assertThat(reply.flag()).isEqualTo(3);
                    assertThat(reply.value()).isEqualTo(code == CommandCode.PING ? 2 : 0);
                    yield "ok";
                }
            };
        }
        return reply.value() + "/" + reply.flag();
    }

    private String table() {
        StringBuilder table = new StringBuilder();
        options.forEach((name, option) -> {
            table.append("\n== ").append(name).append(" ==\n");
            COMMANDS.forEach((command, code) -> {
                StringBuilder line = new StringBuilder(String.format("%-8s", command));
                for (boolean encrypted : new boolean[]{false, true}) {
                    line.append('|');
                    for (String source : List.of(LISTED, OTHER)) {
                        for (boolean stream : new boolean[]{false, true}) {
                            line.append(
                                    String.format(" %-8s", answer(option, code, encrypted, source, stream)));
                        }
                    }
                }
                table.append(line.toString().stripTrailing()).append('\n');
            });
        });
        return table.toString();
    }

    @Test
    void everyAnswerMatchesTheTable() throws IOException {
        options();
        String expected;
        try (InputStream in = Objects
                .requireNonNull(AccessMatrixTest.class.getResourceAsStream("access-matrix.txt"))) {
            expected = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        String actual = expected.substring(0, expected.indexOf("\n==")) + table();
        Files.writeString(Path.of("target", "access-matrix.txt"), actual);
        assertThat(actual.lines()).containsExactlyElementsOf(expected.lines().toList());
    }
}
