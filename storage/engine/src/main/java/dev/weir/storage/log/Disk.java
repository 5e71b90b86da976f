package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

/** The operations that the log needs of a folder. Tests use a simulated disk. */
public interface Disk extends ReadableDisk {
    /** Returns the names of the files, in any order. */
    List<String> names() throws IOException;

    /** Creates a file that does not exist. */
    DiskFile create(String name) throws IOException;

    /** Opens an existing file for reading and writing. */
    @Override
    DiskFile open(String name) throws IOException;

    /** Renames a file, replacing any file of the new name. Durable only after {@link #force}. */
    void rename(String from, String to) throws IOException;

    /** Deletes a file. Durable only after {@link #force}. */
    void delete(String name) throws IOException;

    /** Makes the names durable. */
    void force() throws IOException;

    /** An action on the files. */
    @FunctionalInterface
    interface Action {
        void run() throws IOException;
    }

    /**
     * Claims that the content of existing files does not change until the result is closed, except for what is written
     * to the end of the log. For readers outside the log.
     */
    Closeable share() throws IOException;

    /**
     * Runs an action if no process has a claim by {@link #share}. New claims wait for its end.
     *
     * @return whether the action ran
     */
    boolean alone(Action action) throws IOException;

    /** Returns the number of bytes that can still be written. */
    long usable() throws IOException;

    /**
     * Returns the boot id of the machine. While it is the same, everything that was written can be read, synced or not.
     */
    UUID boot();
}
