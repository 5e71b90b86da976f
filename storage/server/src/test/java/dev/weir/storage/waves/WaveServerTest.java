package dev.weir.storage.waves;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import dev.weir.model.FlagValue;
import dev.weir.storage.Samples;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.server.stats.Counter;
import dev.weir.testkit.UdpClient;
import dev.weir.wire.Generation;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.reply.Reply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Waves of a whole storage: from datagrams to answers, learned hashes and the file. */
class WaveServerTest {
    private static final int FLAG = 60;
    private static final int SPAM = 11;
    private static final WaveSettings.Size SIZE = new WaveSettings.Size(5, 3, Duration.ofHours(1));
    private static final WaveSettings ANSWERING = WaveSettings.counting().withTable(1_000, Duration.ofDays(1))
            .answering(FLAG, SIZE);

    private final SplittableRandom random = new SplittableRandom(1);
    private long digests = 1_000_000;

    private static StorageConfig config(Path folder, WaveSettings waves) {
        return StorageConfig.of(folder.resolve("data")).withBackend(BackendKind.STORE)
                .withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))
                .withAllowUpdate(StorageConfig.loopback()).withWorkers(1).withWaves(waves);
    }

    private Reply ask(InetSocketAddress server, long text, int client, Generation generation) throws Exception {
        try (UdpClient from = new UdpClient(server, "127.0.0." + (10 + client), 5_000)) {
            return from.ask(generation, CommandCode.CHECK, Samples.digest(digests++), 0, 0,
                    Samples.changed(Samples.shingles(text), 5, random));
        }
    }

    private void ask(InetSocketAddress server, long text, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            ask(server, text, i, Generation.V4);
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        for (int i = 0; i < 1_200 && !condition.getAsBoolean(); i++) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    @Test
    void anUnchangedClientGetsAnOrdinaryAnswer(@TempDir Path folder) throws Exception {
        try (StorageServer server = new StorageServer(config(folder, ANSWERING))) {
            InetSocketAddress address = server.start();
            Waves waves = server.waves().orElseThrow();
            ask(address, 1, 7);
            await(() -> waves.figures().answering() == 1);
            for (Generation generation : List.of(Generation.V3, Generation.V4, Generation.MULTI_FLAG)) {
                Reply reply = ask(address, 1, 1, generation);
                assertThat(reply.flag()).as("%s", generation).isEqualTo(FLAG);
                assertThat(reply.value()).isGreaterThanOrEqualTo(7);
                assertThat(reply.probability()).isBetween(0.53f, 1f);
            }
            assertThat(ask(address, 2, 1, Generation.V4).probability()).isZero();
            assertThat(server.stats().get(Counter.WAVE_HITS)).isEqualTo(3);
            assertThat(server.stats().waves().orElseThrow().answering()).isEqualTo(1);

            try (UdpClient teacher = new UdpClient(address)) {
                teacher.write(Samples.digest(5), SPAM, 9, Samples.shingles(1));
            }
            assertThat(ask(address, 1, 1, Generation.V4).flag()).as("a known hash wins").isEqualTo(SPAM);
        }
    }

    @Test
    void aHiddenFlagIsHiddenHere(@TempDir Path folder) throws Exception {
        StorageConfig config = config(folder, ANSWERING);
        config = config.withAccess(config.access().withAnswers(new dev.weir.storage.access.ReplyRules(FlagSet.of(FLAG),
                FlagSet.none(), dev.weir.storage.access.DigestSet.none(), dev.weir.storage.access.Delay.NONE,
                dev.weir.storage.index.FlagThresholds.NONE)));
        try (StorageServer server = new StorageServer(config)) {
            InetSocketAddress address = server.start();
            Waves waves = server.waves().orElseThrow();
            ask(address, 1, 7);
            await(() -> waves.figures().answering() == 1);
            assertThat(ask(address, 1, 1, Generation.V4).probability()).isZero();
            assertThat(server.stats().get(Counter.HIDDEN)).isEqualTo(1);
        }
    }

    @Test
    void aWaveIsLearnedUndoneAndKeptOverARestart(@TempDir Path folder) throws Exception {
        WaveSettings settings = ANSWERING.learning(new WaveSettings.Learn(SPAM, 3, SIZE, 5));
        try (StorageServer server = new StorageServer(config(folder, settings))) {
            InetSocketAddress address = server.start();
            ask(address, 1, 8);
            Waves waves = server.waves().orElseThrow();
            await(() -> waves.figures().learned() == 1);
            WaveReport wave = waves.top(Waves.Order.HOUR, 10).getFirst();
            assertThat(wave.state()).isEqualTo(WaveState.LEARNED);
            assertThat(server.find(wave.leader())).extracting(FlagValue::flag).containsExactly(SPAM);
            assertThat(ask(address, 1, 1, Generation.V4).flag()).isEqualTo(SPAM);
        }
        try (StorageServer server = new StorageServer(config(folder, settings))) {
            server.start();
            WaveReport wave = server.waves().orElseThrow().top(Waves.Order.HOUR, 10).getFirst();
            assertThat(wave.checks()).isEqualTo(8);
            assertThat(wave.clients()).isEqualTo(8);
            assertThat(wave.state()).as("not learned again").isEqualTo(WaveState.LEARNED);
        }
    }

    @Test
    void whatCanChangeWhileItRunsChanges(@TempDir Path folder) throws Exception {
        StorageConfig config = config(folder, ANSWERING);
        try (StorageServer server = new StorageServer(config)) {
            server.start();
            assertThat(server.reconfigure(config.withWaves(ANSWERING.answering(FLAG + 1, SIZE)))).isEmpty();
            assertThat(server.waves().orElseThrow().settings().answer().orElseThrow().flag()).isEqualTo(FLAG + 1);
            assertThat(server.reconfigure(config.withWaves(ANSWERING.withTable(2_000, Duration.ofDays(1)))))
                    .containsExactly("waves");
            assertThat(server.reconfigure(config.withWaves(null))).containsExactly("waves");
        }
        try (StorageServer server = new StorageServer(config.withWaves(null))) {
            server.start();
            assertThat(server.waves()).isEmpty();
            assertThat(server.reconfigure(config)).containsExactly("waves");
        }
    }
}
