package dev.weir.interop;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.weir.hash.MailHasher;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.ScanContext;
import dev.weir.scan.score.FuzzyMatch;
import dev.weir.testkit.DatagramPeer;
import dev.weir.testkit.FreePort;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.reply.Reply;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * {@code html_similarity} beside a real Rspamd, which sees no difference: neither as a client of a storage that has
 * side hashes, nor as a storage that a rule with the option asks. Rspamd 3.4 knows only the texts of the mails, 4.1.6
 * also their HTML.
 */
class HtmlSimilarityTest {
    @TempDir
    private Path scratch = Path.of("");

    private Path letter = Path.of("");
    private Path next = Path.of("");
    private Path copy = Path.of("");

    @BeforeAll
    static void programs() {
        Programs.require("rspamd", "rspamc");
    }

    @BeforeEach
    void mails() throws Exception {
        letter = Files.write(scratch.resolve("letter.eml"), PhishingTest.real("investor-letter.eml"));
        next = Files.write(scratch.resolve("next.eml"), PhishingTest.real("investor-letter-next.eml"));
        copy = Files.writeString(scratch.resolve("copy.eml"), Files.readString(letter, ISO_8859_1)
                .replace("clickthru.online.com", "clickthru.0nline-news.xyz"), ISO_8859_1);
    }

    private FuzzyCheck open(int port, String options) throws Exception {
        return FuzzyCheck.open(new Settings(scratch)
                .rules("""
                        rule "weir" {
                          servers = "127.0.0.1:%d"; algorithm = "mumhash"; mime_types = ["*"]; min_length = 64;
                          short_text_direct_hash = true; timeout = 2s; retransmits = 1; html_shingles = true; %s
                          fuzzy_map { WEIR_DENIED { flag = 1; max_score = 20.0; } WEIR_PROBABLE { flag = 2; max_score = 10.0; } }
                        }
                        """
                        .formatted(port, options))
                .sound(), MailHasher.standard());
    }

    private List<FuzzyMatch> matches(FuzzyCheck check, Path mail) throws Exception {
        return check.check(Files.readAllBytes(mail), ScanContext.NONE).join().matches();
    }

    private String symbols(RspamdPeer rspamd) throws Exception {
        StringBuilder all = new StringBuilder();
        for (Path mail : List.of(letter, next, copy)) {
            rspamd.scan(mail).lines().filter(line -> line.startsWith("Symbol: ")).sorted()
                    .forEach(line -> all.append(mail.getFileName()).append(' ').append(line).append('\n'));
        }
        return all.toString();
    }

    /** What Rspamd finds does not depend on whether the hashes were learned with side hashes. */
    private void seesNoDifference(RspamdPeer rspamd, int storage, String expected) throws Exception {
        byte[] mail = Files.readAllBytes(letter);
        String plain;
        try (FuzzyCheck check = open(storage, "")) {
            assertThat(check.learn(mail, LearnRequest.add(1, 10)).join().failure()).isEmpty();
            plain = symbols(rspamd);
            assertThat(plain).contains("letter.eml Symbol: WEIR_DENIED", "copy.eml Symbol: WEIR_DENIED", expected);
            assertThat(check.learn(mail, LearnRequest.delete(1)).join().failure()).isEmpty();
            assertThat(symbols(rspamd)).isEmpty();
        }
        try (FuzzyCheck check = open(storage, "html_similarity = true;")) {
            assertThat(check.learn(mail, LearnRequest.add(1, 10)).join().failure()).isEmpty();
            assertThat(matches(check, copy)).anySatisfy(match -> assertThat(match.sides()).isNotNull());
            assertThat(symbols(rspamd)).isEqualTo(plain);
            // A learn that brings no side hashes leaves those of the storage alone, and its value counts.
            assertThat(rspamd.learn(letter, 1, 5).succeeded().out()).contains("success = true");
            assertThat(matches(check, letter)).anySatisfy(match -> assertThat(match.value()).isEqualTo(15));
            assertThat(matches(check, copy)).anySatisfy(match -> assertThat(match.sides()).isNotNull());
            rspamd.forget(letter, 1).succeeded();
            assertThat(symbols(rspamd)).doesNotContain(":txt");
        }
    }

