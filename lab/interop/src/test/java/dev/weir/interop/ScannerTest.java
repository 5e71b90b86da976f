package dev.weir.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.config.ConfigurationLoader;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.ucl.UclLimits;
import dev.weir.hash.MailHasher;
import dev.weir.model.Digest;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.score.SymbolResult;
import dev.weir.testkit.FreePort;
import dev.weir.wire.key.KeyPair;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Tests of Weir's rules, learning and scores against the fuzzy worker of a real Rspamd, and beside its scanner. */
class ScannerTest {
    private static final long FLUSH_SECONDS = 120;
    /** A line {@code Symbol: NAME (score)[options]} of rspamc. */
    private static final Pattern SYMBOL = Pattern.compile("Symbol: (WEIR_\\w+) ?\\((-?[0-9.]+)\\)(?:\\[(.*)\\])?");

    @TempDir
    Path scratch;

    @BeforeAll
    static void programs() {
        Programs.require("rspamd", "rspamc");
    }

    @Test
    void learnsAndScoresLikeRspamdInPlainText() throws Exception {
        learnsAndScoresLikeRspamd(null);
    }

    @Test
    void learnsAndScoresLikeRspamdEncrypted() throws Exception {
        learnsAndScoresLikeRspamd(KeyPair.generate(new SecureRandom()));
    }

    private void learnsAndScoresLikeRspamd(@Nullable KeyPair key) throws Exception {
        Mails mails = Mails.in(scratch);
        int port = FreePort.find();
        String publicKey = key == null ? null : key.publicKey().base32();
        RspamdPeer.OwnStorage worker = new RspamdPeer.OwnStorage(port,
                RspamdPeer.sqlite(scratch.resolve("theirs.db")), key == null ? null : key.toUcl());
        try (RspamdPeer rspamd = RspamdPeer.start(scratch, new RspamdPeer.Setup(port, publicKey, worker));
                FuzzyCheck fuzzy = FuzzyCheck.open(settings(port, publicKey), MailHasher.standard())) {
            assertThat(learn(fuzzy, mails.campaign(), RspamdPeer.DENIED, 5).whole()).isTrue();
            assertThat(learn(fuzzy, mails.unrelated(), RspamdPeer.PROBABLE, 11).whole()).isTrue();
            awaitHit(fuzzy, mails.unrelated());

            for (Path mail : List.of(mails.campaign(), mails.modified(), mails.unrelated())) {
                ScanResult ours = check(fuzzy, mail);
                assertThat(ours.complete()).isTrue();
                assertThat(ours.symbols()).as(mail.toString()).isNotEmpty();
                // rspamc prints two decimals, and options in any order.
                assertThat(shown(ours)).as(mail.toString()).isEqualTo(shown(rspamd.scan(mail)));
            }
            List<Digest> digests = learn(fuzzy, mails.campaign(), RspamdPeer.DENIED, 1).digests();
            assertThat(fuzzy.forget(digests, 1).join().whole()).isTrue();
            await("Rspamd has forgotten it").atMost(FLUSH_SECONDS, TimeUnit.SECONDS)
                    .until(() -> check(fuzzy, mails.campaign()).symbols().isEmpty());
            assertThat(rspamd.scan(mails.campaign())).doesNotContain(RspamdPeer.DENIED);
        }
    }

    /** Returns the rule of the peer, with the score curve of its version. */
    private FuzzyCheckSettings settings(int port, @Nullable String publicKey) throws IOException, ConfigException {
        Path file = scratch.resolve("weir.conf");
        Files.writeString(file, """
                group "fuzzy" { symbols { %2$s { weight = 12 } %3$s { weight = 5 } } }
                fuzzy_check { min_bytes = 1k; timeout = 2s; retransmits = 3;
                  rule "weir" {
                    algorithm = "mumhash"; servers = "127.0.0.1:%1$d"; symbol = "WEIR_UNKNOWN"; read_only = false;
                    mime_types = ["*"]; max_score = 20.0; skip_unknown = true; short_text_direct_hash = true;
                    min_length = 64; score_curve = "legacy-1.9"; min_bytes = 1024;
                    %4$s
                    fuzzy_map = { %2$s { max_score = 20.0; flag = 1; } %3$s { max_score = 10.0; flag = 2; } }
                  }
                }
                """.formatted(port, RspamdPeer.DENIED, RspamdPeer.PROBABLE,
                publicKey == null ? "" : "encryption_key = \"" + publicKey + "\";"));
        DiskFiles files = new DiskFiles();
        return FuzzyCheckSettings.of(new ConfigurationLoader(files, "localhost", Map.of(), Map.of(), UclLimits.DEFAULT)
                .load(file.toString()), files);
    }

    private static LearnReport learn(FuzzyCheck fuzzy, Path mail, String symbol, int weight) throws IOException {
        return fuzzy.learn(Files.readAllBytes(mail), LearnRequest.add(symbol, weight)).join();
    }

    private static ScanResult check(FuzzyCheck fuzzy, Path mail) throws IOException {
        return fuzzy.check(Files.readAllBytes(mail), ScanContext.NONE).join();
    }

    /** Repeats a check until it hits. Rspamd acknowledges before it stores. */
    private static void awaitHit(FuzzyCheck fuzzy, Path mail) {
        await("Rspamd has stored it").atMost(FLUSH_SECONDS, TimeUnit.SECONDS)
                .until(() -> !check(fuzzy, mail).symbols().isEmpty());
    }

    private static Map<String, String> shown(ScanResult result) {
        Map<String, String> symbols = new TreeMap<>();
        for (SymbolResult symbol : result.symbols()) {
            symbols.put(symbol.name(), "%.2f".formatted(symbol.score()) + " " + sorted(symbol.options()));
        }
        return symbols;
    }

    private static Map<String, String> shown(String report) {
        Map<String, String> symbols = new TreeMap<>();
        Matcher matcher = SYMBOL.matcher(report);
        while (matcher.find()) {
            symbols.put(matcher.group(1), matcher.group(2) + " "
                    + sorted(List.of(String.valueOf(matcher.group(3)).split(", ", -1))));
        }
        return symbols;
    }

    /** Removes what later versions append to options, and the digits that 3.4 cuts and 4.1 rounds. */
    private static List<String> sorted(List<String> options) {
        return options.stream().map(option -> {
            List<String> cells = List.of(option.split(":", -1));
            return cells.get(0) + ":" + cells.get(1) + ":" + cells.get(2).substring(0, 3) + ":" + cells.get(3);
        }).sorted().toList();
    }
}
