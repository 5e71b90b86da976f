package dev.weir.interop;

import java.io.IOException;
import java.nio.file.Path;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** One Weir with kinds for all tests of a class with SpamAssassin: each of them learns other mails. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class SpamAssassinFixture {
    WeirHttp weir;

    /** A new folder for each test. */
    @TempDir
    Path scratch;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        SpamAssassin.require();
        weir = SpamAssassin.weir(folder);
    }

    @AfterAll
    void stop() {
        // Null if a program is missing, so that the tests are skipped.
        if (weir != null) {
            weir.close();
        }
    }

    /** Returns the address of this Weir, as the option {@code weir_servers} has it. */
    String address() {
        return "127.0.0.1:" + weir.port();
    }
}
