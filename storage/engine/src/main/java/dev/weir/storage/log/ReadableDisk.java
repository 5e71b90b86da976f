package dev.weir.storage.log;

import java.io.IOException;

/** The source of files for readers of the log. */
public interface ReadableDisk {
    /** Opens an existing file. */
    ReadableFile open(String name) throws IOException;

    /** Returns the name of a file for messages. */
    String describe(String name);
}
