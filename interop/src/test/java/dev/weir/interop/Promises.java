package dev.weir.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.Executable;

/**
 * The promises of one document of Rspamd in its order. Each has a few words that identify it, what the test does, and
 * the check of what is seen (docs/reference/documents.md).
 */
final class Promises {
    private final List<DynamicTest> rows = new ArrayList<>();

    /**
     * Adds a promise.
     *
     * @param words the first or the decisive words of the promise
     * @param done what the test does
     * @param seen checks what is seen
     */
    Promises row(String words, String done, Executable seen) {
        rows.add(DynamicTest.dynamicTest("\"" + words + "\": " + done, seen));
        return this;
    }

    Stream<DynamicTest> tests() {
        return rows.stream();
    }
}
