package dev.weir.interop;

import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

import dev.weir.testkit.FreePort;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Goes through the older edition of the page about the storage worker, with its tables, from top to bottom. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StorageWorkerFirstDocumentTest {
    private Path scratch = Path.of("");
    private StorageDocument document = new StorageDocument(scratch, scratch, 0, 0);
    private AutoCloseable storages = () -> {};

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        scratch = folder;
        Programs.require("rspamd");
        int port = FreePort.find();
        RspamdPeer rspamd = RspamdPeer.start(scratch, new RspamdPeer.Setup(null, null,
                new RspamdPeer.OwnStorage(port, RspamdPeer.sqlite(scratch.resolve("theirs.db")), null)));
        storages = rspamd;
        WeirStorage weir = WeirStorage.start(scratch.resolve("data"));
        storages = () -> {
            weir.close();
            rspamd.close();
        };
        document = new StorageDocument(scratch, scratch.resolve("data"), weir.port(), port);
    }

    @AfterAll
    void stop() throws Exception {
        storages.close();
    }

    @TestFactory
    Stream<DynamicTest> document() {
        return promises(document, scratch).tests();
    }

    static Promises promises(StorageDocument document, Path scratch) {
        Promises promises = new Promises();
        document.protocol(promises);
        document.storage(promises);
        document.operation(promises);
        promises.row("path to the sqlite storage", "reads database and expire", () -> assertThat(
                document.storage("expire = 12h;").times().expire()).isEqualTo(Duration.ofHours(12)))
                .differs("allow_map", "is refused with the name that Rspamd implements", "`allow_update`",
                        () -> assertThat(
                                new Settings(scratch)
                                        .storage("database = \"/srv/x/fuzzy.db\"; allow_map = \"127.0.0.1\";")
                                        .messages())
                                .contains("never implemented it; use allow_update"))
                .row("example configuration", "reads a worker that its type names", () -> assertThat(
                        new Settings(scratch).storage("""
                                worker {
                                   type = "fuzzy";
                                   bind_socket = "*:11335";
                                   hash_file = "${DBDIR}/fuzzy.db"
                                   expire = 90d;
                                   allow_update = "127.0.0.1";
                                }
                                """).sound().times().expire()).isEqualTo(Duration.ofDays(90)));
        document.compatibility(promises);
        return promises;
    }
}
