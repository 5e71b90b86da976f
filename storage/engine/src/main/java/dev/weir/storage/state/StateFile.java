package dev.weir.storage.state;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

import dev.weir.storage.StorageException;

/**
 * One state file of a storage, for the part that writes it.
 *
 * @param files the files of the folder
 * @param format the kind of file
 * @param storage the number of the storage
 */
public record StateFile(StateFiles files, StateFormat format, long storage) {
    /** Returns the place of the file, which need not exist. */
    public Path place() {
        return files.place(format);
    }

    /**
     * Reads the file.
     *
     * @return the content; empty if the file does not exist, or was damaged or of another storage and is kept aside now
     * @throws StorageException as {@link StateFiles#read}
     */
    public Optional<byte[]> read() throws StorageException {
        return files.read(format, storage);
    }

    /**
     * Reads a file that an earlier version wrote, before there were state files.
     *
     * @return all of its bytes; empty if the file does not exist, or begins as a state file does
     * @throws StorageException if it cannot be read
     */
    public Optional<byte[]> readEarlier() throws StorageException {
        return files.readEarlier(format);
    }

    /**
     * Returns the bytes after the first line of a file of this storage or of an unknown one, whatever its checksum. For
     * a reader that can use a part of a damaged file without harm. Changes nothing.
     */
    public Optional<byte[]> salvage() throws StorageException {
        return files.salvage(format, storage);
    }

    /**
     * Keeps the file aside.
     *
     * @param why ends the sentence "FILE is not used: "
     * @throws StorageException if it cannot be moved
     */
    public void setAside(String why) throws StorageException {
        files.setAside(format, why);
    }

    /**
     * Replaces the file durably.
     *
     * @throws IOException if it cannot be written; the old file is still there then
     */
    public void write(byte[] content) throws IOException {
        files.write(format, storage, content);
    }

    /** Deletes the file durably, if it exists. */
    public void delete() throws IOException {
        files.delete(format);
    }
}
