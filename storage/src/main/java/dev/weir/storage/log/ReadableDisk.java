package dev.weir.storage.log;

import java.io.IOException;

/** Where readers of the log find its files. */
public interface ReadableDisk {
    /** Opens a file that exists. */
    ReadableFile open(String name) throws IOException;

    /** What to call a file in a message. */
    String describe(String name);
}
