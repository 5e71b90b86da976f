package dev.weir.config.map;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import java.util.function.Consumer;

import dev.weir.config.source.Problem;
import dev.weir.config.source.SourceFiles;
import dev.weir.model.failure.Reason;

/** The reading of lists in separate files. A file that does not exist yet is an empty list, as in Rspamd. */
public final class MapFile {
    private MapFile() {}

    /**
     * Returns the text of a file.
     *
     * @param problems receives a warning if the file does not exist yet, and an error if it cannot be read
     * @return empty if there is no text
     */
    public static Optional<String> read(SourceFiles files, MapSource.Entry file, int limit,
            Consumer<Problem> problems) {
        try {
            return Optional.of(new String(files.read(file.text(), limit), StandardCharsets.UTF_8));
        } catch (NoSuchFileException e) {
            problems.accept(file.text().equals(e.getFile())
                    ? Problem.warning(file.origin(), file.text()
                            + " does not exist yet: the list is empty, and is read when the file appears")
                    : unreadable(file, e));
        } catch (IOException e) {
            problems.accept(unreadable(file, e));
        }
        return Optional.empty();
    }

    /** Returns the error for a file that cannot be read. */
    public static Problem unreadable(MapSource.Entry file, IOException e) {
        return Problem.error(file.origin(), file.text() + " cannot be read: " + Reason.of(e, file.text()));
    }
}
