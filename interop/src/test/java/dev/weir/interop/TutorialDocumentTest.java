package dev.weir.interop;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Goes through the newer edition of the tutorial from top to bottom. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TutorialDocumentTest {
    private AutoCloseable servers = () -> {};

    @AfterAll
    void stop() throws Exception {
        servers.close();
    }

    @BeforeAll
    static void programs() {
        Programs.require("rspamd", "rspamc", "rspamadm");
    }

    @TestFactory
    Stream<DynamicTest> document(@TempDir Path scratch) throws Exception {
        Path data = Files.createDirectory(scratch.resolve("data"));
        Path file = scratch.resolve("weir.conf");
        Files.writeString(file, TutorialDocument.configuration(data, Programs.freePort(), Programs.freePort()));
        WeirHttp weir = WeirHttp.configured(scratch, file);
        servers = weir;
        int port = Programs.freePort();
        RspamdPeer rspamd = RspamdPeer.start(scratch, new RspamdPeer.Setup(port, null,
                new RspamdPeer.OwnStorage(port, RspamdPeer.sqlite(scratch.resolve("theirs.db")), null)));
        servers = () -> {
            weir.close();
            rspamd.close();
        };
        TutorialDocument document = new TutorialDocument(scratch, weir, rspamd, Mails.in(scratch));
        Promises promises = new Promises();
        document.sources(promises);
        document.storage(promises);
        document.plugin(promises);
        document.conditions(promises);
        document.replication(promises);
        document.testing(promises, data.resolve("rspamd.sock"));
        return promises.tests();
    }
}
