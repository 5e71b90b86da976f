package dev.weir.storage.log;

import java.io.IOException;
import java.util.List;
import java.util.UUID;

/** The little that the log wants of a folder; tests put a disk with a will of its own in its place. */
public interface Disk extends ReadableDisk {
    /** Names of the files, in no order. */
    List<String> names() throws IOException;

    /** Makes a file that does not exist. */
    DiskFile create(String name) throws IOException;

    /** Opens a file that exists, for reading and writing. */
    @Override
    DiskFile open(String name) throws IOException;

    /** Gives a file another name, in place of a file that has that name. Lasts only after {@link #force}. */
    void rename(String from, String to) throws IOException;

    /** Takes a file away. Lasts only after {@link #force}. */
    void delete(String name) throws IOException;

    /** Makes names last. */
    void force() throws IOException;

    /** Bytes that can still be written. */
    long usable() throws IOException;

    /** Returns the run of the machine: as long as it is the same, what was written is seen, forced or not. */
    UUID boot();
}
