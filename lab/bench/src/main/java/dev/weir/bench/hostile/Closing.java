package dev.weir.bench.hostile;

import java.io.Closeable;
import java.io.IOException;

/** Closes connections and ignores failures. */
final class Closing {
    private Closing() {}

    static void quietly(Closeable channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // The peer may have closed it first.
            return;
        }
    }
}
