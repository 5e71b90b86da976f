package dev.weir.storage.push;

import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

import dev.weir.model.failure.Reason;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.LogMark;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.state.StateFormat;

/**
 * The content of the file of the old replication.
 *
 * @param copied the last batch of the storage that wrote the database with which this one began
 */
record PushFile(OptionalLong copied, Map<SourceKey, PushedSource> sources, Map<String, SlaveProgress> slaves) {
    static final StateFormat FORMAT = new StateFormat(DataFolder.PUSHES, 1, 1 << 20);

    private static final String OLD_HEADER = "weir pushes 1\n";
    private static final String NONE = "-";

    /** Returns the content as text. */
    String text() {
        StringBuilder text = new StringBuilder();
        copied.ifPresent(last -> text.append("copied ").append(last).append('\n'));
        sources.forEach((key, source) -> text.append("source ").append(encoded(key.name())).append(' ')
                .append(hex(key.storage())).append(' ').append(source.number()).append(' ')
                .append(source.place().map(LogPlace::toString).orElse(NONE)).append(' ')
                .append(source.own().map(LogMark::toString).orElse(NONE)).append(' ')
                .append(source.doubtful() ? "doubtful" : "known").append('\n'));
        slaves.forEach((name, slave) -> text.append("slave ").append(encoded(name)).append(' ')
                .append(slave.position()).append(' ')
                .append(slave.checksum().isPresent() ? hex(slave.checksum().getAsLong()) : NONE).append(' ')
                .append(slave.revision()).append(' ').append(slave.end()).append(' ')
                .append(slave.taken() ? "taken" : "new").append('\n'));
        return text.toString();
    }

    /** Returns the content of a text; empty if a line cannot be understood. */
    static Optional<PushFile> parse(byte[] content) {
        PushFile file = new PushFile(OptionalLong.empty(), new TreeMap<>(), new LinkedHashMap<>());
        OptionalLong copied = OptionalLong.empty();
        try {
            for (String line : lines(new String(content, StandardCharsets.US_ASCII))) {
                String[] words = line.split(" ", -1);
                if (words.length == 7 && words[0].equals("source")) {
                    file.sources.put(
                            new SourceKey(decoded(words[1]), Long.parseUnsignedLong(words[2], 16)),
                            new PushedSource(number(words[3]), optional(words[4]).map(text -> LogPlace.parse(text)
                                    .orElseThrow(IllegalArgumentException::new)),
                                    optional(words[5]).map(text -> LogMark.parse(text)
                                            .orElseThrow(IllegalArgumentException::new)),
                                    choice(words[6], "doubtful", "known")));
                } else if (words.length == 7 && words[0].equals("slave")) {
                    file.slaves.put(decoded(words[1]), new SlaveProgress(number(words[2]), optional(words[3])
                            .map(text -> OptionalLong.of(Long.parseUnsignedLong(text, 16)))
                            .orElse(OptionalLong.empty()),
                            number(words[4]), number(words[5]), choice(words[6], "taken", "new")));
                } else if (words.length == 2 && words[0].equals("copied")) {
                    copied = OptionalLong.of(number(words[1]));
                } else {
                    return Optional.empty();
                }
            }
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
        return Optional.of(new PushFile(copied, file.sources, file.slaves));
    }

    /**
     * Reads the file of an earlier version, which had no checksum. It counts if it is exactly what that version would
     * have written.
     *
     * @return empty if there is no such file
     */
    static Optional<PushFile> readOld(StateFiles files, long storage) throws StorageException {
        Path place = files.place(FORMAT);
        String text;
        try {
            if (!Files.exists(place) || Files.size(place) > FORMAT.maxBytes()) {
                return Optional.empty();
            }
            text = new String(Files.readAllBytes(place), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new StorageException(place + " cannot be read: " + Reason.of(e), e);
        }
        return text.startsWith(OLD_HEADER) ? old(text, storage) : Optional.empty();
    }

    private static Optional<PushFile> old(String text, long storage) {
        PushFile file = new PushFile(OptionalLong.empty(), new TreeMap<>(), new LinkedHashMap<>());
        OptionalLong copied = OptionalLong.empty();
        StringBuilder again = new StringBuilder(OLD_HEADER);
        try {
            for (String line : lines(text.substring(OLD_HEADER.length()))) {
                String[] words = line.split(" ", -1);
                if (words.length == 3 && words[0].equals("source")) {
                    file.sources.put(SourceKey.ofRspamd(decoded(words[1])), PushedSource.numbered(number(words[2])));
                    again.append("source ").append(encoded(decoded(words[1]))).append(' ').append(number(words[2]));
                } else if (words.length == 2 && words[0].equals("copied")) {
                    copied = OptionalLong.of(number(words[1]));
                    again.append("copied ").append(number(words[1]));
                } else if (words.length == 6 && words[0].equals("slave")) {
                    long owner = Long.parseLong(words[2]);
                    SlaveProgress slave = new SlaveProgress(number(words[3]), OptionalLong.empty(), number(words[4]),
                            number(words[5]), true);
                    if (owner == storage) {
                        file.slaves.put(decoded(words[1]), slave);
                    }
                    again.append("slave ").append(encoded(decoded(words[1]))).append(' ').append(owner).append(' ')
                            .append(slave.position()).append(' ').append(slave.revision()).append(' ')
                            .append(slave.end());
                }
                again.append('\n');
            }
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
        return again.toString().equals(text)
                ? Optional.of(new PushFile(copied, file.sources, file.slaves))
                : Optional.empty();
    }

    /** Returns the lines of a text, each of which must end. */
    private static List<String> lines(String text) {
        if (!text.isEmpty() && !text.endsWith("\n")) {
            throw new IllegalArgumentException("the last line does not end");
        }
        return text.lines().toList();
    }

    private static Optional<String> optional(String word) {
        return word.equals(NONE) ? Optional.empty() : Optional.of(word);
    }

    private static long number(String word) {
        long number = Long.parseLong(word);
        if (number < 0) {
            throw new IllegalArgumentException(word);
        }
        return number;
    }

    private static boolean choice(String word, String yes, String no) {
        if (!word.equals(yes) && !word.equals(no)) {
            throw new IllegalArgumentException(word);
        }
        return word.equals(yes);
    }

    private static String hex(long number) {
        return String.format(Locale.ROOT, "%016x", number);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
