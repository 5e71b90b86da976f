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

/** Goes through the newer edition of the tutorial from top to bottom. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TutorialDocumentTest {
    private TutorialDocument.@Nullable Servers servers;
    private @Nullable TutorialDocument document;

    @AfterAll
    void stop() {
        if (document != null) {
            document.close();
        }
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
        document = new TutorialDocument(scratch, () -> started);
        return document.promises().tests();
    }
}
