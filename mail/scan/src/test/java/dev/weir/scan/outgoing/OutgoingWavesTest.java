package dev.weir.scan.outgoing;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.weir.hash.FuzzyHash;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.model.KeyedHash;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OutgoingWavesTest {
    private static final OutgoingSettings TEN = new OutgoingSettings(10, Duration.ofMinutes(10), "FUZZY_OUTGOING", 5);
    private static final InetAddress IP = InetAddress.ofLiteral("192.0.2.7");
    private static final long START = 1_790_000_000_000L;
    private static final MailHasher HASHER = MailHasher.standard();
    private static final HashRule RULE = HashRule.builder().mimeTypes(List.of("*")).minBytes(10).build();

    private final List<String> lines = new ArrayList<>();
    private final OutgoingWaves waves = new OutgoingWaves(new KeyedHash(1, 2), lines::add);
    private long now = START;

    /** Returns the hashes of a text of a hundred words, of which one is a name. */
    private static List<FuzzyHash> text(long seed, String name) {
        String words = new Random(seed).ints(100, 0, 100_000).mapToObj(i -> "w" + Integer.toString(i, 36) + "ord")
                .collect(Collectors.joining(" "));
        return hashes("Dear " + name + ", " + words);
    }

    private static List<FuzzyHash> hashes(String body) {
        byte[] mail = ("From: a@example.org\nContent-Type: text/plain\n\n" + body + "\n")
                .getBytes(StandardCharsets.UTF_8);
        return HASHER.hash(mail, RULE);
    }

    private OptionalLong send(String user, List<FuzzyHash> hashes, int recipients) {
        return waves.count(TEN, user, IP, hashes, recipients, now);
    }

    @Test
    void theSameTextToTooManyIsReported() {
        for (int i = 0; i < 10; i++) {
            assertThat(send("alice", text(1, "Bob" + i), 1)).as("recipient %d", i).isEmpty();
        }
        assertThat(send("alice", text(2, "Bob"), 9)).as("another text").isEmpty();
        assertThat(send("carol", text(1, "Bob"), 9)).as("another login").isEmpty();
        assertThat(lines).isEmpty();
        assertThat(send("Alice", text(1, "Eve"), 1)).as("the same login").hasValue(11);
        assertThat(lines).singleElement().asString()
                .matches("ip=192\\.0\\.2\\.7 user=\"Alice\" recipients=11 seconds=600 text=[0-9a-f]{16}");
        assertThat(send("alice", text(1, "Mallory"), 3)).hasValue(14);
        assertThat(lines).as("one line a minute").hasSize(1);
        now += 60_000;
        assertThat(send("alice", text(1, "Trent"), 1)).hasValue(15);
        assertThat(lines).hasSize(2);
        assertThat(waves.figures()).isEqualTo(new OutgoingFigures(2, 15, 1, 3, 0));
    }

    @Test
    void oneMailToManyIsReportedAtOnce() {
        assertThat(send("alice", text(1, "all"), 500)).hasValue(500);
    }

    @Test
    void recipientsCountForTheWindow() {
        assertThat(send("alice", text(1, "a"), 10)).isEmpty();
        now += Duration.ofMinutes(9).toMillis();
        assertThat(send("alice", text(1, "b"), 1)).hasValue(11);
        now += Duration.ofMinutes(1).toMillis();
        assertThat(send("alice", text(1, "c"), 1)).as("only those of the last ten minutes").isEmpty();
        now += Duration.ofHours(5).toMillis();
        assertThat(send("alice", text(1, "d"), 10)).isEmpty();
        assertThat(send("alice", text(1, "e"), 1)).hasValue(11);
        assertThat(waves.figures().waves()).as("it stopped in between").isEqualTo(2);
    }

    @Test
    void shortTextsCountIfTheyAreEqual() {
        for (int i = 0; i < 10; i++) {
            send("alice", hashes("Buy now at shop.example"), 1);
        }
        assertThat(send("alice", hashes("Buy later at shop.example"), 1)).isEmpty();
        assertThat(send("alice", hashes("Buy now at shop.example"), 1)).hasValue(11);
    }

    @Test
    void aLogoIsNoText() {
        byte[] mail = """
                From: a@example.org
                MIME-Version: 1.0
                Content-Type: application/octet-stream; name=logo.bin
                Content-Disposition: attachment; filename=logo.bin

                %s
                """.formatted("logo ".repeat(200)).getBytes(StandardCharsets.UTF_8);
        List<FuzzyHash> logo = HASHER.hash(mail, RULE);
        assertThat(logo).isNotEmpty();
        assertThat(send("alice", logo, 1_000)).isEmpty();
    }

    @Test
    void aLoginCannotWriteAnotherLine() {
        String login = "x\" recipients=1\r\n2026-03-01T12:00:00.000Z WARN  OutgoingWaves: ip=198.51.100.1 user=\"y\\";
        waves.count(TEN, login, null, text(1, "all"), 500, now);
        assertThat(lines).singleElement().asString().doesNotContain("\n", "\r")
                .startsWith("ip=- user=\"x\\\" recipients=1")
                .matches("ip=- user=\"(?:[^\"\\\\]|\\\\.)*\" recipients=500 seconds=600 text=[0-9a-f]{16}");
        waves.count(TEN, "a".repeat(5_000), IP, text(1, "all"), 500, now);
        assertThat(lines.getLast().length()).isLessThan(400);
    }

    @Test
    void manyLoginsAndTextsStayWithinTheirBounds() {
        List<FuzzyHash> wave = text(1, "all");
        send("alice", wave, 10);
        List<List<FuzzyHash>> others = IntStream.range(2, 30).mapToObj(seed -> text(seed, "you")).toList();
        others.forEach(other -> send("alice", other, 1));
        assertThat(send("alice", wave, 1)).as("the largest text of a login stays").hasValue(11);
        List<OptionalLong> found = new ArrayList<>();
        for (int user = 0; user < OutgoingWaves.MOST_USERS + 5; user++) {
            found.add(send("user" + user, others.getFirst(), 1));
        }
        assertThat(found).allMatch(OptionalLong::isEmpty);
        assertThat(waves.figures().users()).isEqualTo(OutgoingWaves.MOST_USERS);
        assertThat(waves.figures().displaced()).isEqualTo(6);
    }
}
