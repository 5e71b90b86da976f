package dev.weir.cli.control;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.weir.cli.Run;
import dev.weir.cli.demo.Samples;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.http.control.ControlSocket;
import dev.weir.http.control.StorageCommands;
import dev.weir.storage.DataFolder;
import dev.weir.storage.admin.Setup;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.server.Bind;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.waves.WaveSettings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code weir waves} with a running storage. */
@Timeout(120)
class WavesCommandTest {
    private static final WaveSettings ANSWERING = WaveSettings.counting().withTable(1_000, Duration.ofDays(1))
            .answering(60, new WaveSettings.Size(2, 1, Duration.ofHours(1)));

    @TempDir
    Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final Samples.Campaign campaign = Samples.campaigns().getFirst();
    private String address = "";

    private void start(@Nullable WaveSettings waves) throws Exception {
        StorageConfig config = StorageConfig.of(folder.resolve("data")).withBackend(BackendKind.STORE)
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withAllowUpdate(StorageConfig.loopback()).withWaves(waves);
        StorageServer server = new StorageServer(config);
        open.add(server);
        address = "127.0.0.1:" + server.start().getPort();
        ControlSocket socket = ControlSocket.bind(
                new Bind.Unix(folder.resolve("data").resolve(DataFolder.CONTROL_SOCKET), Bind.Unix.OWN_USER));
        open.add(socket);
        socket.serve(StorageCommands.of(server, config, Setup.NONE,
                () -> new StorageCommands.Reloaded(false, List.of("not in this test"))));
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private Run ask(String... arguments) {
        List<String> words = new ArrayList<>(List.of(arguments));
        words.add("--data");
        words.add(folder.resolve("data").toString());
        return Run.weir(words.toArray(String[]::new));
    }

    private Run check(byte[] mail) throws Exception {
        return Run.weir("check", "--server", address, Files.write(folder.resolve("mail.eml"), mail).toString());
    }

    /** Checks a mail and a copy of it, and returns the name of their wave. */
    private String wave() throws Exception {
        check(campaign.mail());
        check(campaign.copies().getFirst().mail());
        Run list = ask("waves");
        while (list.status() == ExitCode.NO_MATCH || !list.out().contains("  answers")) {
            TimeUnit.MILLISECONDS.sleep(100);
            list = ask("waves");
        }
        assertThat(list.out()).contains("1 group, of them answering 1, excluded 0", "1 wave\n");
        return list.out().replaceAll("(?s).* ([0-9a-f]{16})  answers\n.*", "$1");
    }

    @Test
    void aWaveIsShownAndItsMailsAnswered() throws Exception {
        start(ANSWERING);
        assertThat(ask("waves").status()).isEqualTo(ExitCode.NO_MATCH);
        String name = wave();
        assertThat(check(campaign.copies().getLast().mail()).status()).isEqualTo(ExitCode.OK);
        Run shown = ask("waves", "show", name);
        assertThat(shown.status()).as(shown.err()).isEqualTo(ExitCode.OK);
        assertThat(shown.out()).contains(name + ": answers\n", "1 clients in 1 networks", "32 of 32 shingles");
        assertThat(ask("waves", "--json", "--by", "day").out()).contains("\"state\":\"answers\"", "\"flags\":[60]");
        assertThat(ask("waves", "show", "--json", name).out()).startsWith("{\"name\":\"" + name + "\"");
        assertThat(ask("waves", "show", "0123456789").err()).contains("there is no wave 0123456789 any more");
        assertThat(ask("waves", "show", "01").err()).contains("at least 8");
        assertThat(ask("waves", "--by", "size").status()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void aWaveIsLearnedAndUndoneAsOne() throws Exception {
        start(ANSWERING);
        String name = wave();
        Run learned = ask("waves", "learn", "--flag", "11", "--weight", "5", name);
        assertThat(learned.status()).as(learned.err()).isEqualTo(ExitCode.OK);
        assertThat(learned.out()).matches("learned \\d hash(es)?; undo this with: weir undo --mail wave-" + name
                + "-\\d{8}T\\d{6}Z\n");
        assertThat(ask("waves").out()).contains("  learned, answers\n");
        assertThat(check(campaign.copies().getFirst().mail()).out()).contains("flag 11");
        String id = learned.out().replaceAll("(?s).*--mail (\\S+)\n", "$1");
        assertThat(ask("undo", "--mail", id).out()).startsWith("changed: ");
        assertThat(check(campaign.copies().getFirst().mail()).out()).doesNotContain("flag 11");
    }

    @Test
    void aNewsletterNeverAnswers() throws Exception {
        start(ANSWERING);
        String name = wave();
        assertThat(ask("waves", "never", "--reason", "the weekly letter", "--days", "30", name).out())
                .startsWith("put on the skip list: ");
        assertThat(ask("waves").out()).contains("of them answering 0, excluded 1", "  skipped\n");
        assertThat(ask("skips", "list").out()).contains("30 days left  the weekly letter");
        assertThat(check(campaign.copies().getLast().mail()).status()).isEqualTo(ExitCode.NO_MATCH);
        assertThat(ask("waves", "learn", "--flag", "11", name).err()).contains("the wave is on the skip list");
    }

    @Test
    void aStorageThatCountsNoneSaysSo() throws Exception {
        start(null);
        Run list = ask("waves");
        assertThat(list.status()).isEqualTo(ExitCode.NO_MATCH);
        assertThat(list.out()).contains("write waves { } into worker \"fuzzy\"");
        assertThat(ask("waves", "show", "0123456789").err()).contains("waves are not counted");
    }
}
