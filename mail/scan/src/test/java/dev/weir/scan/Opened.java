package dev.weir.scan;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import dev.weir.testkit.ScriptedStorage;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The resources that a test has opened. They are closed after the test in reverse order. */
final class Opened implements AfterEachCallback {
    private final List<AutoCloseable> all = new ArrayList<>();

    /** Registers a resource to be closed after the test, and returns it. */
    <T extends AutoCloseable> T add(T one) {
        all.add(one);
        return one;
    }

    /** Starts a scripted storage. */
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
