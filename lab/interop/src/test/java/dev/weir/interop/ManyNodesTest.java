package dev.weir.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.weir.testkit.FreePort;
import dev.weir.testkit.RedisServer;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.reply.Reply;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Storages that share a real Redis, with each other and with a real Rspamd. */
class ManyNodesTest {
    @TempDir
    Path scratch;

    @BeforeAll
    static void programs() {
        Programs.require("redis-server");
    }

    private Path node(String name, int redis, String options) throws IOException {
        Path folder = Files.createDirectories(scratch.resolve(name));
        return Files.writeString(folder.resolve("weir.conf"), """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:0"; hash_file = "%s/data/fuzzy.db"; allow_update = "127.0.0.1"; expire = 90d;
                  backend = "redis"; servers = "127.0.0.1:%d"; %s
                }
                """.formatted(folder, redis, options));
    }

    /**
     * The walkthrough of docs/operate/nodes.md#three-nodes-in-five-minutes, with a node that is killed in the middle.
     */
    @Test
    void aKilledNodeLosesAndDoublesNothing() throws Exception {
        String options = "redis_layout = \"weir\"; redis_shards = 2;";
        try (RedisServer redis = RedisServer.start(scratch);
                WeirStorage two = WeirStorage.configured(node("two", redis.port(), options))) {
            int acknowledged = 0;
            Path configuration = node("one", redis.port(), options);
            try (WeirStorage one = WeirStorage.configured(configuration)) {
                RawClient client = new RawClient(one.port());
                for (; acknowledged < 200; acknowledged++) {
                    assertThat(client.ask(RawClient.command(CommandCode.WRITE, 1, 7, acknowledged)).value()).isZero();
                }
                one.kill();
            }
            try (WeirStorage one = WeirStorage.configured(configuration)) {
                for (int i = 0; i < acknowledged; i++) {
                    byte[] check = RawClient.command(CommandCode.CHECK, 1, 0, i);
                    assertThat(new RawClient(one.port()).ask(check).value()).isEqualTo(7);
                    assertThat(new RawClient(two.port()).await(check, reply -> reply.value() != 0).value())
                            .isEqualTo(7);
                }
                // What the second node learns, the first one adds to what it has.
                byte[] write = RawClient.command(CommandCode.WRITE, 1, 5, 0);
                new RawClient(two.port()).ask(write);
                byte[] check = RawClient.command(CommandCode.CHECK, 1, 0, 0);
                Reply sum = new RawClient(one.port()).await(check, reply -> reply.value() == 12);
                assertThat(sum.value()).isEqualTo(12);
            }
        }
    }

    /** Starts a process for each check, so it takes minutes on a busy machine. */
    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"redis_reconcile = 1s;", "redis_ask_on_miss = true; redis_reconcile = 1h;"})
    void rspamdAndWeirUseOneRedis(String finding) throws Exception {
        Programs.require("rspamd", "rspamc");
        Mails mails = Mails.in(scratch);
        int port = FreePort.find();
        try (RedisServer redis = RedisServer.start(scratch);
                RspamdPeer rspamd = RspamdPeer.start(scratch, new RspamdPeer.Setup(port, null,
                        new RspamdPeer.OwnStorage(port, RspamdPeer.redis(redis.port()), null)));
                WeirStorage weir = WeirStorage.configured(node("weir", redis.port(), finding))) {
            // Weir finds what Rspamd learned, exactly and by shingles.
            rspamd.learn(mails.campaign(), 1, 10).succeeded();
            assertThat(awaitCheck(weir.port(), mails.campaign())).contains("\"flag\":1", "\"value\":10");
            assertThat(awaitCheck(weir.port(), mails.modified())).contains("\"flag\":1", "\"value\":10")
                    .containsPattern("\"probability\":0\\.[5-9]");
            // Rspamd finds what Weir learned, and the weights of both add up.
            learn(weir.port(), "1", "3", mails.campaign());
            learn(weir.port(), "2", "5", mails.unrelated());
            assertThat(awaitCheck(port, mails.unrelated())).contains("\"flag\":2", "\"value\":5");
            assertThat(awaitCheck(port, mails.campaign())).contains("\"value\":13");
            assertThat(rspamd.scan(mails.modified())).contains(RspamdPeer.DENIED);
            Weir.run(scratch, "forget", "-f", "1", "--server", weir.address(), mails.campaign().toString()).succeeded();
            awaitNone(port, mails.campaign());
        }
    }

    private void learn(int port, String flag, String weight, Path mail) throws IOException, InterruptedException {
        Weir.run(scratch, "learn", "-f", flag, "-w", weight, "--server", "127.0.0.1:" + port, mail.toString())
                .succeeded();
    }

    private Programs.Result check(int port, Path mail) throws IOException, InterruptedException {
        return Weir.run(scratch, "check", "--json", "--server", "127.0.0.1:" + port, mail.toString());
    }

    private String awaitCheck(int port, Path mail) throws IOException, InterruptedException {
        return await(port, mail, ExitStatus.MATCH);
    }

    private void awaitNone(int port, Path mail) throws IOException, InterruptedException {
        await(port, mail, ExitStatus.NO_MATCH);
    }

    /** Rspamd acknowledges before it stores, and Weir finds that a second later. */
    private String await(int port, Path mail, int status) throws IOException, InterruptedException {
        Programs.Result result = check(port, mail);
        for (int i = 0; i < 60 && result.exit() != status; i++) {
            result = check(port, mail);
        }
        assertThat(result.exit()).as(result.out() + result.err()).isEqualTo(status);
        return result.out();
    }
}
