package dev.weir.config.source;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/** The files that a configuration may include. The parser knows no others. */
public interface SourceFiles {
    /** No files at all: every include fails. */
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
     * The content of a regular file.
     *
     * @param limit bytes; a longer file is an error
     * @throws IOException if it is missing, no regular file, unreadable or longer than the limit
     */
    byte[] read(String path, int limit) throws IOException;

    /**
     * The one absolute name of a file, links followed.
     *
     * @throws IOException if there is none
     */
    String realPath(String path) throws IOException;

    /**
     * The files that match a shell pattern with {@code * ? [...]}, sorted by name. A leading dot is only matched by a dot.
     *
     * @param limit the most names that may match
     * @throws IOException if a folder cannot be read or more files match
     */
    List<String> glob(String pattern, int limit) throws IOException;
}
