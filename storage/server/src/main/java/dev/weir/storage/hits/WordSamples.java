package dev.weir.storage.hits;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import dev.weir.model.Digest;
import dev.weir.model.SafeText;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.state.StateFile;
import dev.weir.storage.state.StateFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first words of mails, by digest. They are personal data: the operator must allow them, they expire, their number
 * and length are bounded, only the owner can read the file, and words go when their hash goes. Thread-safe.
 *
 * <p>The content of the file has a line for each sample: digest, time in milliseconds, subject and words, with tabs
 * between them.
 */
public final class WordSamples {
    private static final Logger LOG = LoggerFactory.getLogger(WordSamples.class);

    /** The longest time for which samples may be kept. */
    public static final Duration LONGEST_LIFE = Duration.ofDays(90);

    /** The most characters of a subject, and of the words. */
    public static final int LONGEST = 240;

    /** The most samples; the oldest makes room. */
    static final int MOST = 1_000;

    /** More than the largest file. */
    private static final int MOST_BYTES = MOST * (160 + 2 * 4 * LONGEST);
    private static final int FIELDS = 4;

    /** The format of the file. Version 1 had no checksum. */
    public static final StateFormat FORMAT = new StateFormat(DataFolder.SAMPLES, 2, MOST_BYTES, true);

    /** A line of version 1. */
    private static final Pattern EARLIER = Pattern.compile("[0-9a-f]{128}\t");

    private final InstantSource clock;
    /** In the order of their times. */
    private final Map<Digest, Sample> samples = new LinkedHashMap<>();
    private Duration life = Duration.ZERO;
    private boolean changed;

    /**
     * The beginning of a mail.
     *
     * @param subject the subject; may be empty
     * @param words the first words of the first text; may be empty
     * @param millis when it was kept
     */
    public record Sample(String subject, String words, long millis) {}

    /** Creates an empty collection that keeps nothing until {@link #keepFor} allows it. */
    public WordSamples(InstantSource clock) {
        this.clock = clock;
    }

    /** Sets the time after which a sample expires, at most {@link #LONGEST_LIFE}; with zero, all samples go. */
    public synchronized void keepFor(Duration time) {
        life = time;
        if (time.isZero()) {
            changed |= !samples.isEmpty();
            samples.clear();
        }
    }

    /** Returns whether a digest may have a sample and has none. */
    public synchronized boolean lacks(Digest digest) {
        return !life.isZero() && !samples.containsKey(digest);
    }

    /** Keeps the beginning of a mail for a digest. Control characters become spaces. */
    public synchronized void keep(Digest digest, String subject, String words) {
        if (life.isZero()) {
            return;
        }
        samples.remove(digest);
        samples.put(digest, new Sample(clean(subject), clean(words), clock.millis()));
        trim();
        changed = true;
    }

    /** Returns the sample of a digest. */
    public synchronized Optional<Sample> of(Digest digest) {
        Sample sample = samples.get(digest);
        return sample == null || life.isZero() || isOver(sample) ? Optional.empty() : Optional.of(sample);
    }

    private boolean isOver(Sample sample) {
        return sample.millis() + life.toMillis() <= clock.millis();
    }

    private void trim() {
        while (samples.size() > MOST) {
            samples.remove(samples.keySet().iterator().next());
        }
    }

    private static String clean(String text) {
        StringBuilder clean = new StringBuilder();
        text.codePoints().map(point -> !SafeText.isShown(point) || Character.isWhitespace(point) ? ' ' : point)
                .filter(point -> point != ' ' || (!clean.isEmpty() && clean.charAt(clean.length() - 1) != ' '))
                .limit(LONGEST).forEach(clean::appendCodePoint);
        return clean.toString().strip();
    }

    /** Reads the samples of an earlier process. A damaged file is deleted: words must not outlive their time. */
    public synchronized void load(StateFile file) {
        try {
            Optional<byte[]> earlier = file.readEarlier().filter(bytes -> EARLIER.matcher(text(bytes)).lookingAt());
            Optional<byte[]> content = earlier.isPresent() ? earlier : file.read();
            long bad = content.stream().flatMap(bytes -> text(bytes).lines()).filter(line -> !read(line)).count();
            if (bad > 0) {
                LOG.warn("{} lines of {} are not samples of words and are left out", bad, file.place());
            }
            changed |= earlier.isPresent();
            trim();
        } catch (StorageException e) {
            LOG.warn("there are no samples of words: {}", e.getMessage());
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private boolean read(String line) {
        String[] fields = line.split("\t", -1);
        if (fields.length != FIELDS) {
            return false;
        }
        Optional<Digest> digest = Digest.parse(fields[0]);
        if (digest.isEmpty()) {
            return false;
        }
        try {
            // A time in the future would never be over.
            long millis = Math.min(Long.parseLong(fields[1]), clock.millis());
            samples.put(digest.get(), new Sample(clean(fields[2]), clean(fields[3]), millis));
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /**
     * Drops what is over or no longer stored, and writes the rest if something changed. Without a sample there is no
     * file.
     *
     * @param stored whether the storage has a hash
     * @throws IOException if the file cannot be written; it is tried again the next time
     */
    public synchronized void save(StateFile file, Predicate<Digest> stored) throws IOException {
        changed |= samples.entrySet().removeIf(entry -> isOver(entry.getValue()) || !stored.test(entry.getKey()));
        if (samples.isEmpty()) {
            file.delete();
        } else if (changed) {
            file.write(bytes());
        }
        changed = false;
    }

    private byte[] bytes() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        samples.forEach((digest, sample) -> out.writeBytes(String.join("\t", digest.hex(),
                Long.toString(sample.millis()), sample.subject(), sample.words() + "\n")
                .getBytes(StandardCharsets.UTF_8)));
        return out.toByteArray();
    }
}