    @Test
    void rspamd34() throws Exception {
        int own = FreePort.find();
        try (WeirStorage storage = WeirStorage.start(scratch.resolve("data"));
                RspamdPeer rspamd = RspamdPeer.start(scratch, new RspamdPeer.Setup(storage.port(), null,
                        new RspamdPeer.OwnStorage(own, RspamdPeer.sqlite(scratch.resolve("theirs.db")), null)))) {
            seesNoDifference(rspamd, storage.port(), "1.00:txt");
            // As a storage it drops a request with an extension that it does not know, so it gets none.
            try (FuzzyCheck check = open(own, "html_similarity = true;")) {
                LearnReport report = check.learn(Files.readAllBytes(letter), LearnRequest.add(1, 10)).join();
                assertThat(report.failure()).isEmpty();
                assertThat(report.success()).isTrue();
                await("both hashes are found").atMost(Duration.ofMinutes(1))
                        .until(() -> matches(check, letter).size() > 1);
                assertThat(matches(check, letter)).hasSizeGreaterThan(1)
                        .allSatisfy(match -> assertThat(match.sides()).isNull());
                assertThat(check.reducedRequests()).isPositive();
            }
            // A command, which greets nobody first, finds out by its second attempt.
            Path rules = Files.writeString(scratch.resolve("rules.conf"), """
                    fuzzy_check { rule "weir" { servers = "127.0.0.1:%d"; algorithm = "mumhash"; html_shingles = true;
                      html_similarity = true; timeout = 1s; retransmits = 2; fuzzy_map { WEIR_DENIED { flag = 1; } } } }
                    """.formatted(own));
            Weir.run(scratch, "learn", "-c", rules.toString(), "-f", "1", "-w", "2", next.toString()).succeeded();
        }
    }

    /** The client cannot know whether the request was dropped or the answer to it. */
    @Test
    void aLearnWhoseAnswerIsLostCountsOnce() throws Exception {
        try (WeirStorage storage = WeirStorage.start(scratch.resolve("data"))) {
            byte[] mail = Files.readAllBytes(letter);
            try (LossyWay way = LossyWay.to(storage.port());
                    FuzzyCheck check = open(way.port(), "html_similarity = true;")) {
                assertThat(check.learn(mail, LearnRequest.add(1, 10)).join().failure()).isEmpty();
                assertThat(way.lost()).isGreaterThan(1);
                assertThat(check.reducedRequests()).isPositive();
            }
            try (FuzzyCheck check = open(storage.port(), "html_similarity = true;")) {
                assertThat(matches(check, letter)).hasSizeGreaterThan(1)
                        .allSatisfy(match -> assertThat(match.value()).isEqualTo(10))
                        .anySatisfy(match -> assertThat(match.sides()).isNotNull());
            }
        }
    }

    /** A way to a storage that loses the first answer to each learn. */
    private static final class LossyWay implements AutoCloseable {
        private static final int CODE_AT = 1;
        private static final int TAG_AT = 8;

        private final Set<Integer> learns = ConcurrentHashMap.newKeySet();
        private final Set<Integer> lost = ConcurrentHashMap.newKeySet();
        private final DatagramPeer front;
        private final DatagramPeer back;
        private volatile SocketAddress client;

        private LossyWay(InetSocketAddress storage) throws IOException {
            client = storage;
            back = DatagramPeer.start((peer, datagram, _) -> answered(datagram));
            front = DatagramPeer.start((peer, datagram, from) -> {
                client = from;
                if (datagram[CODE_AT] == CommandCode.WRITE) {
                    learns.add(ByteBuffer.wrap(datagram).order(ByteOrder.LITTLE_ENDIAN).getInt(TAG_AT));
                }
                back.send(datagram, storage);
            });
        }

        static LossyWay to(int port) throws IOException {
            return new LossyWay(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        }

        private void answered(byte[] datagram) throws IOException {
            // A repeated learn has the tag of the first one.
            int tag = Reply.decode(datagram, 0, datagram.length).orElseThrow().tag();
            if (!learns.contains(tag) || !lost.add(tag)) {
                front.send(datagram, client);
            }
        }

        int port() {
            return front.port();
        }

        int lost() {
            return lost.size();
        }

        @Override
        public void close() {
            front.close();
            back.close();
        }
    }

    @Test
    void rspamd4() throws Exception {
        String program = Programs.rspamd4();
        int own = FreePort.find();
        try (WeirStorage storage = WeirStorage.start(scratch.resolve("data"));
                RspamdPeer rspamd = RspamdPeer.start(scratch, new RspamdPeer.Setup(storage.port(), null,
                        new RspamdPeer.OwnStorage(own, RspamdPeer.sqlite(scratch.resolve("theirs.db")), null)), program,
                        "html_shingles = true;")) {
            seesNoDifference(rspamd, storage.port(), ":html");
            // As a storage it skips the extension: the HTML is learned and found, without a comparison of side hashes.
            try (FuzzyCheck check = open(own, "html_similarity = true;")) {
                assertThat(check.learn(Files.readAllBytes(letter), LearnRequest.add(1, 10)).join().failure()).isEmpty();
                await("the copy is found").atMost(Duration.ofMinutes(1)).until(() -> !matches(check, copy).isEmpty());
                assertThat(matches(check, copy)).isNotEmpty()
                        .allSatisfy(match -> assertThat(match.sides()).isNull());
            }
        }
    }
}
