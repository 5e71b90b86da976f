package dev.weir.interop;

import java.nio.file.Path;
import java.util.stream.Stream;

import dev.weir.testkit.FreePort;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Goes through the newer edition of the page about the storage worker from top to bottom. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StorageWorkerDocumentTest {
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
        return promises(document).tests();
    }

    static Promises promises(StorageDocument document) {
        Promises promises = new Promises();
        document.protocol(promises);
        document.storage(promises);
        document.operation(promises);
        document.options(promises);
        document.compatibility(promises);
        return promises;
    }
}
