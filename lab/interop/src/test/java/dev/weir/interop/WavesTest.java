package dev.weir.interop;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** An unchanged Rspamd gets a symbol for a wave of unreported mail (docs/operate/waves.md). */
class WavesTest {
    private static final int MIN_CHECKS = 3;

    @TempDir
    private Path scratch = Path.of("");

    @BeforeAll
    static void programs() {
        Programs.require("rspamd", "rspamc");
    }

    private WeirStorage counting() throws Exception {
        return WeirStorage.configured(Files.writeString(scratch.resolve("waves.conf"), """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:0"; hash_file = "%s/data/fuzzy.db"; allow_update = "127.0.0.1";
                  waves { flag = 2; min_checks = %d; min_clients = 1; window = 1h; }
                }
                """.formatted(scratch, MIN_CHECKS)));
    }

    @Test
    void rspamdScoresWhatManyAskAbout() throws Exception {
        Path letter = Files.write(scratch.resolve("letter.eml"), PhishingTest.real("investor-letter.eml"));
        Path variant = Files.writeString(scratch.resolve("variant.eml"), Files.readString(letter, ISO_8859_1)
                .replace("clickthru.online.com", "clickthru.0nline-news.xyz"), ISO_8859_1);
        Path other = Files.write(scratch.resolve("other.eml"), PhishingTest.real("investor-letter-next.eml"));
        try (WeirStorage storage = counting();
                RspamdPeer rspamd = RspamdPeer.start(scratch,
                        new RspamdPeer.Setup(storage.port(), null, null))) {
            for (int i = 0; i < MIN_CHECKS; i++) {
                assertThat(rspamd.scan(letter)).as("scan %d", i).doesNotContain("Symbol: ");
            }
            // One background thread counts, once for each hash of a mail.
            await("the copy that follows is a wave").atMost(Duration.ofMinutes(1))
                    .until(() -> rspamd.scan(variant).contains("Symbol: " + RspamdPeer.PROBABLE));
            assertThat(rspamd.scan(other)).as("a text that came once").doesNotContain("Symbol: ");

            rspamd.learn(variant, 1, 20).succeeded();
            assertThat(rspamd.scan(variant)).as("a known hash wins").contains("Symbol: " + RspamdPeer.DENIED)
                    .doesNotContain("Symbol: " + RspamdPeer.PROBABLE);
        }
    }
}
