package dev.weir.storage.access.gate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.weir.model.Digest;
import dev.weir.model.SafeText;
import dev.weir.model.failure.Reason;
import dev.weir.os.FolderSync;
import dev.weir.storage.access.DigestSet;
import dev.weir.storage.log.FolderDisk;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The digests that an operator put on the skip list of a running storage, each with a reason and perhaps an end, beside
 * those of {@code skip_hashes} in the configuration. A file keeps them over restarts. Thread-safe; a lookup neither
 * allocates nor locks.
 */
public final class SkipList {
    /** The most entries. */
    static final int MOST = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(SkipList.class);
    private static final String HEAD = "weir skips 1";
    private static final int REASON_LENGTH = 200;

    private final Map<Digest, Entry> entries = new LinkedHashMap<>();
    private volatile DigestSet digests = DigestSet.none();
    private @Nullable Path file;
    /** What the file has and this list lacks; empty if nothing. */
    private volatile String damage = "";

    /**
     * An entry.
     *
     * @param reason why the operator added it, on one line
     * @param end the end in milliseconds since 1970; {@link Long#MAX_VALUE} for none
     */
    public record Entry(Digest digest, String reason, long end) {
        /** Replaces control characters of the reason, and truncates it. */
        public Entry {
            String clean = SafeText.of(reason.replaceAll("[\\p{Cntrl}\\u2028\\u2029]", " ")).strip();
            reason = clean.substring(0, Math.min(clean.length(), REASON_LENGTH));
        }
    }

    /** Creates an empty list without a file. */
    public SkipList() {}

    /**
     * Reads the list from a file, which later changes replace. What cannot be read is left out with a warning, and the
     * first change keeps the old file under another name.
     */
    public synchronized void load(Path place) {
        file = place;
        try {
            List<String> lines = Files.readAllLines(place, StandardCharsets.UTF_8);
            int left = 0;
            for (String line : lines.subList(Math.min(1, lines.size()), lines.size())) {
                Optional<Entry> entry = decode(line);
                if (entry.isEmpty() || entries.size() >= MOST) {
                    LOG.warn("an entry of the skip list {} cannot be read: {}", place, line);
                    left++;
                } else {
                    entries.put(entry.get().digest(), entry.get());
                }
            }
            damage = left == 0 ? "" : left + " lines of " + place + " cannot be read";
        } catch (NoSuchFileException e) {
            return;
        } catch (IOException e) {
            LOG.warn("the skip list {} cannot be read: {}", place, Reason.of(e));
            damage = place + " cannot be read: " + Reason.of(e);
        }
        publish();
    }

    private static Optional<Entry> decode(String line) {
        String[] words = line.split(" ", 3);
        if (words.length < 3) {
            return Optional.empty();
        }
        try {
            long end = Long.parseLong(words[1]);
            return Digest.parse(words[0]).map(digest -> new Entry(digest, words[2], end));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /**
     * Adds an entry, or replaces that of the same digest.
     *
     * @throws IOException if the file cannot be written; nothing has changed then
     * @throws IllegalStateException if there are too many entries
     */
    public synchronized void add(Entry entry) throws IOException {
        if (entries.size() >= MOST && !entries.containsKey(entry.digest())) {
            throw new IllegalStateException("the skip list has " + MOST + " entries: remove some first");
        }
        Map<Digest, Entry> next = new LinkedHashMap<>(entries);
        next.put(entry.digest(), entry);
        replace(next);
    }

    /**
     * Removes an entry.
     *
     * @return whether it was there
     * @throws IOException if the file cannot be written; nothing has changed then
     */
    public synchronized boolean remove(Digest digest) throws IOException {
        Map<Digest, Entry> next = new LinkedHashMap<>(entries);
        boolean removed = next.remove(digest) != null;
        if (removed) {
            replace(next);
        }
        return removed;
    }

    /** Removes entries whose time is over. Call it about once a minute. */
    public synchronized void expire(long nowMillis) {
        if (entries.values().removeIf(entry -> entry.end() <= nowMillis)) {
            publish();
        }
    }

    /** Returns all entries, in the order of their addition. */
    public synchronized List<Entry> entries() {
        return new ArrayList<>(entries.values());
    }

    /** Returns what the file has and this list lacks, for the operator; empty if nothing. Any thread may ask. */
    public Optional<String> damage() {
        return Optional.of(damage).filter(text -> !text.isEmpty());
    }

    /** Keeps a file under another name that has entries which this list lacks. */
    private void keepDamaged(Path place) throws IOException {
        if (Files.notExists(place)) {
            // The operator has taken care of it.
            damage = "";
            return;
        }
        Path kept = place.resolveSibling(place.getFileName() + ".damaged");
        for (int number = 2; Files.exists(kept); number++) {
            kept = place.resolveSibling(place.getFileName() + ".damaged-" + number);
        }
        try {
            // A copy would have to read it, and without the file, an end of the process here loses the other entries.
            Files.createLink(kept, place);
        } catch (IOException | UnsupportedOperationException e) {
            LOG.debug("the file system has no links", e);
            Files.move(place, kept);
        }
        Path folder = kept.toAbsolutePath().getParent();
        if (folder != null) {
            FolderSync.force(folder);
        }
        LOG.warn("the old skip list is kept in {}, because {}", kept, damage);
        damage = "";
    }

    private void replace(Map<Digest, Entry> next) throws IOException {
        if (file != null) {
            if (!damage.isEmpty()) {
                keepDamaged(file);
            }
            write(file, next);
        }
        entries.clear();
        entries.putAll(next);
        publish();
    }

    private static void write(Path file, Map<Digest, Entry> next) throws IOException {
        StringBuilder text = new StringBuilder(HEAD).append('\n');
        next.values().forEach(entry -> text.append(entry.digest().hex()).append(' ').append(entry.end()).append(' ')
                .append(entry.reason()).append('\n'));
        FolderDisk.replace(file, text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private void publish() {
        digests = DigestSet.of(entries.keySet());
    }

    /** Returns the digests. */
    DigestSet digests() {
        return digests;
    }
}
