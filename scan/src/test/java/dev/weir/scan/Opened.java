package dev.weir.scan;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import dev.weir.testkit.ScriptedStorage;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** What a test has opened; it is closed after the test, the last one first. */
final class Opened implements AfterEachCallback {
    private final List<AutoCloseable> all = new ArrayList<>();

    /** Has something closed after the test, and gives it back. */
    <T extends AutoCloseable> T add(T one) {
        all.add(one);
        return one;
    }

    /** A storage that does as it is told. */
    ScriptedStorage storage() throws IOException {
        return add(ScriptedStorage.start());
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        for (AutoCloseable one : all.reversed()) {
            one.close();
        }
    }
}
