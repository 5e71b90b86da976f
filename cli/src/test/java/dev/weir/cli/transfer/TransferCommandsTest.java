package dev.weir.cli.transfer;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import dev.weir.cli.Run;
import dev.weir.cli.demo.Samples;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.storage.DataFolder;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests the output and the exit status of {@code weir import} and {@code weir export}. */
class TransferCommandsTest {
    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    Path folder;

    private Path data = Path.of("");
    private Path dump = Path.of("");
    private long hashes;

    @BeforeEach
    void learn() throws Exception {
        data = folder.resolve("data");
        dump = folder.resolve("x.dump");
        // The mails of a campaign share shingles.
        Samples.Campaign campaign = Samples.campaigns().getFirst();
        List<String> words = new ArrayList<>(List.of("learn", "-f", "3", "-w", "7", "--server"));
        List<String> mails = new ArrayList<>();
        mails.add(Files.write(folder.resolve("spam.eml"), campaign.mail()).toString());
        for (int i = 0; i < campaign.copies().size(); i++) {
            mails.add(Files.write(folder.resolve(i + ".eml"), campaign.copies().get(i).mail()).toString());
        }
        StorageServer server = new StorageServer(StorageConfig.of(data)
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withAllowUpdate(StorageConfig.loopback()));
        try {
            String address = "127.0.0.1:" + server.start().getPort();
            words.add(address);
            words.addAll(mails);
            assertThat(Run.weir(words.toArray(String[]::new)).status()).isZero();
            hashes = server.stats().engine().hashes();
            // The storage is running, so the export reads its database and its log.
            assertThat(Run.weir("export", dump.toString(), "--data", data.toString()).status()).isZero();
        } finally {
            server.close();
        }
        assertThat(hashes).isEqualTo(mails.size());
    }

    private static JsonNode json(Run run) {
        assertThat(run.status()).as(run.err()).isEqualTo(ExitCode.OK);
        return JSON.readTree(run.out());
    }

    private Run into(String name, String... words) {
        String[] all = Arrays.copyOf(words, words.length + 3);
        System.arraycopy(new String[]{"--json", "--data", folder.resolve(name).toString()}, 0, all, words.length, 3);
        return Run.weir(all);
    }

    @Test
    void hashesSurviveARoundTripThroughEveryFormat() {
        assertThat(json(into("b", "import", dump.toString())).get("new").asLong()).isEqualTo(hashes);
        Path sqlite = folder.resolve("out.db");
        JsonNode out = json(into("b", "export", sqlite.toString()));
        assertThat(out.get("new").asLong()).isEqualTo(hashes);
        assertThat(out.get("leftOut").get("shared_shingle").asLong()).isPositive();
        assertThat(json(into("c", "import", sqlite.toString())).get("new").asLong()).isEqualTo(hashes);
        JsonNode again = json(into("data", "import", folder.resolve("c").toString()));
        assertThat(again.get("unchanged").asLong()).isEqualTo(hashes);
        assertThat(again.get("leftOut")).isEmpty();
        assertThat(again.get("merge").asString()).isEqualTo("max");
    }

    @Test
    void hashesSurviveARoundTripThroughFolders() {
        assertThat(json(into("s", "import", dump.toString())).get("new").asLong()).isEqualTo(hashes);
        assertThat(folder.resolve("s").resolve(DataFolder.DATABASE)).doesNotExist();
        assertThat(json(into("s", "import", dump.toString())).get("unchanged").asLong()).isEqualTo(hashes);
        assertThat(json(into("s", "import", "--dry-run", dump.toString())).get("unchanged").asLong()).isEqualTo(hashes);
        Path sqlite = folder.resolve("out.db");
        assertThat(json(into("s", "export", sqlite.toString())).get("leftOut").get("shared_shingle").asLong())
                .isPositive();
        assertThat(json(into("t", "import", folder.resolve("s").toString())).get("new").asLong()).isEqualTo(hashes);
        assertThat(json(into("s", "import", data.toString())).get("unchanged").asLong()).isEqualTo(hashes);

        assertThat(into("s", "import", folder.resolve("s").toString()).status()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void reportsASourceWithoutHashes() throws Exception {
        new SqliteFile(folder.resolve("fuzzy.db")).open().close();
        Run run = into("b", "import", folder.toString());
        assertThat(json(run).get("read").asLong()).isZero();
        assertThat(run.err()).contains("no hashes were found in " + folder.resolve("fuzzy.db"));
        assertThat(into("b", "import", dump.toString()).err()).doesNotContain("no hashes");
    }

    @Test
    void importsAndExportsDumpsThroughPipes() {
        Run out = Run.weir("export", "--dry-run", "-", "--data", data.toString());
        assertThat(out.status()).isZero();
        assertThat(out.err()).contains("read ").contains(Long.toString(hashes));
        byte[] bytes = read(dump);
        Run in = Run.weirReading(bytes, "import", "-", "--data", folder.resolve("b").toString(), "--json");
        assertThat(json(in).get("new").asLong()).isEqualTo(hashes);
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void reportsNewMergedAndRepeatedImports() {
        Run run = Run.weir("import", dump.toString(), "--data", data.toString(), "--merge", "add");
        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("copied " + dump).contains("merged").contains("unchanged");
        Run twice = Run.weir("import", dump.toString(), "--data", data.toString(), "--merge", "add");
        assertThat(twice.status()).isZero();
        assertThat(twice.out()).contains("was already added").contains("--restart");
        JsonNode old = json(into("data", "import", dump.toString(), "--expire", "1s", "--dry-run"));
        assertThat(old.get("dryRun").asBoolean()).isTrue();
    }

    @Test
    void importsTheCompletePartOfATruncatedDumpAndReportsIt() throws Exception {
        byte[] bytes = read(dump);
        Files.write(dump, Arrays.copyOf(bytes, bytes.length - 1));
        Run run = Run.weir("import", dump.toString(), "--data", folder.resolve("b").toString());
        assertThat(run.status()).isEqualTo(ExitCode.INPUT);
        assertThat(run.err()).contains("cut off");
    }

    @Test
    void everyFailureHasItsExitStatus() throws Exception {
        assertThat(into("b", "import", folder.resolve("none").toString()).status()).isEqualTo(ExitCode.INPUT);
        Path text = Files.writeString(folder.resolve("text"), "this is no file of hashes");
        assertThat(into("b", "import", text.toString()).status()).isEqualTo(ExitCode.INPUT);
        assertThat(into("b", "export", folder.resolve("x.dump2").toString()).status()).isEqualTo(ExitCode.INPUT);
        assertThat(into("data", "export", folder.resolve("x.y").toString()).status()).isEqualTo(ExitCode.USAGE);
        assertThat(into("data", "export", dump.toString()).status()).isEqualTo(ExitCode.SERVER);
        assertThat(into("data", "export", "--overwrite", dump.toString()).status()).isEqualTo(ExitCode.OK);
        assertThat(into("data", "import", data.toString()).status()).isEqualTo(ExitCode.USAGE);
        Run place = into("b", "import", "redis://u:hush@/x");
        assertThat(place.status()).isEqualTo(ExitCode.USAGE);
        assertThat(place.err()).doesNotContain("hush");
        try (DataFolder running = DataFolder.openAny(data)) {
            Run run = into("data", "import", dump.toString());
            assertThat(run.status()).isEqualTo(ExitCode.SERVER);
            assertThat(run.err()).contains("another weir is using");
            assertThat(running.file("x")).hasFileName("x");
        }
    }
}
