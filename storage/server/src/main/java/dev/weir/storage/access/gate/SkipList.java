package dev.weir.storage.access.gate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.weir.model.Digest;
import dev.weir.model.SafeText;
import dev.weir.model.failure.Reason;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.access.DigestSet;
import dev.weir.storage.state.StateFile;
import dev.weir.storage.state.StateFormat;
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
    private static final String EARLIER_HEAD = "weir skips 1";
    private static final int REASON_LENGTH = 200;

    /** The format of the file: a line for each entry, with digest, end and reason. Version 1 had no checksum. */
    public static final StateFormat FORMAT = new StateFormat(DataFolder.SKIPS, 2, MOST * (160 + 4 * REASON_LENGTH));

    private final Map<Digest, Entry> entries = new LinkedHashMap<>();
    private volatile DigestSet digests = DigestSet.none();
    private @Nullable StateFile file;

    /** Whether the file may have entries that this list lacks. */
    private boolean unread;

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
     * Reads the list from a file, which later changes replace. A damaged file is kept aside; what can be read of it
     * stays in force, because an entry changes no hash.
     */
    public synchronized void load(StateFile place) {
        file = place;
        try {
            Optional<byte[]> earlier = place.readEarlier();
            String head = EARLIER_HEAD + "\n";
            if (earlier.isPresent() && text(earlier.get()).startsWith(head)) {
                if (!take(text(earlier.get()).substring(head.length()))) {
                    replaceDamaged(place, "lines of it cannot be understood");
                }
                return;
            }
            Optional<byte[]> part = place.salvage();
            Optional<byte[]> whole = place.read();
            part.ifPresent(bytes -> take(text(bytes)));
            if (part.isPresent() && whole.isEmpty()) {
                keepWhatIsRead(place);
            }
        } catch (StorageException e) {
            unread = true;
            LOG.warn("the skip list is not in force: {}", e.getMessage());
            place.files().report(new Trouble("the skip list is not in force", String.valueOf(e.getMessage())));
        } finally {
            publish();
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Takes all entries that can be read. Returns whether these were all. */
    private boolean take(String text) {
        boolean all = true;
        for (String line : text.lines().toList()) {
            Optional<Entry> entry = decode(line);
            if (entry.isEmpty() || entries.size() >= MOST) {
                LOG.warn("an entry of the skip list cannot be read: {}", line);
                all = false;
            } else {
                entries.put(entry.get().digest(), entry.get());
            }
        }
        return all;
    }

    private void replaceDamaged(StateFile place, String why) throws StorageException {
        place.setAside(why);
        keepWhatIsRead(place);
    }

    private void keepWhatIsRead(StateFile place) {
        if (entries.isEmpty()) {
            return;
        }
        LOG.warn("{} entries of the damaged skip list could be read and stay in force", entries.size());
        try {
            write(place, entries);
        } catch (IOException e) {
            LOG.warn("the skip list cannot be written: {}", Reason.of(e));
        }
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

    private void replace(Map<Digest, Entry> next) throws IOException {
        if (file != null) {
            if (unread) {
                keepUnread(file);
                unread = false;
            }
            write(file, next);
        }
        entries.clear();
        entries.putAll(next);
        publish();
    }

    /** Keeps a file that could not be read before another one takes its place. */
    private static void keepUnread(StateFile file) throws IOException {
        try {
            file.setAside("it could not be read");
        } catch (StorageException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static void write(StateFile file, Map<Digest, Entry> next) throws IOException {
        StringBuilder text = new StringBuilder();
        next.values().forEach(entry -> text.append(entry.digest().hex()).append(' ').append(entry.end()).append(' ')
                .append(entry.reason()).append('\n'));
        file.write(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private void publish() {
        digests = DigestSet.of(entries.keySet());
    }

    /** Returns the digests. */
    DigestSet digests() {
        return digests;
    }
}
