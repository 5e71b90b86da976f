package dev.weir.hash.kind;

import java.util.List;

import dev.weir.hash.effort.Effort;
import org.jspecify.annotations.Nullable;

/** What the kinds read of a mail, without the footers of mailing lists and what an answer quotes. Thread-safe. */
public final class MailContent {
    private final List<String> html;
    private final String visible;
    private final @Nullable String subject;
    /** What the HTML consists of; null until a kind asks. */
    private volatile @Nullable Markup markup;

    /**
     * @param html the source of the HTML parts, in order
     * @param visible the visible text of the HTML parts, or else that of the plain parts
     * @param subject the decoded subject, or null
     */
    public MailContent(List<String> html, String visible, @Nullable String subject) {
        this.html = html.stream().map(Footers::cut).toList();
        this.visible = html.isEmpty() ? Quotes.cut(Footers.cutPlain(visible)) : Footers.cut(visible);
        this.subject = subject;
    }

    /** Returns the HTML, or null if the mail has none. */
    @Nullable
    Markup markup(Effort effort) {
        Markup read = markup;
        if (read == null && !html.isEmpty()) {
            read = Markup.of(html, effort);
            markup = read;
        }
        return read;
    }

    String visible() {
        return visible;
    }

    @Nullable
    String subject() {
        return subject;
    }
}
