package dev.weir.hash.kind;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What the kinds read of a mail.
 *
 * @param html the source of the HTML parts, in order
 * @param visible the visible text of the HTML parts, or else that of the plain parts
 * @param subject the decoded subject, or null
 */
public record MailContent(List<String> html, String visible, @Nullable String subject) {
    /** Copies the list. */
    public MailContent {
        html = List.copyOf(html);
    }

    /** Returns the content without the footers of mailing lists. */
    MailContent withoutFooters() {
        return new MailContent(html.stream().map(Footers::cut).toList(), Footers.cut(visible), subject);
    }
}
