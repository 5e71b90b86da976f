package dev.weir.hash;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import dev.weir.hash.effort.Effort;
import dev.weir.hash.html.HtmlDocument;
import dev.weir.hash.kind.MailContent;
import dev.weir.hash.mime.MimeMessage;
import dev.weir.hash.mime.MimePart;
import dev.weir.hash.release.Release;
import dev.weir.hash.text.AnalyzedText;
import org.jspecify.annotations.Nullable;

/**
 * A mail, split into parts and words and ready to be hashed for any number of rules. Thread-safe; only the time spent
 * on the mail changes.
 */
public final class AnalyzedMail {
    /** The text of one part; {@code html} is null for plain text. */
    record Text(AnalyzedText words, @Nullable HtmlDocument html) {}

    private final MimeMessage message;
    private final Map<Integer, Text> texts;
    private final int size;
    /** Nanoseconds spent on the mail so far. */
    private final AtomicLong spent;
    /** What the kinds beyond those of Rspamd read; null until one asks. */
    private volatile @Nullable MailContent content;
    /** The mail as other releases read it, for the rules with another release. */
    private final Map<Release, AnalyzedMail> others = new ConcurrentHashMap<>(1);

    /**
     * @param texts the text of each text part, by its number
     * @param size size of the mail in bytes
     * @param spent nanoseconds spent on reading the mail
     */
    AnalyzedMail(MimeMessage message, Map<Integer, Text> texts, int size, long spent) {
        this(message, texts, size, new AtomicLong(spent));
    }

    private AnalyzedMail(MimeMessage message, Map<Integer, Text> texts, int size, AtomicLong spent) {
        this.message = message;
        this.texts = Map.copyOf(texts);
        this.size = size;
        this.spent = spent;
    }

    /** Returns all parts in order, containers before their children. */
    public List<MimePart> parts() {
        return message.parts();
    }

    /** Returns the language of a text part; empty if the part has no words, null if it is not text. */
    public @Nullable String language(int part) {
        Text text = texts.get(part);
        return text == null ? null : text.words().language();
    }

    /** Returns the number of words of a text part, or -1 if the part is not text. */
    public int wordCount(int part) {
        Text text = texts.get(part);
        return text == null ? -1 : text.words().wordCount();
    }

    /** Returns the words of a text part and the text that they come from, or null if the part is not text. */
    public @Nullable AnalyzedText words(int part) {
        Text text = texts.get(part);
        return text == null ? null : text.words();
    }

    /** Returns the document of an HTML part, or null if the part is not HTML. */
    public @Nullable HtmlDocument html(int part) {
        Text text = texts.get(part);
        return text == null ? null : text.html();
    }

    /**
     * Returns the same mail with the texts of a release.
     *
     * @param read reads the texts of the parts for a release other than the default
     */
    AnalyzedMail as(Release release, Function<MimeMessage, Map<Integer, Text>> read) {
        return release == Release.V4_1
                ? this
                : others.computeIfAbsent(release,
                        unseen -> new AnalyzedMail(message, read.apply(message), size, spent));
    }

    /** Returns the budget that remains of {@code limit} after the time spent so far. */
    Effort effort(Duration limit) {
        return Effort.of(limit.minusNanos(spent.get()), size);
    }

    /** Adds the time that hashing for one rule took. */
    void spent(Effort effort) {
        spent.addAndGet(effort.spent());
    }

    /** Returns what the kinds beyond those of Rspamd read. A mail with a hit is asked twice. */
    MailContent content() {
        MailContent read = content;
        if (read == null) {
            read = readContent();
            content = read;
        }
        return read;
    }

    private MailContent readContent() {
        boolean hasHtml = texts.values().stream().anyMatch(text -> text.html() != null);
        List<String> html = new ArrayList<>();
        StringBuilder visible = new StringBuilder();
        for (MimePart part : message.parts()) {
            Text text = texts.get(part.number());
            if (text == null || (hasHtml && text.html() == null)) {
                continue;
            }
            byte[] utf8 = part.utf8();
            String source = new String(utf8 == null ? part.body() : utf8, StandardCharsets.UTF_8);
            if (text.html() == null) {
                visible.append(source).append('\n');
            } else {
                html.add(source);
                visible.append(new String(text.html().visibleText(), StandardCharsets.UTF_8)).append('\n');
            }
        }
        return new MailContent(html, visible.toString(), subjectText());
    }

    /** Returns the number of the part that the kinds beyond those of Rspamd count for: the first HTML, or text. */
    int contentPart() {
        int first = 0;
        for (MimePart part : message.parts().reversed()) {
            Text text = texts.get(part.number());
            if (text != null
                    && (text.html() != null || texts.get(first) == null || !message.parts().get(first).isHtml())) {
                first = part.number();
            }
        }
        return first;
    }

    @Nullable
    Text text(int part) {
        return texts.get(part);
    }

    /** Returns the decoded subject, or null if there is none. */
    public @Nullable String subjectText() {
        byte[] subject = subject();
        return subject == null ? null : new String(subject, StandardCharsets.UTF_8);
    }

    /** Returns the decoded subject in UTF-8, or null. */
    byte @Nullable [] subject() {
        return message.subject();
    }
}
