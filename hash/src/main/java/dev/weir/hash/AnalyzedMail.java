package dev.weir.hash;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import dev.weir.hash.effort.Effort;
import dev.weir.hash.html.HtmlDocument;
import dev.weir.hash.mime.MimePart;
import dev.weir.hash.text.AnalyzedText;
import org.jspecify.annotations.Nullable;

/**
 * A mail that has been read and broken into words, ready to be hashed for any number of rules. Thread-safe, and
 * immutable but for the time that it has cost.
 */
public final class AnalyzedMail {
    /** Text of one part; {@code html} is null for plain text. */
    record Text(AnalyzedText words, @Nullable HtmlDocument html) {}

    private final List<MimePart> parts;
    private final Map<Integer, Text> texts;
    private final byte @Nullable [] subject;
    private final int size;
    /** Nanoseconds that the mail has cost so far. */
    private final AtomicLong spent;

    /**
     * @param size of the mail, in bytes
     * @param spent nanoseconds that reading it took
     */
    AnalyzedMail(List<MimePart> parts, Map<Integer, Text> texts, byte @Nullable [] subject, int size, long spent) {
        this.parts = List.copyOf(parts);
        this.texts = Map.copyOf(texts);
        this.subject = subject;
        this.size = size;
        this.spent = new AtomicLong(spent);
    }

    /** All parts in order, containers before their children. */
    public List<MimePart> parts() {
        return parts;
    }

    /** Language of a text part, empty if it has no words, null if the part is not text. */
    public @Nullable String language(int part) {
        Text text = texts.get(part);
        return text == null ? null : text.words().language();
    }

    /** Number of words of a text part, or -1 if the part is not text. */
    public int wordCount(int part) {
        Text text = texts.get(part);
        return text == null ? -1 : text.words().stems().size();
    }

    /** The words of a text part and the text they were found in, or null if the part is not text. */
    public @Nullable AnalyzedText words(int part) {
        Text text = texts.get(part);
        return text == null ? null : text.words();
    }

    /** The document of an HTML part, or null if the part is not HTML. */
    public @Nullable HtmlDocument html(int part) {
        Text text = texts.get(part);
        return text == null ? null : text.html();
    }

    /** What the mail may still cost of what it could cost as a whole. */
    Effort effort(Duration limit) {
        return Effort.of(limit.minusNanos(spent.get()), size);
    }

    /** Remembers what hashing it for a rule cost. */
    void spent(Effort effort) {
        spent.addAndGet(effort.spent());
    }

    @Nullable
    Text text(int part) {
        return texts.get(part);
    }

    /** The decoded subject, or null if there is none. */
    public @Nullable String subjectText() {
        return subject == null ? null : new String(subject, StandardCharsets.UTF_8);
    }

    /** The decoded subject in UTF-8, or null. */
    byte @Nullable [] subject() {
        return subject;
    }
}
