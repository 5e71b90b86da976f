package dev.weir.http.data;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import dev.weir.config.Configuration;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.hash.MailHasher;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.FuzzyCheckOptions;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.ReplyRules;
import dev.weir.storage.index.FlagThresholds;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** What the explanation of a near duplicate says that a match needed: the rule and the storage both have a say. */
@Timeout(120)
final class ExplainEndpointsTest {
    /** The flag of the list, and that of the kind chars on it. */
    private static final int LIST = 11;
    private static final int CHARS = 31;

    /** Returns a mail with random words, of which every twentieth from a place on is another one. */
    private static byte[] mail(int changed) {
        Random random = new Random(1);
        StringBuilder text = new StringBuilder(
                "From: a@example.org\r\nSubject: offer\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<p>");
        for (int i = 0; i < 200; i++) {
            String word = random.ints(7, 'a', 'z' + 1).collect(StringBuilder::new, StringBuilder::appendCodePoint,
                    StringBuilder::append).toString();
            text.append(i < changed && i % 20 == 0 ? "another" : word).append(i % 10 == 9 ? "\r\n" : " ");
        }
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** Learns a mail, asks why a near copy matches, and returns what was needed, by flag. */
    private static Map<Integer, Integer> needed(Path folder, FlagThresholds thresholds, byte[] asked) throws Exception {
        try (StorageServer storage = new StorageServer(StorageConfig.of(folder)
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withAccess(Access.DEFAULT.withAnswers(ReplyRules.ALL.withThresholds(thresholds)))
                .withAllowUpdate(StorageConfig.loopback()))) {
            String text = """
                    fuzzy_check { rule "local" {
                      algorithm = "mumhash"; servers = "127.0.0.1:%d"; symbol = "LOCAL"; read_only = false;
                      timeout = 10s; fuzzy_map = { DENIED { flag = %d; max_score = 20; } }
                      kinds { chars { flag_offset = %d; weight = 0.5; threshold = 12; } }
                    } }
                    """.formatted(storage.start().getPort(), LIST, CHARS - LIST);
            UclObject root = (UclObject) Ucl.parse("test.conf", text, UclSettings.PLAIN).root();
            try (FuzzyCheck client = FuzzyCheck.open(FuzzyCheckSettings.of(new Configuration(
                    Configuration.Shape.WHOLE_FILE, "test.conf", root, List.of(), List.of()), new DiskFiles()),
                    MailHasher.standard(), FuzzyCheckOptions.DEFAULT.withExecutor(Runnable::run))) {
                assertThat(client.learn(mail(0), LearnRequest.add(LIST, 10)).join().failure()).isEmpty();
                JsonNode why = JsonMapper.shared()
                        .readTree(new ExplainEndpoints(storage, client).explain(asked).body());
                Map<Integer, Integer> needed = new TreeMap<>();
                why.get("matches").forEach(match -> {
                    assertThat(match.get("exact").asBoolean()).isEqualTo(!match.has("needed"));
                    needed.put(match.get("flag").asInt(), match.path("needed").asInt(0));
                });
                return needed;
            }
        }
    }

    @Test
    void aMatchByAKindNeedsWhatTheRuleSaysAndOneByTextTheUsualNumber(@TempDir Path folder) throws Exception {
        assertThat(needed(folder, FlagThresholds.NONE, mail(200)))
                .isEqualTo(Map.of(LIST, FlagThresholds.USUAL, CHARS, 12));
    }

    @Test
    void aHigherThresholdOfTheStorageForTheFlagCounts(@TempDir Path folder) throws Exception {
        assertThat(needed(folder, FlagThresholds.of(Map.of(CHARS, 15)), mail(200)))
                .isEqualTo(Map.of(LIST, FlagThresholds.USUAL, CHARS, 15));
    }

    @Test
    void aLowerThresholdOfTheStorageDoesNotLowerThatOfTheRule(@TempDir Path folder) throws Exception {
        assertThat(needed(folder, FlagThresholds.of(Map.of(CHARS, 9, LIST, 10)), mail(200)))
                .isEqualTo(Map.of(LIST, FlagThresholds.USUAL, CHARS, 12));
    }

    @Test
    void theSameDigestNeedsNoShingle(@TempDir Path folder) throws Exception {
        assertThat(needed(folder, FlagThresholds.of(Map.of(CHARS, 15)), mail(0)))
                .isEqualTo(Map.of(LIST, 0, CHARS, 0));
    }
}
