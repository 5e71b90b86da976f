package dev.weir.interop;

import java.nio.file.Path;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Goes through the older edition of the tutorial from top to bottom. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TutorialFirstDocumentTest {
    private TutorialDocument.@Nullable Servers servers;

    @AfterAll
    void stop() {
        if (servers != null) {
            servers.close();
        }
    }

    @BeforeAll
    static void programs() {
        Programs.require("rspamd", "rspamc", "rspamadm");
    }

    @TestFactory
    Stream<DynamicTest> document(@TempDir Path scratch) throws Exception {
        TutorialDocument.Servers started = TutorialDocument.Servers.start(scratch);
        servers = started;
        return new TutorialDocument(scratch, () -> started).promises().tests();
    }
}
