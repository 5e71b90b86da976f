package dev.weir.storage.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.storage.log.FolderDisk;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file with the last time at which a storage was running, with which the next start compares its clock. It is a hint;
 * without it, the log or the hashes provide a less precise time.
 */
final class LastTime {
    private static final Logger LOG = LoggerFactory.getLogger(LastTime.class);
    private static final Pattern CONTENT = Pattern.compile("weir clock 1\n([0-9]{1,15})\n");
    private static final int MAX_SIZE = 64;

    private LastTime() {}

    /** Returns the time in milliseconds since the epoch; empty if the file is missing or malformed. */
    static OptionalLong read(Path file) {
        try {
            if (Files.size(file) <= MAX_SIZE) {
                Matcher content = CONTENT.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
                if (content.matches()) {
                    return OptionalLong.of(Long.parseLong(content.group(1)));
                }
            }
            LOG.warn("{} has another format than this program writes; it is ignored", file);
        } catch (NoSuchFileException e) {
            return OptionalLong.empty();
        } catch (IOException e) {
            LOG.warn("{} cannot be read ({}); it is ignored", file, e.getMessage());
        }
        return OptionalLong.empty();
    }

    /** Replaces the file. A failure only costs the next start a comparison. */
    static void write(Path file, long millis) {
        try {
            FolderDisk.replace(file,
                    ("weir clock 1\n" + Math.max(0, millis) + "\n").getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            LOG.warn("{} cannot be written: {}", file, e.getMessage());
        }
    }
}
