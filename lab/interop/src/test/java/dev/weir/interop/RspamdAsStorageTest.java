package dev.weir.interop;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.weir.testkit.FreePort;
import dev.weir.testkit.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code weir learn} and {@code weir check} against the fuzzy worker of a real Rspamd, in plain text and encrypted. */
class RspamdAsStorageTest {
    private static final long FLUSH_SECONDS = 120;

    @TempDir
    Path scratch;

    @BeforeAll
    static void programs() {
        Programs.require("rspamd", "rspamc", "redis-server");
    }

    @Test
    void learnsFindsAndForgetsInPlainText() throws Exception {
        learnsFindsAndForgets(null, RspamdPeer.sqlite(scratch.resolve("theirs.db")));
    }

    @Test
    void learnsFindsAndForgetsEncrypted() throws Exception {
        learnsFindsAndForgets(KeyFile.generate(scratch), RspamdPeer.sqlite(scratch.resolve("theirs.db")));
    }

    @Test
    void learnsFindsAndForgetsWithRedisBehind() throws Exception {
        try (RedisServer redis = RedisServer.start(scratch)) {
            learnsFindsAndForgets(KeyFile.generate(scratch), RspamdPeer.redis(redis.port()));
        }
    }

    private void learnsFindsAndForgets(@Nullable KeyFile key, String backend)
            throws IOException, InterruptedException {
        Mails mails = Mails.in(scratch);
        int port = FreePort.find();
        RspamdPeer.OwnStorage worker = new RspamdPeer.OwnStorage(port, backend, key == null ? null : key.text());
        try (RspamdPeer rspamd = RspamdPeer.start(scratch,
                new RspamdPeer.Setup(port, key == null ? null : key.publicKey(), worker))) {
            weir(port, key, "learn", "-f", "1", "-w", "11", mails.campaign()).succeeded();
            awaitCheck(port, key, mails.campaign(), ExitStatus.MATCH);
            String exact = weir(port, key, "check", "--json", mails.campaign()).succeeded().out();
            assertThat(exact).contains("\"flag\":1", "\"value\":11", "\"probability\":1.0");
            assertThat(weir(port, key, "check", "--json", mails.modified()).succeeded().out())
                    .containsPattern("\"probability\":0\\.[5-9]");
            assertThat(weir(port, key, "check", mails.unrelated()).exit()).isEqualTo(ExitStatus.NO_MATCH);

            // Rspamd's scanner finds what weir learned, and weir finds what rspamc learned.
            assertThat(rspamd.scan(mails.campaign())).contains(RspamdPeer.DENIED);
            rspamd.learn(mails.unrelated(), 2, 5).succeeded();
            awaitCheck(port, key, mails.unrelated(), ExitStatus.MATCH);

            weir(port, key, "forget", "-f", "1", mails.campaign()).succeeded();
            awaitCheck(port, key, mails.campaign(), ExitStatus.NO_MATCH);
        }
    }

    /** Repeats a check until it has the expected status. Rspamd acknowledges before it stores. */
    private void awaitCheck(int port, @Nullable KeyFile key, Path mail, int status)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(FLUSH_SECONDS);
        Programs.Result result;
        do {
            result = weir(port, key, "check", mail);
        } while (result.exit() != status && System.nanoTime() < deadline);
        assertThat(result.exit()).as(result.out() + result.err()).isEqualTo(status);
    }

    private Programs.Result weir(int port, @Nullable KeyFile key, Object... words)
            throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>();
        for (Object word : words) {
            arguments.add(word.toString());
        }
        arguments.add("--server");
        arguments.add("127.0.0.1:" + port);
        if (key != null) {
            arguments.add("--encryption-key");
            arguments.add(key.publicKey());
        }
        return Weir.run(scratch, arguments.toArray(String[]::new));
    }
}
