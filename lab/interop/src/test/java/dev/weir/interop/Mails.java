package dev.weir.interop;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** The sample mails of these tests, as files. */
record Mails(Path campaign, Path modified, Path unrelated) {
    /** Unpacks the mails into a folder. */
    static Mails in(Path folder) throws IOException {
        return new Mails(unpack(folder, "campaign.eml"), unpack(folder, "modified.eml"),
                unpack(folder, "unrelated.eml"));
    }

    private static Path unpack(Path folder, String name) throws IOException {
        Path file = folder.resolve(name);
        try (InputStream in = Objects.requireNonNull(Mails.class.getResourceAsStream(name), name)) {
            Files.copy(in, file);
        }
        return file;
    }
}
