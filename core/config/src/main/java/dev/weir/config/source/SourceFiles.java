package dev.weir.config.source;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/** The files that a configuration may include. The parser can reach no others. */
public interface SourceFiles {
    /** An empty set of files: every include fails. */
    SourceFiles NONE = new SourceFiles() {
        @Override
        public byte[] read(String path, int limit) throws IOException {
            throw new NoSuchFileException(path, null, "no files can be read here");
        }

        @Override
        public String realPath(String path) throws IOException {
            throw new NoSuchFileException(path, null, "no files can be read here");
        }

        @Override
        public List<String> glob(String pattern, int limit) {
            return List.of();
        }
    };

    /**
     * Returns the content of a regular file.
     *
     * @param limit the maximum size in bytes
     * @throws IOException if the file is missing, unreadable, longer than the limit, or not a regular file
     */
    byte[] read(String path, int limit) throws IOException;

    /**
     * Returns the unique absolute name of a file, with symbolic links resolved.
     *
     * @throws IOException if the file is missing
     */
    String realPath(String path) throws IOException;

    /**
     * Returns the files that match a shell pattern with {@code * ? [...]}, sorted by name. Only a dot matches a leading
     * dot.
     *
     * @param limit the maximum number of matching names
     * @throws IOException if a folder cannot be read or more files match
     */
    List<String> glob(String pattern, int limit) throws IOException;
}
